import { expect, it } from "vitest";
import { findSystemProxy } from "../../../main/electron/system-proxy.ts";
import { app, fake } from "../../support/fake-electron.ts";

it.each([
  ["DIRECT", undefined],
  ["PROXY proxy.test:3128", "http://proxy.test:3128"],
  ["SOCKS5 socks.test:1080; HTTPS proxy.test:443;PROXY other.test:80", "https://proxy.test:443"],
  ["DIRECT; PROXY proxy.test:3128", undefined],
  ["SOCKS5 socks.test:1080", undefined],
])("takes the first proxy that can be used: %s", async (listed, address) => {
  fake.proxies = listed;
  expect(await findSystemProxy(app, "https://hub.test/")).toBe(address);
});
