import { expect, it } from "vitest";
import type { AppClient } from "../../../../main/cli/app-client.ts";
import type { CommandContext } from "../../../../main/cli/commands/command.ts";
import { models } from "../../../../main/cli/commands/models.ts";

const kind = "speech-to-text";
const answers: Readonly<Record<string, object>> = {
  listModelsAndVoices: {
    models: [
      { id: "whisper-small", kind, ownedBy: "openai" },
      { id: "cloud/whisper-1", kind, ownedBy: "somebody" },
    ],
    voices: [{ id: "nova", name: "Nova", character: "Bright" }],
  },
  listModels: {
    models: [
      { id: "whisper-small", state: "ready", sizeBytes: 244.5e6, measured: { speed: 12.34 } },
      { id: "cloud/whisper-1", state: "ready" },
      {
        id: "broken",
        state: "damaged",
        sizeBytes: 8e6,
        damaged: { message: "A file is missing." },
      },
      { id: "whisper-large", state: "available", sizeBytes: 3e9 },
    ],
  },
};

it("lists models with their size and the speed measured on this machine", async () => {
  let printed = "";
  await models.run({
    positionals: [],
    values: {},
    client: () =>
      Promise.resolve({
        call: (name: string) => Promise.resolve(answers[name]),
      } as unknown as AppClient),
    print: (text: string) => {
      printed += text;
      return Promise.resolve();
    },
  } as unknown as CommandContext);
  expect(printed.split("\n").map((line) => line.split(/ {2,}/))).toEqual([
    ["whisper-small", "speech-to-text", "245 MB", "12.3 x", "openai"],
    ["cloud/whisper-1", "speech-to-text", "somebody"],
    ["broken", "set aside", "8 MB", "A file is missing."],
    ["nova", "voice", "Bright"],
    [""],
  ]);
});
