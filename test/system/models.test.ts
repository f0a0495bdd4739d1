// A model from a hub to a transcript, by the command line: real processes, real weights.

import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { shippedWeightsDir } from "../../main/models/shipped-models.ts";
import { run } from "../support/command-line.ts";
import { type FakeHub, readFiles, respondStatus, startHub } from "../support/fake-hub.ts";
import {
  normalizeWords,
  openFolder,
  synthesizeSamples,
  writeAudioFile,
} from "../support/test-data.ts";

const folder = await openFolder();
const dataDir = join(folder.path, "data");
const id = "someone-whisper-base-fr";
const said = "Good morning. How are you today?";
let hub: FakeHub;

const models = (...args: string[]) =>
  run(["models", ...args], {
    dataDir,
    cwd: folder.path,
    env: { HF_ENDPOINT: hub.baseUrl, HEARSAY_WORKERS: "1" },
  });

beforeAll(async () => {
  const files = await readFiles(join(shippedWeightsDir, "whisper-base"));
  hub = await startHub({ "someone/whisper-base-fr": { files } });
});
afterAll(async () => {
  await hub.close();
  await folder.remove();
});

it("pulls a repository, transcribes with it, exports, removes and imports it", async () => {
  expect(await models("pull", "someone/whisper-base-fr")).toMatchObject({
    code: 0,
    stdout: `${id}\n`,
  });
  const recording = await writeAudioFile(
    join(folder.path, "greeting.wav"),
    await synthesizeSamples(said),
  );
  const transcript = await run(["transcribe", recording, "--model", id, "--language", "en"], {
    dataDir,
    cwd: folder.path,
    env: { HEARSAY_WORKERS: "1" },
  });
  expect(normalizeWords(transcript.stdout)).toEqual(normalizeWords(said));

  expect(await models("export", id, "model.zip")).toMatchObject({ code: 0 });
  expect(await models("rm", id)).toMatchObject({ code: 0 });
  expect((await models("list")).stdout).not.toContain(id);
  expect(await models("import", "model.zip")).toMatchObject({ code: 0, stdout: `${id}\n` });
  expect((await models("list")).stdout).toContain(id);
  expect(await readdir(join(dataDir, "models", ".incoming"))).toEqual([]);
});

it("tells why a pull failed, and what to do", async () => {
  hub.setFault("/main", respondStatus(401, "GatedRepo"));
  const { code, stderr } = await models("pull", "someone/whisper-base-fr-gated");
  expect(code).toBe(1);
  expect(stderr).toMatch(/only to people who accepted its terms/);
  expect((await models("pull", "whisper-nothing")).stderr).toContain("The catalog has no model");
});
