import { readdir, readFile, truncate, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { espeakDataDir } from "../../../../main/engines/sherpa/espeak-data.ts";
import { preparedFiles } from "../../../../main/engines/sherpa/prepared-files.ts";
import { shippedModel } from "../../../../main/models/shipped-models.ts";
import { hookWrites } from "../../../../main/storage/disk.ts";
import { removePartials } from "../../../../main/storage/partial-path.ts";
import { openTestFolder } from "../../../support/test-data.ts";

async function open() {
  const dir = await openTestFolder();
  const source = join(dir, "model.onnx");
  await writeFile(source, "graph");
  return { source, files: preparedFiles({ ...shippedModel("silero-vad"), dir }) };
}

it("makes files again that are cut off", async () => {
  const { source, files } = await open();
  const make = () =>
    Promise.all([files.graph(source, { sample_rate: 16_000 }), files.write("tokens.txt", "a 0\n")]);
  const paths = await make();
  const read = () => Promise.all(paths.map((path) => readFile(path, "latin1")));
  const whole = await read();
  expect(whole[0]).toMatch(/^graph.*sample_rate.*16000/s);
  for (const path of paths) await truncate(path, 3);
  expect(await make()).toEqual(paths);
  expect(await read()).toEqual(whole);
});

it("has files on the disk before they get their names, and leaves nothing unfinished behind", async () => {
  const { source, files } = await open();
  const operations: string[] = [];
  let isFull = false;
  const unhook = hookWrites((operation) => {
    operations.push(operation);
    if (isFull && operation === "sync")
      throw Object.assign(new Error("no room"), { code: "ENOSPC" });
  });
  onTestFinished(unhook);
  const path = await files.graph(source, { has_espeak: 1 });
  expect(operations.filter((operation) => /sync|rename/.test(operation))).toEqual([
    "sync",
    "rename",
  ]);
  isFull = true;
  await expect(files.graph(source, { has_espeak: 1, voice: "de" })).rejects.toThrow("no room");
  expect(await readdir(dirname(path))).toEqual(["model.onnx"]);
});

it("unpacks eSpeak's dictionaries again if a file is missing or cut off", async () => {
  const supportDir = await openTestFolder();
  const dir = await espeakDataDir(supportDir);
  const phonemes = await readFile(join(dir, "phondata"));
  await truncate(join(dir, "phondata"), 1000);
  await writeFile(`${dir}.1234.partial`, "");
  expect(await espeakDataDir(supportDir)).toBe(dir);
  expect((await readFile(join(dir, "phondata"))).equals(phonemes)).toBe(true);
  await removePartials(supportDir);
  expect(await readdir(supportDir)).toEqual([dir.slice(supportDir.length + 1)]);
}, 30_000);
