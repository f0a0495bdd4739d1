import { expect, it } from "vitest";
import { appError } from "../support/app-error.ts";
import { createLog } from "../../main/log.ts";

function logged(level: string | undefined) {
  const lines: string[] = [];
  return { log: createLog(level, { write: (line) => void lines.push(line) }), lines };
}

it("logs only warnings and errors unless configured otherwise", () => {
  for (const level of [undefined, "", "loud"]) {
    const { log, lines } = logged(level);
    log.info("usual");
    log.warn("unusual");
    expect(lines).toHaveLength(1);
  }
  const { log, lines } = logged("debug");
  log.child({ room: "server" }).debug({ requestId: "req_1" }, "answered");
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({
    level: "debug",
    room: "server",
    requestId: "req_1",
    msg: "answered",
  });
});

it("contains no secrets", () => {
  const { log, lines } = logged("info");
  log.info({
    authorization: "Bearer hs-secret",
    headers: { authorization: "Bearer hs-secret", cookie: "hs-secret" },
    key: "hs-secret",
    channel: { apiKey: "hs-secret" },
  });
  expect(lines[0]).not.toContain("hs-secret");
});

it("omits the stack of expected errors and includes that of all others", () => {
  const { log, lines } = logged("warn");
  log.warn({ err: appError("channel_resting", "It rests.") }, "expected");
  log.error({ err: new RangeError("odd") }, "unexpected");
  const [expected, unexpected] = lines.map(
    (line) => (JSON.parse(line) as { err: Record<string, unknown> }).err,
  );
  expect(expected).toEqual({ type: "AppError", message: "It rests." });
  expect(unexpected).toMatchObject({
    message: "odd",
    stack: expect.stringContaining("log.test.ts") as unknown,
  });
});
