import { join } from "node:path";
import { expect, it } from "vitest";
import { openAudiobookAssembler } from "../../../main/audiobook/audiobook-assembler.ts";
import { takeSampleRateHz, writeTake } from "../../../main/audiobook/take-file.ts";
import { openFolder } from "../../support/test-data.ts";

it("joins takes as loud as each is wanted", async () => {
  const folder = await openFolder();
  const wavPath = join(folder.path, "tone.wav");
  await writeTake(
    wavPath,
    Float32Array.from(
      { length: 3 * takeSampleRateHz },
      (_, at) => 0.2 * Math.sin((2 * Math.PI * 440 * at) / takeSampleRateHz),
    ),
  );
  const measure = async (gainDb: number): Promise<number> => {
    const assembler = openAudiobookAssembler({ kind: "measure" });
    await assembler.add([{ wavPath, pauseSec: 0, gainDb }], new AbortController().signal);
    const { lufs = NaN } = assembler.finish();
    assembler.close();
    return lufs;
  };
  expect((await measure(-6)) - (await measure(0))).toBeCloseTo(-6, 1);
  await folder.remove();
});
