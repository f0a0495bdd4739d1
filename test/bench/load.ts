// Generates load in a separate process (load-client.ts), so that it does not slow down the measuring process.

import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { LoadResult, LoadOptions } from "./load-client.ts";

export type Load = {
  /** @throws Error for a response other than 200 */
  run(options: LoadOptions): Promise<LoadResult & { perSec: number }>;
  close(): void;
};

export function startLoad(): Load {
  const client = fork(join(import.meta.dirname, "load-client.ts"), [], { execArgv: [] });
  const exited = once(client, "exit").then(() => {
    throw new Error("the load client ended");
  });
  exited.catch(() => {});
  return {
    async run(options) {
      const response = once(client, "message");
      client.send(options);
      const [result] = (await Promise.race([response, exited])) as [LoadResult];
      return { ...result, perSec: (1000 * result.requests) / result.ms };
    },
    close: () => client.disconnect(),
  };
}
