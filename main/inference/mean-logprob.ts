// How sure a model was of what it wrote, over several segments.

import type { TranscriptSegment } from "../contract/speech.ts";

/** By tokens, ends included; −∞ where there is no word. */
export function meanLogprob(segments: readonly TranscriptSegment[]): number {
  const tokens = segments.reduce((sum, segment) => sum + segment.tokens.length + 1, 0);
  return tokens === 0
    ? -Infinity
    : segments.reduce((sum, segment) => sum + segment.avgLogprob * (segment.tokens.length + 1), 0) /
        tokens;
}
