// Cuts the sound of a media file, or of a part of it, into WAV files of a length that every provider takes, at its
// quietest moments.

import { closeSync, readSync } from "node:fs";
import { setImmediate as turn } from "node:timers/promises";
import { openDecoder } from "../../audio/codec/decode.ts";
import { joinBytes, wavHeader } from "../../audio/codec/framing.ts";
import { floatToPcm, pcmToFloat } from "../../audio/codec/pcm.ts";
import { findQuietestSample } from "../../audio/dsp/quietest-sample.ts";
import { ftruncateSync, openForWritingSync, writeSync } from "../../storage/disk.ts";
import { sttSampleRateHz } from "./speech-segmentation.ts";

/** Places in the file, in seconds; nothing was written where both are the same. */
export type WavPart = { fromSec: number; toSec: number; ended: boolean };

export type WavSplitter = {
  /** Writes the next stretch, `maxSec` long at most. */
  step(maxSec: number, wavPath: string, signal: AbortSignal): Promise<WavPart>;
  close(): void;
};

/** A quiet moment is looked for in the last so many seconds of a stretch, and in no more than the last third. */
const quietSearchSec = 30;
/** So many blocks are decoded before a cancel is listened for. */
const blocksPerYield = 100;
const headerBytes = wavHeader(sttSampleRateHz, 0).length;
const bytesPerSample = 2;

/** @throws AppError where the file cannot be decoded */
export function openWavSplitter(
  mediaPath: string,
  fromSec: number,
  toSec: number | undefined,
  maxDurationSec?: number,
): WavSplitter {
  const decoder = openDecoder(mediaPath, {
    sampleRateHz: sttSampleRateHz,
    ...(maxDurationSec === undefined ? {} : { maxDurationSec }),
  });
  const endSample = toSec === undefined ? Infinity : Math.round(toSec * sttSampleRateHz);
  /** Sample where the next stretch begins. */
  let partStartSample = Math.round(fromSec * sttSampleRateHz);
  let decodedSamples = 0;
  /** What was decoded behind the last cut, as bytes. */
  let carriedBytes: Uint8Array = new Uint8Array(0);

  /** The next samples within the part, as bytes; undefined where it ends. */
  function readBlock(): Uint8Array | undefined {
    if (decodedSamples >= endSample) return undefined;
    const block = decoder.read();
    if (block === undefined) return undefined;
    const blockStart = decodedSamples;
    decodedSamples += block.length;
    return floatToPcm(
      block.subarray(
        Math.max(0, partStartSample - blockStart),
        Math.max(0, endSample - blockStart),
      ),
    );
  }

  return {
    async step(maxSec, wavPath, signal) {
      const file = openForWritingSync(wavPath, "w+");
      try {
        const maxSamples = Math.round(maxSec * sttSampleRateHz);
        writeSync(file, joinBytes([wavHeader(sttSampleRateHz, undefined), carriedBytes]));
        let sampleCount = carriedBytes.length / bytesPerSample;
        let ended = false;
        for (let blocks = 1; sampleCount < maxSamples && !ended; blocks += 1) {
          const bytes = readBlock();
          if (bytes === undefined) ended = true;
          else {
            writeSync(file, bytes);
            sampleCount += bytes.length / bytesPerSample;
          }
          if (blocks % blocksPerYield === 0) await turn();
          signal.throwIfAborted();
        }
        // The last block may have gone too far.
        ended &&= sampleCount <= maxSamples;
        const cut = ended ? sampleCount : cutAtQuietest(file, sampleCount, maxSamples);
        writeSync(file, wavHeader(sttSampleRateHz, cut), 0);
        const part = {
          fromSec: partStartSample / sttSampleRateHz,
          toSec: (partStartSample + cut) / sttSampleRateHz,
          ended,
        };
        partStartSample += cut;
        return part;
      } finally {
        closeSync(file);
      }
    },
    close: () => decoder.close(),
  };

  /** Shortens a file of `sampleCount` samples to a quiet place before `maxSamples`, and keeps what was behind it. */
  function cutAtQuietest(file: number, sampleCount: number, maxSamples: number): number {
    const searchSamples = Math.min(quietSearchSec * sttSampleRateHz, Math.floor(maxSamples / 3));
    const tail = Buffer.alloc((sampleCount - maxSamples + searchSamples) * bytesPerSample);
    readSync(
      file,
      tail,
      0,
      tail.length,
      headerBytes + (maxSamples - searchSamples) * bytesPerSample,
    );
    const cutOffset = findQuietestSample(
      pcmToFloat(tail.subarray(0, searchSamples * bytesPerSample)),
      sttSampleRateHz,
    );
    carriedBytes = tail.subarray(cutOffset * bytesPerSample);
    const cut = maxSamples - searchSamples + cutOffset;
    ftruncateSync(file, headerBytes + cut * bytesPerSample);
    return cut;
  }
}
