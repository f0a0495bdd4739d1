import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { Agent, EnvHttpProxyAgent, interceptors, request, type Dispatcher } from "undici";
import { expect, it, onTestFinished } from "vitest";
import type { Departure, Purpose } from "../../../main/contract/network.ts";
import { createOutbound, type Outbound } from "../../../main/network/outbound.ts";

const purpose: Purpose = { kind: "model-download", name: "" };

type Added = Partial<Pick<Departure, "requests" | "sentBytes" | "receivedBytes">>;

/** The switch, and the sums of what was recorded by host. */
function open(isOffline = false) {
  const setting = { isOffline };
  const recorded = new Map<string, Required<Added>>();
  const outbound = createOutbound(() => setting.isOffline, {
    add(host, _purpose, { requests = 0, sentBytes = 0, receivedBytes = 0 }) {
      const sum = recorded.get(host) ?? { requests: 0, sentBytes: 0, receivedBytes: 0 };
      recorded.set(host, {
        requests: sum.requests + requests,
        sentBytes: sum.sentBytes + sentBytes,
        receivedBytes: sum.receivedBytes + receivedBytes,
      });
    },
  });
  return { setting, recorded, outbound };
}

/** A server on loopback that counts its connections. */
async function serve(answer: RequestListener) {
  const server = createServer(answer);
  let connections = 0;
  server.on("connection", () => (connections += 1));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { port, connections: () => connections };
}

/** Finds every name on loopback, as a name of another machine. */
function dispatcher(outbound: Outbound, inner: Dispatcher = anyName()): Dispatcher {
  onTestFinished(() => inner.destroy());
  return outbound.guard(inner, purpose);
}

const anyName = (): Agent =>
  new Agent({
    connect: {
      lookup: (_host, { all }, done) =>
        all === true
          ? done(null, [{ address: "127.0.0.1", family: 4 }])
          : done(null, "127.0.0.1", 4),
    },
  });

it.each([
  ["http://127.0.0.1:4343/v1", false],
  ["http://127.8.9.10/", false],
  ["http://[::1]:80/", false],
  ["http://localhost:11434/v1", false],
  ["http://LOCALHOST/", false],
  ["https://api.openai.com/v1", true],
  ["http://localhost.example/", true],
  ["http://sub.localhost/", true],
  ["http://192.168.1.20:4343/v1", true],
  ["http://0.0.0.0/", true],
  ["http://[fe80::1]/", true],
  ["http://128.0.0.1/", true],
])("with Offline on, %s is blocked: %s", (url, isBlocked) => {
  expect(open(true).outbound.isBlocked(url)).toBe(isBlocked);
  expect(open(false).outbound.isBlocked(url)).toBe(false);
});

it("names the host that was not contacted", () => {
  const { outbound } = open(true);
  expect(() => outbound.check("https://hub.test/models")).toThrow(
    expect.objectContaining({ key: "offline", message: expect.stringContaining("hub.test") }),
  );
});

it("opens no connection to another machine while Offline is on, and to this one as always", async () => {
  const server = await serve((_, response) => response.end("here"));
  const { outbound, recorded } = open(true);
  const guarded = dispatcher(outbound);
  await expect(
    request(`http://hub.test:${server.port}/`, { dispatcher: guarded }),
  ).rejects.toMatchObject({ key: "offline" });
  expect(server.connections()).toBe(0);
  const { body } = await request(`http://127.0.0.1:${server.port}/`, { dispatcher: guarded });
  expect(await body.text()).toBe("here");
  expect(recorded.size).toBe(0);
});

it("checks where a redirect leads", async () => {
  const target = await serve((_, response) => response.end("away"));
  const server = await serve((_, response) =>
    response.writeHead(302, { location: `http://hub.test:${target.port}/` }).end(),
  );
  const guarded = dispatcher(open(true).outbound).compose(
    interceptors.redirect({ maxRedirections: 3 }),
  );
  await expect(
    request(`http://localhost:${server.port}/`, { dispatcher: guarded }),
  ).rejects.toMatchObject({ key: "offline" });
  expect(server.connections()).toBe(1);
  expect(target.connections()).toBe(0);
});

it("does not ask a proxy on this machine for another one", async () => {
  const proxy = await serve((_, response) => response.end("through the proxy"));
  const guarded = dispatcher(
    open(true).outbound,
    new EnvHttpProxyAgent({ httpProxy: `http://127.0.0.1:${proxy.port}`, noProxy: "" }),
  );
  await expect(request("http://hub.test/", { dispatcher: guarded })).rejects.toMatchObject({
    key: "offline",
  });
  expect(proxy.connections()).toBe(0);
});

it.each([
  ["bytes in memory", () => Buffer.alloc(5_000)],
  ["a stream", () => Readable.from([Buffer.alloc(2_000), Buffer.alloc(3_000)])],
])("records the requests, what was sent and what came back: %s", async (_, body) => {
  let headBytes = 0;
  let receivedByServer = 0;
  const server = await serve(async (incoming, response) => {
    const { method, url, rawHeaders } = incoming;
    const lines = rawHeaders.flatMap((name, at) =>
      at % 2 === 0 && !/^(connection|transfer-encoding)$/i.test(name)
        ? [`${name}: ${rawHeaders[at + 1]}`]
        : [],
    );
    headBytes += [`${method} ${url} HTTP/1.1`, ...lines, "", ""].join("\r\n").length;
    for await (const chunk of incoming) receivedByServer += (chunk as Buffer).length;
    response.end(Buffer.alloc(70_000));
  });
  const { outbound, recorded } = open();
  const guarded = dispatcher(outbound);
  for (let count = 0; count < 2; count += 1) {
    const response = await request(`http://hub.test:${server.port}/models`, {
      dispatcher: guarded,
      method: "POST",
      headers: { "content-length": "5000", authorization: "Bearer secret" },
      body: body(),
    });
    expect((await response.body.arrayBuffer()).byteLength).toBe(70_000);
  }
  expect(receivedByServer).toBe(10_000);
  expect(Object.fromEntries(recorded)).toEqual({
    [`hub.test:${server.port}`]: {
      requests: 2,
      sentBytes: headBytes + 10_000,
      receivedBytes: 140_000,
    },
  });
});

it("ends running requests to other machines when Offline is switched on", async () => {
  const server = await serve((_, response) => void response.write("the beginning"));
  const { outbound, setting } = open();
  const guarded = dispatcher(outbound);
  const away = await request(`http://hub.test:${server.port}/`, { dispatcher: guarded });
  const here = await request(`http://127.0.0.1:${server.port}/`, { dispatcher: guarded });
  const notifications: string[] = [];
  const unsubscribe = outbound.onChange(() => notifications.push("changed"));
  setting.isOffline = true;
  outbound.changed();
  await expect(away.body.text()).rejects.toMatchObject({ key: "offline" });
  expect(notifications).toEqual(["changed"]);
  expect(here.body.errored).toBeNull();
  unsubscribe();
  outbound.changed();
  expect(notifications).toEqual(["changed"]);
  here.body.on("error", () => {}).destroy();
});

it("ends a request whose connection was being opened when Offline was switched on", async () => {
  let requests = 0;
  const server = await serve((_, response) => {
    requests += 1;
    response.end();
  });
  const { outbound, setting } = open();
  const pending = request(`http://hub.test:${server.port}/`, { dispatcher: dispatcher(outbound) });
  setting.isOffline = true;
  outbound.changed();
  await expect(pending).rejects.toMatchObject({ key: "offline" });
  expect(requests).toBe(0);
});

it("records connections that others opened, unless they stayed on this machine", () => {
  const { outbound, recorded } = open();
  outbound.record(
    "https://updates.test/feed.yml",
    { kind: "update", name: "" },
    {
      requests: 1,
      sentBytes: 40,
      receivedBytes: 900,
    },
  );
  outbound.record(
    "http://127.0.0.1:1/feed.yml",
    { kind: "update", name: "" },
    {
      requests: 1,
      sentBytes: 40,
      receivedBytes: 900,
    },
  );
  expect(Object.fromEntries(recorded)).toEqual({
    "updates.test": { requests: 1, sentBytes: 40, receivedBytes: 900 },
  });
});
