// Records a request by one rule, whoever sent it: it is done with its final event or the last bytes; the caller left if
// it aborted its own signal; everything else failed, including a loop that is left early without an abort.

import type { UsageRecord } from "../contract/usage.ts";
import type { Meter, Metering } from "../usage/metering.ts";

/** Who is charged. */
export type RequestMeter =
  | {
      /** Who sent the request: id of a key, or one of `ownCallers`. */
      caller: string;
    }
  | {
      /** The meter of a request that is not over with the job; whoever started it ends it. */
      meter: Meter;
    };

/** @param options `signal` is aborted only by the caller, who has left then. */
export async function* recordRequest<Event>(
  metering: Metering,
  endpoint: UsageRecord["endpoint"],
  options: RequestMeter & { signal: AbortSignal },
  isFinal: (event: Event) => boolean,
  serveWith: (meter: Meter) => AsyncIterable<Event>,
): AsyncGenerator<Event, void, undefined> {
  const meter = "meter" in options ? options.meter : metering.start(options.caller, endpoint);
  let isDone = false;
  let failure: unknown;
  try {
    for await (const event of serveWith(meter)) {
      isDone ||= isFinal(event);
      yield event;
    }
    isDone = true;
  } catch (error) {
    failure = error;
    throw error;
  } finally {
    if (!isDone) meter.fail(failure, options.signal.aborted);
    if ("caller" in options) meter.end();
  }
}
