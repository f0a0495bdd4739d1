// How much disk space the temporary files for a recording may take.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { storageFullError } from "../../../../main/contract/errors.ts";
import { openSpeechSegmentation } from "../../../../main/engines/pool/speech-segmentation.ts";
import { defaultMediaLimits } from "../../../../main/engines/pool/media-limits.ts";
import { createTempSpace } from "../../../../main/engines/pool/temp-space.ts";
import { openPlaybackPreparation } from "../../../../main/engines/pool/playback-preparation.ts";
import type { SileroModel } from "../../../../main/engines/vad/silero.ts";
import { lowRateWav } from "../../../support/hostile-media.ts";
import { encodeAudio, silence, wavFile } from "../../../support/test-audio.ts";
import { openTestFolder } from "../../../support/test-data.ts";

const never = new AbortController().signal;
/** A VAD that finds no voice. */
const silentVad = {
  createVad: () => ({ push: async () => [], finish: async () => [] }),
} as unknown as SileroModel;

async function saved(bytes: Uint8Array): Promise<{ media: string; pcm: string; peaks: string }> {
  const folder = await openTestFolder();
  const media = join(folder, "media");
  writeFileSync(media, bytes);
  return { media, pcm: join(folder, "pcm"), peaks: join(folder, "peaks") };
}

it("rejects a WAV file of 86 KB at 1 Hz before it writes anything", async () => {
  const { media, pcm } = await saved(lowRateWav(86_400));
  expect(() => openSpeechSegmentation(silentVad, media, pcm)).toThrow(
    expect.objectContaining({
      key: "temp_space_used_up",
      row: expect.objectContaining({ status: 507 }),
    }),
  );
});

it("rejects one second more than a day as too long", async () => {
  const { media, pcm } = await saved(lowRateWav(86_402));
  expect(() => openSpeechSegmentation(silentVad, media, pcm)).toThrow(
    expect.objectContaining({
      key: "audio_too_long",
      row: expect.objectContaining({ status: 400 }),
    }),
  );
});

it("counts the bytes of files of unknown length while they are written", async () => {
  const { media, pcm } = await saved(Buffer.alloc(1000));
  const space = createTempSpace(media, pcm, { tempRatio: 16, tempExtraBytes: 500 });
  space.add(16_000);
  space.add(500);
  expect(() => space.add(1)).toThrow(expect.objectContaining({ key: "temp_space_used_up" }));
});

it("accepts audio within the allowed space", async () => {
  const { media, pcm } = await saved(encodeAudio(silence(20, 16_000), 16_000, "webm"));
  const segmentation = openSpeechSegmentation(silentVad, media, pcm, {
    ...defaultMediaLimits,
    tempRatio: 0,
    tempExtraBytes: 1e6,
  });
  await expect(segmentation.step(60, never)).resolves.toMatchObject({ ended: true });
  segmentation.close();
});

it("also counts the waveform", async () => {
  const { media, peaks } = await saved(wavFile([silence(30, 16_000)], 16_000));
  const preparing = openPlaybackPreparation(media, peaks, undefined, {
    ...defaultMediaLimits,
    tempRatio: 0,
    tempExtraBytes: 1000,
  });
  expect(() => preparing.step(30, never)).toThrow(
    expect.objectContaining({ key: "temp_space_used_up" }),
  );
  preparing.close();
});

it("rejects more than the free disk space", async () => {
  const { media, pcm } = await saved(wavFile([silence(1, 16_000)], 16_000));
  const space = createTempSpace(media, pcm, { tempRatio: Infinity, tempExtraBytes: 0 });
  expect(() => space.checkTotal(1e18)).toThrow(
    expect.objectContaining({ key: "storage_full", message: storageFullError().message }),
  );
  space.checkTotal(1000);
});
