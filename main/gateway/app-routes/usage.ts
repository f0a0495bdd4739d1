// /app/usage: what was used, spent and saved, summed.

import { usageReport } from '../../library/usage-report.ts';
import type { GatewayDeps } from '../routes/route-context.ts';
import type { Handlers } from './app-routes.ts';

export function usageHandlers(deps: GatewayDeps): Handlers<'readUsage'> {
  return { readUsage: (query) => usageReport(deps, query) };
}
