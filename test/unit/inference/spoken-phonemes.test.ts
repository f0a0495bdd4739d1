// Phonemes in a text, and models that cannot read them, with a scripted pool.

import { writeFile } from "node:fs/promises";
import { expect, it } from "vitest";
import type { InstalledModel } from "../../../main/contract/models.ts";
import type { Pool } from "../../../main/engines/pool/pool.ts";
import type { TaskInput, TaskName } from "../../../main/engines/pool/protocol.ts";
import { createLocalChannel } from "../../../main/inference/local-channel.ts";
import { shippedModel } from "../../../main/models/shipped-models.ts";
import { neverAborted } from "../../support/app.ts";
import { localModels } from "../../support/local-models.ts";
import { openTestFolder } from "../../support/test-data.ts";

const hibari = shippedModel("hibari");
const piper: InstalledModel = { ...hibari, id: "piper", family: "piper" };

async function openChannel() {
  const dataDir = await openTestFolder();
  /** Model and text of each sentence. */
  const spoken: string[] = [];
  const answers: Partial<Record<TaskName, (input: never) => unknown>> = {
    async synthesize({ model, text, pcmPath }: TaskInput<"synthesize">) {
      spoken.push(`${model.id}: ${text}`);
      await writeFile(pcmPath, new Uint8Array(2));
      return { durationSec: 1 };
    },
    phonemes: ({ model, lines }: TaskInput<"phonemes">) =>
      lines.map((line) => `${model.id}: ${line}`),
    "encode.push": () => new Uint8Array(2),
    "encode.finish": () => new Uint8Array(),
  };
  const run = async (name: TaskName, input: unknown): Promise<never> =>
    (await answers[name]?.(input as never)) as never;
  const pool = {
    size: 1,
    job: () => ({ run, pin: () => ({ session: "one", run, release() {} }) }),
  } as unknown as Pool;
  const models = [hibari, piper];
  const { names } = localModels(models, { speak: { en: piper.id } });
  const channel = createLocalChannel({
    pool,
    names,
    models: () => models,
    vad: shippedModel("silero-vad"),
    voices: [{ id: "nova", name: "Nova", character: "", language: "en" }],
    tempDir: () => dataDir,
  });
  async function speak(model: string, text: string): Promise<string[]> {
    const job = { model, text, voice: "nova", speed: 1, format: "pcm" } as const;
    for await (const _ of channel.synthesize(job, neverAborted()));
    return spoken;
  }
  return { channel, speak };
}

it("leaves out phonemes for a model that would read them aloud", async () => {
  const { speak } = await openChannel();
  const text = "A [tomato](/təmˈɑtoʊ/) a day.";
  expect(await speak("hibari", text)).toEqual([`hibari: ${text}`]);
  expect((await speak("tts-1", text)).at(-1)).toBe("piper: A tomato a day.");
});

it("tells phonemes of a text also where another model speaks", async () => {
  const { channel } = await openChannel();
  expect(await channel.phonemes(["hello"], neverAborted())).toEqual(["hibari: hello"]);
});
