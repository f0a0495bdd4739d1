// Splits decoded tokens at timestamps, as openai/whisper's transcribe.py does: a segment ends where two timestamps
// meet; unfinished text after the last pair is decoded again in another window.

import { secPerFrame } from "./configuration.ts";

/** Seconds in the window; tokens include their timestamps. */
export type TimedTokens = { startSec: number; endSec: number; tokens: number[] };

/**
 * @returns segments, and the position from which the window must be decoded again: its end if everything was decoded
 */
export function splitAtTimestamps(
  tokens: readonly number[],
  firstTimestamp: number,
  windowLengthSec: number,
): { segments: TimedTokens[]; processedSec: number } {
  const timestampSec = (token: number): number => (token - firstTimestamp) * secPerFrame;
  const isTimestamp = (token: number | undefined): boolean =>
    token !== undefined && token >= firstTimestamp;
  const cutIndices = tokens.flatMap((token, index) =>
    index > 0 && isTimestamp(token) && isTimestamp(tokens[index - 1]) ? [index] : [],
  );
  const endsWithSingleTimestamp = isTimestamp(tokens.at(-1)) && !isTimestamp(tokens.at(-2));
  if (cutIndices.length === 0) {
    const last = tokens.findLast(isTimestamp);
    const endSec =
      last === undefined || last === firstTimestamp ? windowLengthSec : timestampSec(last);
    return {
      segments: [{ startSec: 0, endSec, tokens: [...tokens] }],
      processedSec: windowLengthSec,
    };
  }
  const segmentEnds = endsWithSingleTimestamp ? [...cutIndices, tokens.length] : cutIndices;
  const segments = segmentEnds.map((to, index) => {
    const part = tokens.slice(segmentEnds[index - 1] ?? 0, to);
    return {
      startSec: timestampSec(part[0] as number),
      endSec: timestampSec(part.at(-1) as number),
      tokens: part,
    };
  });
  return {
    segments,
    processedSec: endsWithSingleTimestamp
      ? windowLengthSec
      : Math.min(windowLengthSec, segments.at(-1)?.endSec ?? windowLengthSec),
  };
}
