// Which tokens may come next, as openai/whisper's decoding rules have it: tokens never written, tokens never
// written first, and timestamps in pairs that do not go back.

import { largest, logSum } from "../decoder-step.ts";
import type { WhisperConfiguration } from "./configuration.ts";

/**
 * Rules out tokens by setting their logits to −∞, in place.
 * @param chosen the tokens of this window so far, the prompt left out
 */
export function applyRules(
  logits: Float32Array,
  chosen: readonly number[],
  timestamps: boolean,
  configuration: WhisperConfiguration,
): void {
  for (const token of configuration.suppressed) logits[token] = -Infinity;
  if (chosen.length === 0)
    for (const token of configuration.suppressedFirst) logits[token] = -Infinity;
  if (timestamps) applyTimestampRules(logits, chosen, configuration);
}

function applyTimestampRules(
  logits: Float32Array,
  chosen: readonly number[],
  configuration: WhisperConfiguration,
): void {
  const { firstTimestamp, noTimestampsToken, endToken, maxInitialTimestamp } = configuration;
  const isTimestamp = (token: number | undefined): boolean =>
    token !== undefined && token >= firstTimestamp;
  logits[noTimestampsToken] = -Infinity;
  const afterOne = isTimestamp(chosen.at(-1));
  const afterTwo = afterOne && (chosen.length < 2 || isTimestamp(chosen.at(-2)));
  // They come in pairs: where one segment ends and the next begins; the first and the last one stand alone.
  if (afterTwo) logits.fill(-Infinity, firstTimestamp);
  else if (afterOne) logits.fill(-Infinity, 0, endToken);
  const latest = chosen.findLast(isTimestamp);
  // A segment may begin where the one before ended, but it may not be empty.
  if (latest !== undefined)
    logits.fill(-Infinity, firstTimestamp, afterOne && !afterTwo ? latest : latest + 1);
  if (chosen.length === 0) {
    logits.fill(-Infinity, 0, firstTimestamp);
    logits.fill(-Infinity, firstTimestamp + maxInitialTimestamp + 1);
  }
  // All timestamps together more probable than any other token: it is time for one.
  const text = logits.subarray(0, firstTimestamp);
  const times = logits.subarray(firstTimestamp);
  if (logSum(times) > largest(text)) text.fill(-Infinity);
}
