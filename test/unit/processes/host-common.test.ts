import { PassThrough } from "node:stream";
import { expect, it } from "vitest";
import {
  childEnvironment,
  defaultDataDir,
  logUnhandledRejections,
  collectTail,
} from "../../../main/processes/host-common.ts";

it("places the data folder where each system keeps application data", () => {
  expect(defaultDataDir({ XDG_DATA_HOME: "/data" }, "linux")).toMatch(/^.data.hearsay$/);
  expect(defaultDataDir({}, "linux")).toMatch(/\.local.share.hearsay$/);
  expect(defaultDataDir({}, "darwin")).toMatch(/Library.Application Support.Hearsay$/);
  expect(defaultDataDir({ APPDATA: "/roaming" }, "win32")).toMatch(/^.roaming.Hearsay$/);
});

it("passes only harmless variables of the environment to child processes", () => {
  const env = childEnvironment({
    PATH: "/bin",
    HOME: "/home/a",
    NODE_COMPILE_CACHE: "/cache",
    HEARSAY_API_KEY: "secret",
    NODE_OPTIONS: "--inspect",
    HTTPS_PROXY: "http://proxy",
  });
  expect(env).toEqual({
    PATH: "/bin",
    HOME: "/home/a",
    NODE_COMPILE_CACHE: "/cache",
    ORT_DISABLE_TELEMETRY: "1",
    MALLOC_ARENA_MAX: "1",
    HEARSAY_APP_PID: String(process.pid),
  });
});

it("keeps only the end of the output of a child process", async () => {
  const stream = new PassThrough();
  const tail = collectTail(stream);
  stream.end(`${"a".repeat(5000)}end`);
  await new Promise((over) => stream.once("end", over));
  expect([tail().length, tail().slice(-4)]).toEqual([4096, "aend"]);
  expect(collectTail(null)()).toBe("");
});

it("logs an unhandled rejection without secrets", () => {
  const logged: unknown[] = [];
  const before = process.listeners("unhandledRejection");
  const stop = logUnhandledRejections({ error: (fields: unknown) => logged.push(fields) });
  const [note] = process
    .listeners("unhandledRejection")
    .filter((listener) => !before.includes(listener));
  note?.(
    Object.assign(new Error("Bearer abc.def was refused, and sk-1234567890 too"), {
      headers: { "x-api-key": "secret" },
    }),
    Promise.resolve(),
  );
  note?.("only a text", Promise.resolve());
  stop();
  expect(logged).toMatchObject([
    { error: { type: "Error", message: "[secret] was refused, and [secret] too" } },
    { error: { message: "only a text" } },
  ]);
  expect(JSON.stringify(logged)).not.toMatch(/abc\.def|1234567890|x-api-key/);
  expect(process.listeners("unhandledRejection")).toEqual(before);
});
