import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { createWriteStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import { strFromU8, unzipSync } from "fflate";
import { expect, it } from "vitest";
import { zipArchive, type ZipEntry } from "../../../../main/library/archive/zip.ts";
import { openTestFolder } from "../../../support/test-data.ts";

const run = promisify(execFile);
const unzip = await run("unzip", ["-v"]).then(
  () => true,
  () => false,
);
const modifiedAtMs = new Date(2026, 10, 21, 12, 30, 8).getTime();

const entry = (
  name: string,
  chunks: readonly Uint8Array[],
  sizeBytes = chunks.reduce((sum, chunk) => sum + chunk.length, 0),
): ZipEntry => ({
  name,
  modifiedAtMs,
  sizeBytes,
  isCompressed: name.endsWith(".txt"),
  bytes: () => Readable.from(chunks),
});

const noise = randomBytes(300_000);
const entries = (): ZipEntry[] => [
  entry("a talk/words.txt", [Buffer.from("ask "), Buffer.from("not")]),
  entry("日本/Ünïcode 😀.bin", [noise.subarray(0, 200_000), noise.subarray(200_000)]),
  entry("empty", []),
  // Marked as large, so that its sizes take eight bytes (Zip64).
  entry("large.txt", [Buffer.from("large")], 5 * 2 ** 30),
];

it("writes archives that other programs read", async () => {
  const bytes = Buffer.concat(await Readable.from(zipArchive(Readable.from(entries()))).toArray());
  const files = unzipSync(bytes);
  expect(Object.keys(files)).toEqual([
    "a talk/words.txt",
    "日本/Ünïcode 😀.bin",
    "empty",
    "large.txt",
  ]);
  expect(strFromU8(files["a talk/words.txt"] as Uint8Array)).toBe("ask not");
  expect(Buffer.from(files["日本/Ünïcode 😀.bin"] as Uint8Array).equals(noise)).toBe(true);
  expect(strFromU8(files["large.txt"] as Uint8Array)).toBe("large");
});

it.skipIf(!unzip)("passes the test of unzip (needs unzip)", async () => {
  const folder = await openTestFolder();
  await pipeline(
    Readable.from(zipArchive(Readable.from(entries()))),
    createWriteStream(join(folder, "all.zip")),
  );
  await run("unzip", ["-q", "all.zip"], { cwd: folder });
  expect(await readFile(join(folder, "a talk", "words.txt"), "utf8")).toBe("ask not");
  expect((await run("unzip", ["-t", "all.zip"], { cwd: folder })).stdout).toContain(
    "No errors detected",
  );
});

it("fails when a file cannot be read", async () => {
  const failing: ZipEntry = {
    ...entry("broken", []),
    bytes: () =>
      Readable.from(
        (async function* (): AsyncGenerator<Uint8Array> {
          yield noise;
          throw new Error("the disk is gone");
        })(),
      ),
  };
  await expect(Readable.from(zipArchive(Readable.from([failing]))).toArray()).rejects.toThrow(
    "the disk is gone",
  );
});
