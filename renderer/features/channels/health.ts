// How a channel fares, in one word and a tone, and as a share of what went well. Pure.

import type { ChannelView } from "../../../main/contract/channels.ts";

const conditions = ["off", "waiting", "well", "shaky", "resting", "refused", "unlisted"] as const;
export type Condition = (typeof conditions)[number];

export const toneOf: Record<Condition, "good" | "warn" | "bad" | "none"> = {
  off: "none",
  waiting: "none",
  well: "good",
  shaky: "warn",
  resting: "bad",
  refused: "bad",
  unlisted: "bad",
};

/** From this share of failures on, among the requests since the start, a channel is called shaky. */
const shakyFailureRate = 0.1;

/**
 * `waiting`: switched on, and nothing is known yet. `unlisted`: its models could not be read, so it is asked nothing; `refused`: since its key is not accepted.
 * `resting`: it failed so often that it is left alone for a while.
 */
export function conditionOf({
  enabled,
  health,
  listError,
  isKeyRefused,
  models,
  listedAtMs,
}: Pick<
  ChannelView,
  "enabled" | "health" | "listError" | "isKeyRefused" | "models" | "listedAtMs"
>): Condition {
  if (!enabled) return "off";
  if (health.state !== "closed") return "resting";
  if (listError !== undefined)
    return isKeyRefused === true ? "refused" : models === 0 ? "unlisted" : "shaky";
  if (
    health.failures > 0 &&
    health.failures / (health.successes + health.failures) >= shakyFailureRate
  )
    return "shaky";
  return listedAtMs === undefined && health.successes === 0 ? "waiting" : "well";
}

/** 0 to 1; undefined: nothing was asked. */
export const successRate = ({ successes, failures }: ChannelView["health"]): number | undefined =>
  successes + failures === 0 ? undefined : successes / (successes + failures);
