// Requests that hear or speak: the key's scope and budget before, a usage record after, and who served in a header.

import { AppError } from '../contract/errors.ts';
import { channelHeader } from '../contract/openai.ts';
import type { Scope, UsageRecord } from '../contract/usage.ts';
import { clientLeft, type Meter } from '../channels/metering.ts';
import type { KeyHolder } from '../settings/api-keys.ts';
import type { GatewayDeps, MeteredContext, RouteContext } from './routes/route-context.ts';

/** Whose request it is. `window`: the app's own page. */
export type Asker = KeyHolder | 'window';

export async function serveMetered(
  request: Request,
  asker: Asker,
  endpoint: UsageRecord['endpoint'],
  context: RouteContext,
  respond: (context: MeteredContext) => Promise<Response>,
): Promise<Response> {
  checkScope(asker, endpoint === 'speech' ? 'speak' : 'hear');
  checkBudget(asker, context.deps);
  const meter = context.deps.metering.start(asker === 'window' ? asker : asker.id, endpoint);
  const { metered } = meter;
  const count = (bytes: number): void => {
    metered.receivedBytes += bytes;
  };
  try {
    const response = await respond({ ...context, limits: { ...context.limits, count }, metered });
    const served = [metered.served.channel ?? [], metered.helpers].flat();
    if (served.length > 0) response.headers.set(channelHeader, asHeader(served.join(', ')));
    return whenSent(response, meter);
  } catch (error) {
    meter.end(request.signal.aborted ? clientLeft : error instanceof AppError ? error.row.status : 500);
    throw error;
  }
}

/** @throws AppError where the key is not for this. */
export function checkScope(asker: Asker, ...anyOf: readonly Scope[]): void {
  if (asker === 'window' || anyOf.some((scope) => asker.scopes.includes(scope))) return;
  throw new AppError('scope_missing', `The API key '${asker.name}' may not do this: it lacks the scope '${anyOf.join("' or '")}'.`);
}

function checkBudget(asker: Asker, { usage }: GatewayDeps): void {
  if (asker === 'window' || asker.monthlyBudgetUsd === undefined) return;
  const now = new Date();
  const monthMs = new Date(now.getFullYear(), now.getMonth(), 1).getTime();
  if (usage.spentUsd(asker.id, monthMs, asker.budgetCountsLocal) < asker.monthlyBudgetUsd) return;
  const retryAfterSec = (new Date(now.getFullYear(), now.getMonth() + 1, 1).getTime() - now.getTime()) / 1000;
  throw new AppError('budget_used_up', `The API key '${asker.name}' has used up its budget of ${asker.monthlyBudgetUsd} USD for this month.`, { retryAfterSec });
}

/** Channel names are people's: a header takes only some characters. */
const asHeader = (name: string): string => name.replaceAll(/[^\x20-\x7E]/g, '?');

/** Ends the record with the answer: at once where its size is known, else with its last byte. */
function whenSent(response: Response, meter: Meter): Response {
  const { metered } = meter;
  if (response.headers.get('transfer-encoding') !== 'chunked' || response.body === null) {
    metered.sentBytes = Number(response.headers.get('content-length') ?? 0);
    meter.end(response.status);
    return response;
  }
  const reader = response.body.getReader();
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (done) {
            meter.end(response.status);
            controller.close();
          } else {
            metered.sentBytes += value.length;
            controller.enqueue(value);
          }
        } catch (error) {
          meter.end(error instanceof AppError ? error.row.status : 500);
          throw error;
        }
      },
      async cancel(reason) {
        meter.end(clientLeft);
        await reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(body, response);
}
