import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished, vi } from "vitest";
import type { DepartureCounts } from "../../../main/network/departures.ts";
import * as fakeElectron from "../../support/fake-electron.ts";

vi.mock("electron", () => import("../../support/fake-electron.ts"));
const { openUpdateSession } = await import("../../../main/electron/update-session.ts");

/** A feed that redirects `/moved` to `target`. */
async function serve(target = "") {
  let requests = 0;
  const server = createServer((request, response) => {
    requests += 1;
    if (request.url === "/moved") response.writeHead(302, { location: target }).end();
    else response.end("version: 1.2.0");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, requests: () => requests };
}

function open(blocked: (url: string) => boolean) {
  const recorded: [url: string, counts: DepartureCounts][] = [];
  const listeners: (() => void)[] = [];
  const session = openUpdateSession({
    isBlocked: blocked,
    record(url, purpose, counts) {
      expect(purpose.kind).toBe("update");
      recorded.push([url, counts]);
    },
    onChange(listener) {
      listeners.push(listener);
      return () => {};
    },
  }) as unknown as ReturnType<typeof fakeElectron.session.fromPartition>;
  return { session, recorded, change: () => listeners.forEach((listener) => listener()) };
}

it("guards the session that electron-updater uses", () => {
  expect(open(() => false).session).toBe(fakeElectron.session.fromPartition("electron-updater"));
});

it("cancels what is blocked, also where a redirect leads, and records the rest", async () => {
  const target = await serve();
  const feed = await serve(`${target.url}/file`);
  const { session, recorded } = open((url) => url.startsWith(target.url));
  await expect(session.fetch(`${target.url}/latest.yml`)).rejects.toThrow("BLOCKED");
  await expect(session.fetch(`${feed.url}/moved`)).rejects.toThrow("BLOCKED");
  expect(target.requests()).toBe(0);
  expect(await (await session.fetch(`${feed.url}/latest.yml`)).text()).toBe("version: 1.2.0");
  const [moved, latest] = [`${feed.url}/moved`, `${feed.url}/latest.yml`];
  expect(recorded).toEqual([
    [moved, { requests: 1, sentBytes: moved.length }],
    [latest, { requests: 1, sentBytes: latest.length }],
    [latest, { receivedBytes: 14 }],
  ]);
});

it("ends its connections when Offline is switched", () => {
  const { session, change } = open(() => false);
  const before = session.closedConnections;
  change();
  expect(session.closedConnections).toBe(before + 1);
});
