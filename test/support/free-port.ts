// A port for a program that has to be told one.

import { once } from "node:events";
import { createServer } from "node:net";

/** Of 127.0.0.1, below the ports that systems give to other tests meanwhile. */
export async function findFreePort(): Promise<number> {
  for (;;) {
    const candidate = 20_000 + Math.floor(Math.random() * 10_000);
    const server = createServer().listen(candidate, "127.0.0.1");
    const isFree = await once(server, "listening").then(
      () => true,
      () => false,
    );
    server.close();
    if (isFree) return candidate;
  }
}
