import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { request } from "undici";
import { afterEach, expect, it, onTestFinished, vi } from "vitest";
import { AppError } from "../../../main/contract/errors.ts";
import { createOutbound } from "../../../main/network/outbound.ts";
import { createProxyDispatcher } from "../../../main/network/proxies.ts";
import { openProxy } from "../../support/proxy.ts";

afterEach(() => vi.unstubAllEnvs());

/** @returns its port */
async function openServer(): Promise<number> {
  const server = createServer((_, response) => response.end("here"));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

function useProxy(url: string): void {
  for (const name of ["http_proxy", "https_proxy"]) vi.stubEnv(name, url);
  vi.stubEnv("no_proxy", "");
}

function openDispatcher(findSystemProxy?: Parameters<typeof createProxyDispatcher>[0]) {
  const { dispatcher, destroy } = createProxyDispatcher(findSystemProxy);
  onTestFinished(destroy);
  return dispatcher;
}

const read = async (url: string, dispatcher: ReturnType<typeof openDispatcher>): Promise<string> =>
  (await request(url, { dispatcher })).body.text();

it("reaches this machine without a proxy, with Offline on and off", async () => {
  const proxy = await openProxy();
  useProxy(proxy.url);
  const port = await openServer();
  for (const isOffline of [false, true]) {
    const outbound = createOutbound(() => isOffline, { add: () => {} });
    const dispatcher = outbound.guard(openDispatcher(), { kind: "model-download", name: "" });
    for (const host of ["127.0.0.1", "localhost"])
      expect(await read(`http://${host}:${port}/`, dispatcher)).toBe("here");
  }
  expect(proxy.hosts).toEqual([]);
});

it("asks no proxy with Offline on, not even one on this machine", async () => {
  const proxy = await openProxy();
  useProxy(proxy.url);
  const findSystemProxy = vi.fn<() => Promise<string>>(async () => proxy.url);
  const outbound = createOutbound(() => true, { add: () => {} });
  const dispatcher = outbound.guard(openDispatcher(findSystemProxy), { kind: "update", name: "" });
  await expect(read("http://hub.test/", dispatcher)).rejects.toMatchObject({ key: "offline" });
  expect(proxy.hosts).toEqual([]);
  expect(findSystemProxy).not.toHaveBeenCalled();
});

it("follows NO_PROXY", async () => {
  const proxy = await openProxy();
  useProxy(proxy.url);
  vi.stubEnv("no_proxy", "invalid");
  const dispatcher = openDispatcher();
  await expect(read("http://hub.invalid/", dispatcher)).rejects.toMatchObject({
    code: expect.stringMatching(/ENOTFOUND|EAI_AGAIN/),
  });
  expect(await read(`http://hub.test:${await openServer()}/`, dispatcher)).toBe("here");
  expect(proxy.hosts).toHaveLength(1);
});

it("uses the system's proxy where the environment names none", async () => {
  useProxy("");
  const [proxy, ofEnvironment] = [await openProxy(), await openProxy()];
  const url = `http://hub.test:${await openServer()}/models`;
  const findSystemProxy = vi.fn<() => Promise<string>>(async () => proxy.url);
  expect(await read(url, openDispatcher(findSystemProxy))).toBe("here");
  expect(findSystemProxy).toHaveBeenCalledWith(new URL(url).origin + "/");
  useProxy(ofEnvironment.url);
  expect(await read(url, openDispatcher(findSystemProxy))).toBe("here");
  expect([proxy.hosts.length, ofEnvironment.hosts.length]).toEqual([1, 1]);
});

it("reports why the system's proxy was not asked", async () => {
  useProxy("");
  const dispatcher = openDispatcher(async () => {
    throw new AppError("offline.refused", { host: "hub.test" });
  });
  await expect(read("http://hub.test/", dispatcher)).rejects.toMatchObject({ key: "offline" });
});
