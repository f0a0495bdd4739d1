import { expect, it, onTestFinished, vi } from "vitest";
import { createHubClient } from "../../../../main/models/download/hub-client.ts";
import { createProxyDispatcher } from "../../../../main/network/proxies.ts";
import { contentOf, graph, openDownloads, openHub } from "../../../support/model-downloads.ts";
import { openProxy, type TestProxy } from "../../../support/proxy.ts";

/** A hub on another machine, which only the proxy of the environment finds. */
async function openBehind({ url }: Pick<TestProxy, "url">) {
  vi.stubEnv("http_proxy", url);
  vi.stubEnv("no_proxy", "");
  const hub = await openHub();
  const { dispatcher, destroy } = createProxyDispatcher();
  onTestFinished(async () => {
    vi.unstubAllEnvs();
    await destroy();
  });
  const baseUrl = hub.baseUrl.replace("127.0.0.1", "hub.test");
  const client = createHubClient({ dispatcher, stallMs: 10_000 });
  return { hub, baseUrl, downloads: await openDownloads([{ baseUrl }], { client }) };
}

it("connects through the proxy that the environment names, also where the hub redirects to", async () => {
  const proxy = await openProxy();
  const { hub, baseUrl, downloads } = await openBehind(proxy);
  const done = downloads.reached("done");
  await downloads.start("silero", { acceptLicence: false });
  await done;
  expect(proxy.hosts).toContain(new URL(baseUrl).host);
  expect(new Set(proxy.hosts).size).toBe(2);
  expect(hub.sentBytes(graph)).toBe(contentOf(graph).length);
});

it.each([
  ["refuses the connection", async () => (await openProxy({ refuses: true })).url, /407/],
  ["cannot be reached", async () => "127.0.0.1:1", /the proxy 127\.0\.0\.1:1 cannot be reached/],
  ["has no valid address", async () => "http://in valid", /address of the proxy is invalid/],
])("reports a proxy that %s", async (_, openUrl, why) => {
  const { hub, downloads } = await openBehind({ url: await openUrl() });
  const failed = downloads.reached("failed");
  await downloads.start("silero", { acceptLicence: false });
  const { error } = await failed;
  expect(error).toMatchObject({
    id: "download.proxy",
    message: expect.stringContaining("HTTPS_PROXY"),
  });
  expect(error?.message).toMatch(why);
  expect(hub.requests).toEqual([]);
});
