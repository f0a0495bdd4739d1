// Load on a server from a process of its own (load-client.ts), so that making it costs the measuring one nothing.

import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { LoadResult, LoadOptions } from "./load-client.ts";

export type Load = {
  /** @throws Error for an answer that is none of 200 */
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
