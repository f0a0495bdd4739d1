// /app/usage: what was used, spent and saved, summed.

import { usageReport } from "../../usage/report.ts";
import type { GatewayDeps } from "../route-context.ts";
import type { Handlers } from "./handlers.ts";

export function usageHandlers(deps: GatewayDeps): Handlers<"readUsage"> {
  return { readUsage: (query) => usageReport(deps, query) };
}
