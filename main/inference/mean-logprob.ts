// A model's confidence over several segments.

import type { TranscriptSegment } from "../contract/speech.ts";

/** Weighted by tokens, including end tokens; −∞ if there are no words. */
export function meanLogprob(segments: readonly TranscriptSegment[]): number {
  const tokens = segments.reduce((sum, segment) => sum + segment.tokens.length + 1, 0);
  return tokens === 0
    ? -Infinity
    : segments.reduce((sum, segment) => sum + segment.avgLogprob * (segment.tokens.length + 1), 0) /
        tokens;
}
