import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { floatToPcm } from "../../../../main/audio/codec/pcm.ts";
import { openRecordingFile } from "../../../../main/jobs/transcription/recording-file.ts";
import { pickChannel } from "../../../../main/jobs/transcription/tracks.ts";
import { readSamples } from "../../../support/recordings.ts";
import { runInOtherProcess } from "../../../support/library.ts";
import { tone } from "../../../support/test-audio.ts";
import { openTestFolder } from "../../../support/test-data.ts";

const second = tone(440, 1, 16_000);
const bytes = floatToPcm(second);
const newPath = async (): Promise<string> => join(await openTestFolder(), "source.wav");

it("is a valid WAV file at any moment, and contains its length at the end", async () => {
  const path = await newPath();
  const file = await openRecordingFile(path);
  expect(await file.append(0, bytes)).toBe(16_000);
  expect(readSamples(path, 16_000)).toHaveLength(16_000);
  expect(await file.append(16_000, bytes)).toBe(32_000);
  await file.end();
  expect(readSamples(path, 16_000)).toHaveLength(32_000);
  expect((await readFile(path)).readUInt32LE(40)).toBe(64_000);
});

it("accepts no sample twice and leaves no gap", async () => {
  const path = await newPath();
  const file = await openRecordingFile(path);
  await file.append(0, bytes);
  expect(await file.append(0, bytes)).toBe(16_000);
  expect(await file.append(8000, bytes)).toBe(24_000);
  expect(await file.append(30_000, bytes)).toBe(24_000);
  expect(
    await Promise.all([
      file.append(24_000, bytes.subarray(0, 3)),
      file.append(24_000, bytes.subarray(0, 8)),
    ]),
  ).toEqual([24_001, 24_004]);
  await file.end();
  const savedSamples = readSamples(path, 16_000);
  expect(savedSamples).toHaveLength(24_004);
  expect(Buffer.from(floatToPcm(savedSamples.subarray(8000, 24_000)))).toEqual(Buffer.from(bytes));
});

it("keeps two tracks apart, and finds them again when it is opened", async () => {
  const path = await newPath();
  const frames = new Uint8Array([1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0]);
  const file = await openRecordingFile(path, 2);
  expect(await file.append(0, frames.subarray(0, 8))).toBe(2);
  // Half a frame is not stored, and nothing twice.
  expect(await file.append(1, frames.subarray(4, 10))).toBe(2);
  await file.end();
  const again = await openRecordingFile(path);
  expect([again.channels, again.sampleCount()]).toEqual([2, 2]);
  expect(await again.append(1, frames.subarray(4))).toBe(3);
  await again.end();
  const stored = await readFile(path);
  expect([stored.readUInt16LE(22), stored.readUInt32LE(40)]).toEqual([2, 12]);
  expect([...pickChannel(stored.subarray(44), 0, 2)]).toEqual([1, 0, 3, 0, 5, 0]);
  expect([...pickChannel(stored.subarray(44), 1, 2)]).toEqual([2, 0, 4, 0, 6, 0]);
});

it("keeps what was appended when its process is killed, and continues", async () => {
  const path = await newPath();
  const source = `
    import { openRecordingFile } from '$main/jobs/transcription/recording-file.ts';
    const file = await openRecordingFile(process.argv[1]);
    await file.append(0, new Uint8Array(32000).fill(1));
    process.kill(process.pid, 'SIGKILL');`;
  await expect(runInOtherProcess(source, [path])).rejects.toMatchObject({ signal: "SIGKILL" });
  const file = await openRecordingFile(path);
  expect(file.sampleCount()).toBe(16_000);
  expect(await file.append(16_000, bytes)).toBe(32_000);
  await file.end();
  expect(readSamples(path, 16_000)).toHaveLength(32_000);
});
