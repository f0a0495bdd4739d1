// Load on a server from a process of its own (load-client.ts), so that making it costs the measuring one nothing.

import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { LoadAnswer, LoadOrder } from "./load-client.ts";

export type Load = {
  /** @throws Error for an answer that is none of 200 */
  put(order: LoadOrder): Promise<LoadAnswer & { perSec: number }>;
  close(): void;
};

export function startLoad(): Load {
  const client = fork(join(import.meta.dirname, "load-client.ts"), [], { execArgv: [] });
  const exited = once(client, "exit").then(() => {
    throw new Error("the load client ended");
  });
  exited.catch(() => {});
  return {
    async put(order) {
      const answered = once(client, "message");
      client.send(order);
      const [answer] = (await Promise.race([answered, exited])) as [LoadAnswer];
      return { ...answer, perSec: (1000 * answer.requests) / answer.ms };
    },
    close: () => client.disconnect(),
  };
}
