// /app/usage: totals of usage, cost and savings.

import { usageReport } from "../../usage/report.ts";
import type { GatewayDeps } from "../route-context.ts";
import type { Handlers } from "./handlers.ts";

export function usageHandlers(deps: GatewayDeps): Handlers<"readUsage"> {
  return { readUsage: (query) => usageReport(deps, query) };
}
