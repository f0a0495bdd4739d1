// Cuts the sound of a media file, or of a part of it, into WAV files of a length that every provider takes, at its
// quietest moments.

import { closeSync, readSync } from "node:fs";
import { setImmediate as turn } from "node:timers/promises";
import { openDecoder } from "../../audio/codec/decode.ts";
import { joinBytes, wavHeader } from "../../audio/codec/framing.ts";
import { floatToPcm, pcmToFloat } from "../../audio/codec/pcm.ts";
import { quietPlace } from "../../audio/dsp/quiet-place.ts";
import { ftruncateSync, openForWritingSync, writeSync } from "../../storage/disk.ts";
import { listeningRateHz } from "./listening.ts";

/** Places in the file, in seconds; nothing was written where both are the same. */
export type Stretch = { fromSec: number; toSec: number; ended: boolean };

export type Cutting = {
  /** Writes the next stretch, `maxSec` long at most. */
  step(maxSec: number, wavPath: string, signal: AbortSignal): Promise<Stretch>;
  close(): void;
};

/** A quiet moment is looked for in the last so many seconds of a stretch, and in no more than the last third. */
const searchSec = 30;
/** So many blocks are decoded before a cancel is listened for. */
const blocksAtOnce = 100;
const headerBytes = wavHeader(listeningRateHz, 0).length;
const bytesPerSample = 2;

/** @throws AppError where the file cannot be decoded */
export function openCutting(
  mediaPath: string,
  fromSec: number,
  toSec: number | undefined,
  maxDurationSec?: number,
): Cutting {
  const decoder = openDecoder(mediaPath, {
    sampleRateHz: listeningRateHz,
    ...(maxDurationSec === undefined ? {} : { maxDurationSec }),
  });
  const end = toSec === undefined ? Infinity : Math.round(toSec * listeningRateHz);
  /** Sample where the next stretch begins. */
  let from = Math.round(fromSec * listeningRateHz);
  let decoded = 0;
  /** What was decoded behind the last cut, as bytes. */
  let carried: Uint8Array = new Uint8Array(0);

  /** The next samples within the part, as bytes; undefined where it ends. */
  function read(): Uint8Array | undefined {
    if (decoded >= end) return undefined;
    const block = decoder.read();
    if (block === undefined) return undefined;
    const at = decoded;
    decoded += block.length;
    return floatToPcm(block.subarray(Math.max(0, from - at), Math.max(0, end - at)));
  }

  return {
    async step(maxSec, wavPath, signal) {
      const file = openForWritingSync(wavPath, "w+");
      try {
        const most = Math.round(maxSec * listeningRateHz);
        writeSync(file, joinBytes([wavHeader(listeningRateHz, undefined), carried]));
        let length = carried.length / bytesPerSample;
        let ended = false;
        for (let blocks = 1; length < most && !ended; blocks += 1) {
          const bytes = read();
          if (bytes === undefined) ended = true;
          else {
            writeSync(file, bytes);
            length += bytes.length / bytesPerSample;
          }
          if (blocks % blocksAtOnce === 0) await turn();
          signal.throwIfAborted();
        }
        // The last block may have gone too far.
        ended &&= length <= most;
        const cut = ended ? length : cutOff(file, length, most);
        writeSync(file, wavHeader(listeningRateHz, cut), 0);
        const stretch = {
          fromSec: from / listeningRateHz,
          toSec: (from + cut) / listeningRateHz,
          ended,
        };
        from += cut;
        return stretch;
      } finally {
        closeSync(file);
      }
    },
    close: () => decoder.close(),
  };

  /** Shortens a file of `length` samples to a quiet place before `most`, and keeps what was behind it. */
  function cutOff(file: number, length: number, most: number): number {
    const search = Math.min(searchSec * listeningRateHz, Math.floor(most / 3));
    const tail = Buffer.alloc((length - most + search) * bytesPerSample);
    readSync(file, tail, 0, tail.length, headerBytes + (most - search) * bytesPerSample);
    const place = quietPlace(
      pcmToFloat(tail.subarray(0, search * bytesPerSample)),
      listeningRateHz,
    );
    carried = tail.subarray(place * bytesPerSample);
    const cut = most - search + place;
    ftruncateSync(file, headerBytes + cut * bytesPerSample);
    return cut;
  }
}
