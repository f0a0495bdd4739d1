// Health of a channel: condition, tone and success rate. Pure.

import type { ChannelView } from "../../../main/contract/channels.ts";

const conditions = [
  "off",
  "offline",
  "waiting",
  "well",
  "shaky",
  "resting",
  "refused",
  "unlisted",
] as const;
export type Condition = (typeof conditions)[number];

export const toneOf: Record<Condition, "good" | "warn" | "bad" | "none"> = {
  off: "none",
  offline: "none",
  waiting: "none",
  well: "good",
  shaky: "warn",
  resting: "bad",
  refused: "bad",
  unlisted: "bad",
};

/** Share of failed requests since the start from which a channel counts as shaky. */
const shakyFailureRate = 0.1;

/**
 * `offline`: not contacted because Offline is switched on. `waiting`: enabled, no requests yet. `unlisted`: its models
 * could not be listed, so it gets no requests; `refused`: the same, because its key was rejected. `resting`: it failed
 * so often that it gets no requests for a while.
 */
export function conditionOf({
  enabled,
  isBlocked,
  health,
  listError,
  isKeyRefused,
  models,
  listedAtMs,
}: Pick<
  ChannelView,
  "enabled" | "isBlocked" | "health" | "listError" | "isKeyRefused" | "models" | "listedAtMs"
>): Condition {
  if (!enabled) return "off";
  if (isBlocked === true) return "offline";
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

/** 0 to 1; undefined if there were no requests. */
export const successRate = ({ successes, failures }: ChannelView["health"]): number | undefined =>
  successes + failures === 0 ? undefined : successes / (successes + failures);
