// The least an HTTP server in Node can do: a body it was given, to whoever asks.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

process.once("message", (message) => {
  const { body } = message as { body: string };
  const server = createServer((_, response) => {
    response.writeHead(200, {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
    });
    response.end(body);
  });
  server.listen(0, "127.0.0.1", () =>
    process.send?.({ port: (server.address() as AddressInfo).port }),
  );
});
process.on("disconnect", () => process.exit());
