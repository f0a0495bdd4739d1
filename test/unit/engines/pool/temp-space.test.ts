// What a file may take of the disk while it is listened to.

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
/** Hears no voice. */
const deaf = {
  createVad: () => ({ push: async () => [], finish: async () => [] }),
} as unknown as SileroModel;

async function saved(bytes: Uint8Array): Promise<{ media: string; pcm: string; peaks: string }> {
  const folder = await openTestFolder();
  const media = join(folder, "media");
  writeFileSync(media, bytes);
  return { media, pcm: join(folder, "pcm"), peaks: join(folder, "peaks") };
}

it("a WAV file of 86 KB at 1 Hz is refused before anything of it is written", async () => {
  const { media, pcm } = await saved(lowRateWav(86_400));
  expect(() => openSpeechSegmentation(deaf, media, pcm)).toThrow(
    expect.objectContaining({
      key: "temp_space_used_up",
      row: expect.objectContaining({ status: 507 }),
    }),
  );
});

it("a second more than a day is refused as too long", async () => {
  const { media, pcm } = await saved(lowRateWav(86_402));
  expect(() => openSpeechSegmentation(deaf, media, pcm)).toThrow(
    expect.objectContaining({
      key: "audio_too_long",
      row: expect.objectContaining({ status: 400 }),
    }),
  );
});

it("what a file does not tell is counted while it is written", async () => {
  const { media, pcm } = await saved(Buffer.alloc(1000));
  const space = createTempSpace(media, pcm, { tempRatio: 16, tempExtraBytes: 500 });
  space.add(16_000);
  space.add(500);
  expect(() => space.add(1)).toThrow(expect.objectContaining({ key: "temp_space_used_up" }));
});

it("sound within its space is listened to", async () => {
  const { media, pcm } = await saved(encodeAudio(silence(20, 16_000), 16_000, "webm"));
  const listening = openSpeechSegmentation(deaf, media, pcm, {
    ...defaultMediaLimits,
    tempRatio: 0,
    tempExtraBytes: 1e6,
  });
  await expect(listening.step(60, never)).resolves.toMatchObject({ ended: true });
  listening.close();
});

it("the picture of a sound is counted too", async () => {
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

it("more than the disk has room for is refused", async () => {
  const { media, pcm } = await saved(wavFile([silence(1, 16_000)], 16_000));
  const space = createTempSpace(media, pcm, { tempRatio: Infinity, tempExtraBytes: 0 });
  expect(() => space.checkTotal(1e18)).toThrow(
    expect.objectContaining({ key: "storage_full", message: storageFullError().message }),
  );
  space.checkTotal(1000);
});
