// Reads the timestamps a window was decoded with, as openai/whisper's transcribe.py does: a segment ends where two
// of them meet; what follows the last pair unfinished is heard again.

import { secPerFrame } from "./configuration.ts";

/** Seconds in the window; tokens with their timestamps. */
export type TimedTokens = { startSec: number; endSec: number; tokens: number[] };

/** @returns segments, and the place from which the window must be heard again: its end where all was heard */
export function splitAtTimestamps(
  tokens: readonly number[],
  firstTimestamp: number,
  lengthSec: number,
): { segments: TimedTokens[]; heardSec: number } {
  const timeOf = (token: number): number => (token - firstTimestamp) * secPerFrame;
  const isTimestamp = (token: number | undefined): boolean =>
    token !== undefined && token >= firstTimestamp;
  const cuts = tokens.flatMap((token, index) =>
    index > 0 && isTimestamp(token) && isTimestamp(tokens[index - 1]) ? [index] : [],
  );
  const endsWithOne = isTimestamp(tokens.at(-1)) && !isTimestamp(tokens.at(-2));
  if (cuts.length === 0) {
    const last = tokens.findLast(isTimestamp);
    const endSec = last === undefined || last === firstTimestamp ? lengthSec : timeOf(last);
    return { segments: [{ startSec: 0, endSec, tokens: [...tokens] }], heardSec: lengthSec };
  }
  const ends = endsWithOne ? [...cuts, tokens.length] : cuts;
  const segments = ends.map((to, index) => {
    const part = tokens.slice(ends[index - 1] ?? 0, to);
    return {
      startSec: timeOf(part[0] as number),
      endSec: timeOf(part.at(-1) as number),
      tokens: part,
    };
  });
  return {
    segments,
    heardSec: endsWithOne ? lengthSec : Math.min(lengthSec, segments.at(-1)?.endSec ?? lengthSec),
  };
}
