// Cuts the speech of a media file, or of a part of it, into WAV files: what is silent for long is in none of them, since
// those who hear elsewhere are paid by the second. Where nothing but silence is looked for, cutting.ts does it.

import { setImmediate as turn } from "node:timers/promises";
import { openDecoder } from "../../audio/codec/decode.ts";
import { joinBytes, wavHeader } from "../../audio/codec/framing.ts";
import { createLeveller } from "../../audio/dsp/level.ts";
import { floatToPcm, joinSamples } from "../../audio/codec/pcm.ts";
import { createCutter, type PieceSpan, sentencePolicy } from "../../audio/dsp/segments.ts";
import { writeFileSync } from "../../storage/disk.ts";
import { frameSamples, type Silero } from "../vad/silero.ts";
import type { Cutting } from "./cutting.ts";
import { listeningRateHz } from "./listening.ts";

/** What may be speech is sent: whoever hears it knows better. */
const carefulPolicy = {
  ...sentencePolicy,
  enterProb: 0.35,
  quitProb: 0.2,
  leadSec: 0.5,
  tailSec: 0.5,
};
/** A shorter pause is sent with the speech around it: it costs less than another request, and keeps the context. */
const longPauseSec = 10;
/** A piece that the cutter has not told yet began no longer ago: it may wait for the end of another, which may be as long. */
const untoldSec = 4 * carefulPolicy.maxSec;
const windowSec = 10;
/** Hours of silence are passed over in several steps: a task may not take for ever. */
const maxListenedSec = 1200;

/** @throws AppError where the file cannot be decoded */
export function openSpeechCutting(
  silero: Silero,
  mediaPath: string,
  fromSec: number,
  toSec: number | undefined,
  maxDurationSec?: number,
): Cutting {
  const decoder = openDecoder(mediaPath, {
    sampleRateHz: listeningRateHz,
    ...(maxDurationSec === undefined ? {} : { maxDurationSec }),
  });
  const leveller = createLeveller(frameSamples, listeningRateHz);
  const detector = silero.createDetector();
  const cutter = createCutter(frameSamples / listeningRateHz, carefulPolicy);
  const begin = Math.round(fromSec * listeningRateHz);
  const end = toSec === undefined ? Infinity : Math.round(toSec * listeningRateHz);
  let decoded = 0;
  let isDecoded = false;
  /** Of the part, not of the file: samples from `keptFrom` on. */
  let kept: Float32Array = new Float32Array(0);
  let keptFrom = 0;
  /** Pieces that belong to no stretch yet. */
  let pieces: PieceSpan[] = [];

  const listenedSec = (): number => (keptFrom + kept.length) / listeningRateHz;

  /** Nothing before it is of use any more. */
  const neededSec = (): number =>
    Math.max(0, Math.min(pieces[0]?.fromSec ?? Infinity, listenedSec() - untoldSec));

  /** Takes in some more of the sound, and the pieces that are final with it. */
  async function listen(signal: AbortSignal): Promise<void> {
    const blocks: Float32Array[] = [];
    const until = decoded + windowSec * listeningRateHz;
    while (decoded < until && !isDecoded) {
      const block = decoded >= end ? undefined : decoder.read();
      if (block === undefined) isDecoded = true;
      else {
        blocks.push(block.subarray(Math.max(0, begin - decoded), Math.max(0, end - decoded)));
        decoded += block.length;
      }
    }
    await turn();
    signal.throwIfAborted();
    const samples = joinSamples(blocks);
    kept = joinSamples([kept, samples]);
    pieces.push(...cutter.push(await detector.push(leveller.level(samples))));
    if (isDecoded)
      pieces.push(...cutter.push(await detector.finish()), ...cutter.finish(listenedSec()));
    forget(neededSec());
  }

  function forget(beforeSec: number): void {
    const drop = Math.round(beforeSec * listeningRateHz) - keptFrom;
    // Not at every call: what stays is copied.
    if (drop < 30 * listeningRateHz) return;
    kept = kept.slice(drop);
    keptFrom += drop;
  }

  /** The pieces of the next stretch; undefined as long as more may belong to it. */
  function gathered(maxSec: number): number | undefined {
    const first = pieces[0];
    if (first === undefined) return isDecoded ? 0 : undefined;
    const ends = pieces.findIndex(
      (piece, at) =>
        at > 0 &&
        (piece.toSec - first.fromSec > maxSec ||
          piece.fromSec - (pieces[at - 1]?.toSec ?? 0) > longPauseSec),
    );
    if (ends > 0) return ends;
    const isOver =
      isDecoded || listenedSec() - (pieces.at(-1)?.toSec ?? 0) > longPauseSec + untoldSec;
    return isOver ? pieces.length : undefined;
  }

  function write(wavPath: string, pieceFromSec: number, pieceToSec: number): void {
    const [from, to] = [pieceFromSec, pieceToSec].map(
      (sec) => Math.round(sec * listeningRateHz) - keptFrom,
    );
    const samples = kept.subarray(Math.max(0, from ?? 0), to);
    writeFileSync(
      wavPath,
      joinBytes([wavHeader(listeningRateHz, samples.length), floatToPcm(samples)]),
    );
  }

  return {
    async step(maxSec, wavPath, signal) {
      const untilSec = listenedSec() + maxListenedSec;
      let count = gathered(maxSec);
      while (count === undefined && listenedSec() < untilSec) {
        await listen(signal);
        count = gathered(maxSec);
      }
      if (count === undefined)
        return { fromSec: fromSec + neededSec(), toSec: fromSec + neededSec(), ended: false };
      const [first, last] = [pieces[0], pieces[count - 1]];
      if (first === undefined || last === undefined)
        return { fromSec: fromSec + listenedSec(), toSec: fromSec + listenedSec(), ended: true };
      write(wavPath, first.fromSec, last.toSec);
      pieces = pieces.slice(count);
      return {
        fromSec: fromSec + first.fromSec,
        toSec: fromSec + last.toSec,
        ended: isDecoded && pieces.length === 0,
      };
    },
    close: () => decoder.close(),
  };
}
