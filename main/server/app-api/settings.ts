// /app/routing and /app/prices: who is asked for a name like `whisper-1`, and what a model costs.

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
