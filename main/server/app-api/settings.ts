// /app/routing and /app/prices.

import type { GatewayDeps } from "../route-context.ts";
import type { Handlers } from "./handlers.ts";

export function settingsHandlers({
  configuration,
}: GatewayDeps): Handlers<"readRouting" | "changeRouting" | "readPrices" | "changePrices"> {
  return {
    readRouting: () => configuration.routing(),
    changeRouting(routing) {
      configuration.setRouting(routing);
      return configuration.routing();
    },
    readPrices: () => ({ prices: configuration.prices() }),
    changePrices({ prices }) {
      configuration.setPrices(prices);
      return { prices: configuration.prices() };
    },
  };
}
