// Listens to one media file: decodes it window by window to a file of 16 kHz PCM, detects voice, cuts at pauses.

import { openDecoder, minDurationSec } from "../../audio/codec/decode.ts";
import { createLeveller } from "../../audio/dsp/level.ts";
import { floatToPcm, joinSamples } from "../../audio/codec/pcm.ts";
import { createCutter, type PieceSpan } from "../../audio/dsp/segments.ts";
import { AppError } from "../../contract/errors.ts";
import { appendFileSync, writeFileSync } from "../../storage/disk.ts";
import { frameSamples, type Silero } from "../vad/silero.ts";
import { defaultMediaLimits } from "./media-limits.ts";
import type { MediaLimits } from "./protocol.ts";
import { createTempSpace } from "./temp-space.ts";

export const listeningRateHz = 16_000;
const bytesPerSample = 2;

export type Listening = {
  /** The container's word for it; undefined where it has none. */
  readonly durationSec: number | undefined;
  /** Decodes about `windowSec` more. Pieces come once they are final, in time order. */
  step(
    windowSec: number,
    signal: AbortSignal,
  ): Promise<{ pieces: PieceSpan[]; heardSec: number; ended: boolean }>;
  close(): void;
};

/** @throws AppError where the file cannot be decoded */
export function openListening(
  silero: Silero,
  mediaPath: string,
  pcmPath: string,
  limits: MediaLimits = defaultMediaLimits,
): Listening {
  const decoder = openDecoder(mediaPath, {
    sampleRateHz: listeningRateHz,
    maxDurationSec: limits.maxDurationSec,
  });
  const space = createTempSpace(mediaPath, pcmPath, limits);
  try {
    space.expect((decoder.durationSec ?? 0) * listeningRateHz * bytesPerSample);
  } catch (error) {
    decoder.close();
    throw error;
  }
  const leveller = createLeveller(frameSamples, listeningRateHz);
  const detector = silero.createDetector();
  const cutter = createCutter(frameSamples / listeningRateHz);
  writeFileSync(pcmPath, "");
  let heard = 0;
  return {
    durationSec: decoder.durationSec,
    async step(windowSec, signal) {
      const blocks: Float32Array[] = [];
      let taken = 0;
      let ended = false;
      while (taken < windowSec * listeningRateHz && !ended) {
        const block = decoder.read();
        if (block === undefined) ended = true;
        else {
          blocks.push(block);
          taken += block.length;
        }
      }
      signal.throwIfAborted();
      const samples = joinSamples(blocks);
      heard += taken;
      space.add(taken * bytesPerSample);
      appendFileSync(pcmPath, floatToPcm(samples));
      const pieces = cutter.push(await detector.push(leveller.level(samples)));
      const heardSec = heard / listeningRateHz;
      if (ended) {
        if (heardSec < minDurationSec) {
          throw new AppError(
            "audio_too_short",
            `Audio file is too short. Minimum audio length is ${minDurationSec} seconds.`,
            { param: "file" },
          );
        }
        pieces.push(...cutter.push(await detector.finish()), ...cutter.finish(heardSec));
      }
      return { pieces, heardSec, ended };
    },
    close: () => decoder.close(),
  };
}
