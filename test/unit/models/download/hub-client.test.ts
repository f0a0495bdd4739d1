import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { expect, it, onTestFinished, vi } from "vitest";
import { createProxyDispatcher } from "../../../../main/models/download/dispatcher.ts";
import { createHubClient } from "../../../../main/models/download/hub-client.ts";
import { contentOf, graph, openDownloads, openHub } from "../../../support/model-downloads.ts";

/** A proxy of the environment. @returns the hosts that it was asked to connect to */
async function openProxy({ accepts }: { accepts: boolean }): Promise<string[]> {
  const hosts: string[] = [];
  const proxy = createServer();
  proxy.on("connect", ({ url = "" }, client) => {
    hosts.push(url);
    if (!accepts) {
      client.end("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n");
      return;
    }
    const { hostname, port } = new URL(`http://${url}`);
    const server = connect(Number(port), hostname, () => {
      client.write("HTTP/1.1 200 OK\r\n\r\n");
      server.pipe(client).pipe(server);
    });
    for (const socket of [server, client]) socket.on("error", () => server.destroy());
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  vi.stubEnv("http_proxy", `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`);
  vi.stubEnv("no_proxy", "");
  onTestFinished(() => {
    vi.unstubAllEnvs();
    proxy.closeAllConnections();
    proxy.close();
  });
  return hosts;
}

async function openWithProxy(options: { accepts: boolean }) {
  const hub = await openHub();
  const hosts = await openProxy(options);
  const dispatcher = createProxyDispatcher();
  onTestFinished(() => dispatcher.destroy());
  const client = createHubClient({ dispatcher, stallMs: 10_000 });
  return { hub, hosts, downloads: await openDownloads([hub], { client }) };
}

it("connects through the proxy that the environment names", async () => {
  const { hub, hosts, downloads } = await openWithProxy({ accepts: true });
  const done = downloads.reached("done");
  downloads.start("silero", { acceptLicence: false });
  await done;
  expect(hosts).toContain(new URL(hub.baseUrl).host);
  expect(hub.sentBytes(graph)).toBe(contentOf(graph).length);
});

it("reports a proxy that refuses the connection", async () => {
  const { hub, downloads } = await openWithProxy({ accepts: false });
  const failed = downloads.reached("failed");
  downloads.start("silero", { acceptLicence: false });
  expect((await failed).error).toMatchObject({
    id: "download.proxy",
    message: expect.stringContaining("HTTPS_PROXY"),
  });
  expect(hub.requests).toEqual([]);
});
