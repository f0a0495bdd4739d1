// Splits a range of a media file into WAV files that are short enough for every provider, with the cuts at the quietest
// positions.

import { closeSync, readSync } from "node:fs";
import { setImmediate as turn } from "node:timers/promises";
import { type DecoderOptions, openDecoder } from "../../audio/codec/decode.ts";
import { joinBytes, wavHeader } from "../../audio/codec/framing.ts";
import { floatToPcm, pcmToFloat } from "../../audio/codec/pcm.ts";
import { findQuietestSample } from "../../audio/dsp/quietest-sample.ts";
import { ftruncateSync, openForWritingSync, writeSync } from "../../storage/disk.ts";
import { sttSampleRateHz } from "../engine.ts";

/** Times in the file, in seconds; both are the same if nothing was written. */
export type WavPart = { fromSec: number; toSec: number; ended: boolean };

export type WavSplitter = {
  /** Writes the next part, at most `maxSec` long. */
  step(maxSec: number, wavPath: string, signal: AbortSignal): Promise<WavPart>;
  close(): void;
};

/** The cut is searched in this much audio at the end of a part, but in no more than its last third. */
const quietSearchSec = 30;
/** Number of blocks decoded between two checks for cancellation. */
const blocksPerYield = 100;
const headerBytes = wavHeader(sttSampleRateHz, 0).length;
const bytesPerSample = 2;

/** @throws AppError if the file cannot be decoded */
export function openWavSplitter(
  mediaPath: string,
  fromSec: number,
  toSec: number | undefined,
  options: Omit<DecoderOptions, "sampleRateHz"> = {},
): WavSplitter {
  const decoder = openDecoder(mediaPath, { ...options, sampleRateHz: sttSampleRateHz });
  const endSample = toSec === undefined ? Infinity : Math.round(toSec * sttSampleRateHz);
  /** Sample where the next part starts. */
  let partStartSample = Math.round(fromSec * sttSampleRateHz);
  let decodedSamples = 0;
  /** Audio decoded after the last cut, as bytes. */
  let carriedBytes: Uint8Array = new Uint8Array(0);

  /** The next samples of the range, as bytes; undefined at its end. */
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
        // The last block may go past `maxSamples`.
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

  /**
   * Shortens a file of `sampleCount` samples to a quiet position before `maxSamples`, and keeps the rest for the next
   * part.
   */
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
