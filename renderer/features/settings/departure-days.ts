// Groups what left the machine by day. Pure.

import type { Departure } from "../../../main/contract/network.ts";

/** The days in the order of their first departure. */
export const groupByDay = (
  departures: readonly Departure[],
): readonly (readonly [day: string, departures: readonly Departure[]])[] =>
  Array.from(Map.groupBy(departures, ({ day }) => day));
