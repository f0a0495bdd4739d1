// Takes and pauses put one after the other in a child: measured for their loudness, or written as a file. A session
// of many small steps, since a book takes longer than one task may.

import { type BookFileOptions, openBookFile } from "./book-file.ts";
import { openLoudnessChange, openLoudnessMeter } from "../audio/dsp/loudness.ts";
import { readTake, takeRateHz } from "./take-file.ts";

/** A take and the silence after it; without a take, silence alone. */
export type BookPart = { wavPath?: string; pauseSec: number };

/** What comes of the parts: a file, brought to a loudness where that of the whole is told; else the loudness itself. */
export type BookAim =
  | { kind: "measure" }
  | { kind: "write"; file: Omit<BookFileOptions, "sampleRateHz">; measuredLufs?: number };

export type BookMaking = {
  add(parts: readonly BookPart[], signal: AbortSignal): Promise<void>;
  finish(): { lufs?: number };
  close(): void;
};

/** Samples of a part, as its length in the file: the planner of chapters and subtitles counts the same. */
const samplesOf = (sec: number): number => Math.round(sec * takeRateHz);

export function openBookMaking(aim: BookAim): BookMaking {
  const sink = aim.kind === "measure" ? measuring() : writing(aim);
  return {
    async add(parts, signal) {
      for (const { wavPath, pauseSec } of parts) {
        signal.throwIfAborted();
        if (wavPath !== undefined) sink.take(await readTake(wavPath));
        const silence = samplesOf(pauseSec);
        if (silence > 0) sink.take(new Float32Array(silence));
      }
    },
    finish: sink.finish,
    close: sink.close,
  };
}

type Sink = { take(samples: Float32Array): void; finish(): { lufs?: number }; close(): void };

function measuring(): Sink {
  const meter = openLoudnessMeter(takeRateHz);
  return {
    take: meter.take,
    finish() {
      const lufs = meter.lufs();
      return lufs === undefined ? {} : { lufs };
    },
    close: meter.close,
  };
}

function writing({ file, measuredLufs }: Extract<BookAim, { kind: "write" }>): Sink {
  const book = openBookFile({ ...file, sampleRateHz: takeRateHz });
  const change =
    measuredLufs === undefined ? undefined : openLoudnessChange(measuredLufs, takeRateHz);
  return {
    take: (samples) => book.write(change === undefined ? samples : change.run(samples)),
    finish() {
      if (change !== undefined) book.write(change.finish());
      book.finish();
      return {};
    },
    close() {
      change?.close();
      book.close();
    },
  };
}
