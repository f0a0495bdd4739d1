// A proxy on loopback that finds every name on loopback too: its clients reach servers of tests as `hub.test`.

import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { onTestFinished } from "vitest";

export type TestProxy = {
  url: string;
  /** Hosts of CONNECT requests, with their ports. */
  hosts: string[];
};

export async function openProxy({ refuses = false } = {}): Promise<TestProxy> {
  const hosts: string[] = [];
  const proxy = createServer();
  proxy.on("connect", ({ url = "" }, client) => {
    hosts.push(url);
    if (refuses) {
      client.end("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n");
      return;
    }
    const server = connect(Number(new URL(`http://${url}`).port), "127.0.0.1", () => {
      client.write("HTTP/1.1 200 OK\r\n\r\n");
      server.pipe(client).pipe(server);
    });
    for (const socket of [server, client]) {
      socket.on("error", () => server.destroy());
      onTestFinished(() => void socket.destroy());
    }
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  onTestFinished(() => {
    proxy.closeAllConnections();
    proxy.close();
  });
  return { url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, hosts };
}
