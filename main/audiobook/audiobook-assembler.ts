// Joins takes and pauses in a child process, to measure their loudness or to write a file. A session of many small
// steps, since an audiobook takes longer than the limit of one task.

import { type AudiobookFileOptions, openAudiobookFile } from "./audiobook-file.ts";
import { openLoudnessNormalizer, openLoudnessMeter } from "../audio/dsp/loudness.ts";
import { readTake, takeSampleRateHz } from "./take-file.ts";

/** A take and the silence after it; without a take, silence only. */
export type AudiobookPart = { wavPath?: string; pauseSec: number; gainDb?: number };

/** Result: the measured loudness, or a file, which is normalized if the loudness of the whole audiobook is given. */
export type AssemblyPass =
  | { kind: "measure" }
  | { kind: "write"; file: Omit<AudiobookFileOptions, "sampleRateHz">; measuredLufs?: number };

export type AudiobookAssembler = {
  add(parts: readonly AudiobookPart[], signal: AbortSignal): Promise<void>;
  finish(): { lufs?: number };
  close(): void;
};

/** Rounded to samples, as audiobook-plan.ts does for chapters and subtitles. */
const toSamples = (sec: number): number => Math.round(sec * takeSampleRateHz);

export function openAudiobookAssembler(pass: AssemblyPass): AudiobookAssembler {
  const sink = pass.kind === "measure" ? createMeasuringSink() : createFileSink(pass);
  return {
    async add(parts, signal) {
      for (const { wavPath, pauseSec, gainDb = 0 } of parts) {
        signal.throwIfAborted();
        if (wavPath !== undefined) sink.write(amplify(await readTake(wavPath), gainDb));
        const silence = toSamples(pauseSec);
        if (silence > 0) sink.write(new Float32Array(silence));
      }
    },
    finish: sink.finish,
    close: sink.close,
  };
}

const amplify = (samples: Float32Array, gainDb: number): Float32Array =>
  gainDb === 0 ? samples : samples.map((sample) => sample * 10 ** (gainDb / 20));

type Sink = { write(samples: Float32Array): void; finish(): { lufs?: number }; close(): void };

function createMeasuringSink(): Sink {
  const meter = openLoudnessMeter(takeSampleRateHz);
  return {
    write: meter.add,
    finish() {
      const lufs = meter.lufs();
      return lufs === undefined ? {} : { lufs };
    },
    close: meter.close,
  };
}

function createFileSink({ file, measuredLufs }: Extract<AssemblyPass, { kind: "write" }>): Sink {
  const audiobookFile = openAudiobookFile({ ...file, sampleRateHz: takeSampleRateHz });
  const normalizer =
    measuredLufs === undefined ? undefined : openLoudnessNormalizer(measuredLufs, takeSampleRateHz);
  return {
    write: (samples) =>
      audiobookFile.write(normalizer === undefined ? samples : normalizer.run(samples)),
    finish() {
      if (normalizer !== undefined) audiobookFile.write(normalizer.finish());
      audiobookFile.finish();
      return {};
    },
    close() {
      normalizer?.close();
      audiobookFile.close();
    },
  };
}
