// What a model made of clips, and the errors and speed of all of them. Pure.

import type { CallResult } from "../../api/client.ts";

export type TrialTranscript = {
  /** Name of the clip. */
  readonly clip: string;
  readonly text: string;
  readonly tookMs: number;
  /** If the reference text is known. */
  readonly measured?: CallResult<"addMeasurement">;
};

export type MeasuredTotal = {
  readonly unit: "words" | "characters";
  /** Words or characters of the reference texts. */
  readonly length: number;
  readonly errors: number;
  readonly rate: number;
  /** Seconds of audio per second of work. */
  readonly speed: number | undefined;
  readonly memoryBytes: number | undefined;
};

/** @returns undefined if no reference text is known */
export function totalOf(transcripts: readonly TrialTranscript[]): MeasuredTotal | undefined {
  const clips = transcripts.flatMap(({ tookMs, measured }) =>
    measured === undefined ? [] : [{ tookMs, ...measured }],
  );
  const [first] = clips;
  if (first === undefined) return undefined;
  const sum = (valueOf: (clip: (typeof clips)[number]) => number): number =>
    clips.reduce((total, clip) => total + valueOf(clip), 0);
  const length = sum((clip) => clip.length);
  const errors = sum(({ substituted, deleted, inserted }) => substituted + deleted + inserted);
  const memory = clips.flatMap(({ memoryBytes }) => memoryBytes ?? []);
  return {
    unit: first.unit,
    length,
    errors,
    rate: errors === 0 ? 0 : errors / Math.max(1, length),
    speed: clips.some(({ speed }) => speed === undefined)
      ? undefined
      : sum(({ speed = 0, tookMs }) => speed * tookMs) / sum(({ tookMs }) => tookMs),
    memoryBytes: memory.length === 0 ? undefined : Math.max(...memory),
  };
}
