// Wires the way out to other machines: whether it is open, and the record of what left.

import { AppError } from "../contract/errors.ts";
import { createDepartures } from "../network/departures.ts";
import { createOutbound } from "../network/outbound.ts";
import { settingSources } from "../storage/settings/settings.ts";
import type { Foundation } from "./foundation.ts";
import type { WiredLibrary } from "./library.ts";
import type { WiredSettings } from "./settings.ts";

export type WiredNetwork = ReturnType<typeof wireNetwork>;

export function wireNetwork(
  { settings, events, log }: Foundation,
  { database }: WiredLibrary,
  { configuration }: WiredSettings,
) {
  const departures = createDepartures(database, log.child({ room: "network" }));
  // A switch given at the start takes precedence over the one in the window.
  const outbound = createOutbound(
    () => settings.isOffline ?? configuration.isOffline(),
    departures,
  );
  return {
    outbound,
    departures,
    isOfflineGiven: settings.isOffline !== undefined,
    /** @throws AppError `conflict` if it was given at the start */
    setOffline(isOffline: boolean): void {
      const { flag, variable } = settingSources.isOffline;
      if (settings.isOffline !== undefined) throw new AppError("offline.given", { flag, variable });
      configuration.setOffline(isOffline);
      outbound.changed();
      events.publish({ type: "offline" });
    },
  };
}
