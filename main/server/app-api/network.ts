// /app/offline and /app/departures: whether other machines are contacted, and what left this one.

import type { Departures } from "../../network/departures.ts";
import type { Outbound } from "../../network/outbound.ts";
import type { AppApiRoutes } from "./handlers.ts";

export type NetworkDeps = {
  outbound: Pick<Outbound, "isOffline">;
  departures: Pick<Departures, "list" | "clear">;
  /** @throws AppError `conflict` if it was given at the start */
  setOffline(isOffline: boolean): void;
};

export function networkRoutes({ outbound, departures, setOffline }: NetworkDeps): AppApiRoutes {
  return {
    handlers: {
      changeOffline({ isOffline }) {
        setOffline(isOffline);
        return { isOffline: outbound.isOffline() };
      },
      listDepartures: () => ({ departures: departures.list() }),
      clearDepartures() {
        departures.clear();
        return { departures: departures.list() };
      },
    },
    rawRoutes: [],
  };
}
