import { networkInterfaces } from "node:os";
import { expect, it, onTestFinished } from "vitest";
import { type ApiServer, createApiServer } from "../../../main/server/api-server.ts";
import { createLog } from "../../../main/log.ts";

const [someAddress = "127.0.0.1"] = Object.values(networkInterfaces()).flatMap((all = []) =>
  all.filter(({ family }) => family === "IPv4").map(({ address }) => address),
);

it.each([
  "127.0.0.1",
  "127.8.9.1",
  "localhost",
  "LOCALHOST.",
  "a.localhost",
  "0.0.0.0",
  "0",
  "[::]",
  "[::1]",
  "[::ffff:127.0.0.1]",
  "[::ffff:0.0.0.0]",
  someAddress,
  `[::ffff:${someAddress}]`,
])("recognizes its own address as %s", async (host) => {
  const server = createApiServer({
    gatewayFor: () => ({
      upgrade: () => Promise.resolve(Response.error()),
      handle: () => Promise.resolve(new Response()),
    }),
    port: 0,
    log: createLog("silent"),
  });
  onTestFinished(() => server.close());
  expect(server.isOwnAddress(new URL(`http://${host}:1`))).toBe(false);
  const { port } = await server.open("127.0.0.1");
  expect(server.isOwnAddress(new URL(`http://${host}:${port}/v1`))).toBe(true);
  for (const other of [
    `${host}:${port === 1 ? 2 : 1}`,
    `192.0.2.1:${port}`,
    `[2001:db8::1]:${port}`,
    `localhost.example:${port}`,
  ])
    expect(server.isOwnAddress(new URL(`http://${other}/v1`))).toBe(false);
});

it("listens only on this machine with a short key, and keeps listening there", async () => {
  const server = createApiServer({
    gatewayFor: () => ({
      upgrade: () => Promise.resolve(Response.error()),
      handle: () => Promise.resolve(new Response()),
    }),
    isKeyShort: true,
    port: 0,
    log: createLog("silent"),
  });
  onTestFinished(() => server.close());
  const { port } = await server.open("127.0.0.1");
  for (const host of [
    "0.0.0.0",
    "::",
    someAddress === "127.0.0.1" ? "192.0.2.1" : someAddress,
    "127.evil.example",
  ])
    await expect(server.open(host)).rejects.toThrow("too short to serve other machines");
  expect([server.address()?.port, await answers(port)]).toEqual([port, true]);
});

const answers = async (port: number): Promise<boolean> =>
  (await fetch(`http://127.0.0.1:${port}/`).catch(() => undefined))?.status === 200;

it("moves to another port, listens there again, and stays where it is when that port is taken", async () => {
  const [server, other] = [0, 1].map(() =>
    createApiServer({
      gatewayFor: () => ({
        upgrade: () => Promise.resolve(Response.error()),
        handle: () => Promise.resolve(new Response()),
      }),
      port: 0,
      log: createLog("silent"),
    }),
  ) as [ApiServer, ApiServer];
  onTestFinished(() => Promise.all([server.close(), other.close()]).then(() => undefined));
  const { port: first } = await server.open("127.0.0.1");
  const { port: taken } = await other.open("127.0.0.1");
  await expect(server.move(taken)).rejects.toMatchObject({ code: "EADDRINUSE" });
  expect([server.port(), await answers(first)]).toEqual([first, true]);

  await other.close();
  await server.move(taken);
  expect([server.address()?.port, await answers(taken), await answers(first)]).toEqual([
    taken,
    true,
    false,
  ]);

  await server.close();
  await other.open("127.0.0.1");
  await expect(server.move(other.port())).rejects.toMatchObject({ code: "EADDRINUSE" });
  expect(server.port()).toBe(taken);
  await server.move(first);
  expect([server.port(), server.address()]).toEqual([first, undefined]);
  expect(await server.open("127.0.0.1")).toMatchObject({ port: first });
});

it("aborts active requests at the port it leaves", async () => {
  const answer = Promise.withResolvers<Response>();
  const requested = Promise.withResolvers<void>();
  const handle = (): Promise<Response> => {
    requested.resolve();
    return answer.promise;
  };
  const [server, other] = [handle, () => Promise.resolve(new Response())].map((each) =>
    createApiServer({
      gatewayFor: () => ({ upgrade: () => Promise.resolve(Response.error()), handle: each }),
      port: 0,
      log: createLog("silent"),
    }),
  ) as [ApiServer, ApiServer];
  onTestFinished(() => server.close());
  const { port } = await server.open("127.0.0.1");
  const { port: free } = await other.open("127.0.0.1");
  await other.close();
  const response = fetch(`http://127.0.0.1:${port}/`);
  await requested.promise;
  await server.move(free);
  await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow("fetch failed");
  answer.resolve(new Response("done"));
  expect(await (await response).text()).toBe("done");
});

it("uses the fallback port when the system refuses the first one", async () => {
  const server = createApiServer({
    gatewayFor: () => ({
      upgrade: () => Promise.resolve(Response.error()),
      handle: () => Promise.resolve(new Response()),
    }),
    port: 70_000,
    fallbackPort: 0,
    log: createLog("silent"),
  });
  onTestFinished(() => server.close());
  expect((await server.open("127.0.0.1")).port).toBeGreaterThan(0);
});
