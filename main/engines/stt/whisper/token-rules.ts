// Which tokens may come next, by openai/whisper's decoding rules: suppressed tokens, tokens suppressed at the start,
// and timestamps in pairs that never decrease.

import { maxLogit, logSumExp } from "../decoder-step.ts";
import type { WhisperConfiguration } from "./configuration.ts";

/**
 * Excludes tokens by setting their logits to −∞, in place.
 * @param chosenTokens the tokens of this window so far, without the prompt
 */
export function applyTokenRules(
  logits: Float32Array,
  chosenTokens: readonly number[],
  withTimestamps: boolean,
  configuration: WhisperConfiguration,
): void {
  for (const token of configuration.suppressed) logits[token] = -Infinity;
  if (chosenTokens.length === 0)
    for (const token of configuration.suppressedAtStart) logits[token] = -Infinity;
  if (withTimestamps) applyTimestampRules(logits, chosenTokens, configuration);
}

function applyTimestampRules(
  logits: Float32Array,
  chosenTokens: readonly number[],
  configuration: WhisperConfiguration,
): void {
  const { firstTimestamp, noTimestampsToken, endToken, maxInitialTimestamp } = configuration;
  const isTimestamp = (token: number | undefined): boolean =>
    token !== undefined && token >= firstTimestamp;
  logits[noTimestampsToken] = -Infinity;
  const followsTimestamp = isTimestamp(chosenTokens.at(-1));
  const followsTimestampPair =
    followsTimestamp && (chosenTokens.length < 2 || isTimestamp(chosenTokens.at(-2)));
  // Timestamps come in pairs where one segment ends and the next begins; only the first and the last one are single.
  if (followsTimestampPair) logits.fill(-Infinity, firstTimestamp);
  else if (followsTimestamp) logits.fill(-Infinity, 0, endToken);
  const lastTimestamp = chosenTokens.findLast(isTimestamp);
  // A segment may start where the previous one ended, but must not be empty.
  if (lastTimestamp !== undefined)
    logits.fill(
      -Infinity,
      firstTimestamp,
      followsTimestamp && !followsTimestampPair ? lastTimestamp : lastTimestamp + 1,
    );
  if (chosenTokens.length === 0) {
    logits.fill(-Infinity, 0, firstTimestamp);
    logits.fill(-Infinity, firstTimestamp + maxInitialTimestamp + 1);
  }
  // If all timestamps together are more probable than any other token, the next token must be a timestamp.
  const textLogits = logits.subarray(0, firstTimestamp);
  const timestampLogits = logits.subarray(firstTimestamp);
  if (logSumExp(timestampLogits) > maxLogit(textLogits)) textLogits.fill(-Infinity);
}
