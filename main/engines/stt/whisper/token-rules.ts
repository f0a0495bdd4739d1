// Which tokens may come next, as openai/whisper's decoding rules have it: tokens never written, tokens never
// written first, and timestamps in pairs that do not go back.

import { maxLogit, logSumExp } from "../decoder-step.ts";
import type { WhisperConfiguration } from "./configuration.ts";

/**
 * Rules out tokens by setting their logits to −∞, in place.
 * @param chosenTokens the tokens of this window so far, the prompt left out
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
  // They come in pairs: where one segment ends and the next begins; the first and the last one stand alone.
  if (followsTimestampPair) logits.fill(-Infinity, firstTimestamp);
  else if (followsTimestamp) logits.fill(-Infinity, 0, endToken);
  const lastTimestamp = chosenTokens.findLast(isTimestamp);
  // A segment may begin where the one before ended, but it may not be empty.
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
  // All timestamps together more probable than any other token: it is time for one.
  const textLogits = logits.subarray(0, firstTimestamp);
  const timestampLogits = logits.subarray(firstTimestamp);
  if (logSumExp(timestampLogits) > maxLogit(textLogits)) textLogits.fill(-Infinity);
}
