// hearsay models bench: real processes, real weights.

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { run } from "../support/command-line.ts";
import { openFolder, synthesizeSamples, writeAudioFile } from "../support/test-data.ts";

const folder = await openFolder();
afterAll(() => folder.remove());
const sentence = "Good morning. How are you today?";

const models = (...args: string[]) =>
  run(["models", ...args], {
    dataDir: join(folder.path, "data"),
    cwd: folder.path,
    env: { HEARSAY_WORKERS: "1" },
  });

it("measures models on clips with known text", async () => {
  const { stdout } = await models(
    "bench",
    "--models",
    "moonshine-base,whisper-base",
    "--language",
    "en",
  );
  const [header, ...lines] = stdout.trimEnd().split("\n");
  expect(header).toMatch(/^model +clip +language +errors +speed +memory$/);
  expect(lines.map((line) => line.split(/ {2,}/).slice(0, 3))).toEqual([
    ["moonshine-base", "english-1", "en"],
    ["moonshine-base", "english-2", "en"],
    ["whisper-base", "english-1", "en"],
    ["whisper-base", "english-2", "en"],
    ["moonshine-base", "all 2", "en"],
    ["whisper-base", "all 2", "en"],
  ]);
  for (const line of lines) {
    const [rate, speed, memory] = line.split(/ {2,}/).slice(3).map(Number.parseFloat);
    expect(rate).toBeLessThan(50);
    expect(speed).toBeGreaterThan(0);
    expect(memory).toBeGreaterThan(0);
  }
});

it("measures models on a person's own clip", async () => {
  const recording = await writeAudioFile(
    join(folder.path, "mine.wav"),
    await synthesizeSamples(sentence),
  );
  await writeFile(join(folder.path, "mine.txt"), `${sentence} Wrong.`);
  const { stdout } = await models(
    "bench",
    "--models",
    "moonshine-base",
    "--clip",
    recording,
    "--text",
    "mine.txt",
    "--json",
  );
  expect(JSON.parse(stdout)).toMatchObject({
    measurements: [{ model: "moonshine-base", clip: "mine.wav", language: "en", rate: 1 / 7 }],
  });
  expect(await models("bench", "--clip", recording)).toMatchObject({ code: 2 });
});
