import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { AppError } from "../../../../main/contract/errors.ts";
import { appError } from "../../../support/app-error.ts";
import { isNestedTooDeep, parseJson } from "../../../../main/contract/json.ts";
import {
  createBodyReader,
  defaultBodyLimits,
  readBody,
} from "../../../../main/server/http/request-body.ts";
import { createTestGateway } from "../../../support/gateway-server.ts";

/** Sends `bytes` every `everyMs` until `totalBytes` are sent, then ends; returns when and with what result it ended. */
async function outcome({
  bytes,
  everyMs,
  totalBytes,
}: {
  bytes: number;
  everyMs: number;
  totalBytes: number;
}): Promise<{ afterSec: number; message: string }> {
  let sentBytes = 0;
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        await new Promise((resolve) => setTimeout(resolve, everyMs));
        controller.enqueue(new Uint8Array(bytes));
        sentBytes += bytes;
        if (sentBytes >= totalBytes) controller.close();
      },
    },
    { highWaterMark: 0 },
  );
  const reader = createBodyReader(
    new Request("http://127.0.0.1/", { method: "POST", body, duplex: "half" } as RequestInit),
    defaultBodyLimits,
  );
  const startMs = performance.now();
  const ended = readBody(reader, 2 ** 30, tooLargeError).then(
    () => "whole",
    (error: unknown) =>
      error instanceof AppError ? `${error.key}: ${error.message}` : String(error),
  );
  const over = new AbortController();
  void ended.then(() => over.abort());
  while (!over.signal.aborted) await vi.advanceTimersByTimeAsync(500);
  return { afterSec: Math.round((performance.now() - startMs) / 1000), message: await ended };
}

describe("the timeout for a slow body", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("applies when no byte arrives for 60 seconds", async () => {
    expect(await outcome({ bytes: 1, everyMs: 1e9, totalBytes: 1 })).toEqual({
      afterSec: 60,
      message: "request_timeout: No byte of the request body arrived for 60 seconds.",
    });
  });

  it("applies when less than 1 KB a second arrives for a minute", async () => {
    const { afterSec, message } = await outcome({ bytes: 1, everyMs: 1000, totalBytes: 1000 });
    expect(message).toBe(
      "request_timeout: The request body arrives too slowly: less than 1024 bytes a second.",
    );
    expect(afterSec).toBeLessThanOrEqual(61);
  });

  it("does not limit the total time", async () => {
    expect(await outcome({ bytes: 40_000, everyMs: 20_000, totalBytes: 1_000_000 })).toMatchObject({
      afterSec: 500,
      message: "whole",
    });
  });

  it("is checked for each minute separately", async () => {
    expect((await outcome({ bytes: 70_000, everyMs: 59_000, totalBytes: 700_000 })).message).toBe(
      "whole",
    );
    const reader = { first: true };
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        await new Promise((resolve) => setTimeout(resolve, reader.first ? 0 : 5000));
        controller.enqueue(new Uint8Array(reader.first ? 1e7 : 1));
        reader.first = false;
      },
    });
    const slow = createBodyReader(
      new Request("http://127.0.0.1/", { method: "POST", body, duplex: "half" } as RequestInit),
      defaultBodyLimits,
    );
    const ended = readBody(slow, 2 ** 30, tooLargeError).catch(
      (error: unknown) => (error as AppError).key,
    );
    await vi.advanceTimersByTimeAsync(125_000);
    expect(await ended).toBe("request_timeout");
  });

  it("ignores the time in which the server does something else", async () => {
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new Uint8Array(10)),
    });
    const reader = createBodyReader(
      new Request("http://127.0.0.1/", { method: "POST", body, duplex: "half" } as RequestInit),
      defaultBodyLimits,
    );
    for (let turn = 0; turn < 5; turn += 1) {
      expect(await reader.next()).toHaveLength(10);
      await vi.advanceTimersByTimeAsync(100_000);
    }
  });
});

const tooLargeError = (): AppError => appError("body_too_large", "too large");
const noJson = (): AppError => appError("invalid_request", "no JSON");

const nested = (depth: number, open = "[", close = "]"): string =>
  open.repeat(depth) + close.repeat(depth);

describe("JSON", () => {
  it.each([
    ["with 64 levels is accepted", nested(64), false],
    ["with 65 levels is too deep", nested(65), true],
    ["of 65 nested objects is too deep", '{"a":'.repeat(65), true],
    ["of 66 nested arrays and objects is too deep", '[{"a":'.repeat(33), true],
    [
      "with many arrays side by side is accepted",
      `[${Array.from({ length: 1000 }, () => "[]").join()}]`,
      false,
    ],
    [
      "with brackets in its strings is accepted",
      `["${"[".repeat(1000)}","\\"${"[".repeat(1000)}","\\\\"]`,
      false,
    ],
    [
      "with 65 levels after a string that ends in a backslash is too deep",
      `["\\\\",${nested(64)}]`,
      true,
    ],
    ["with brackets in an unterminated string is not too deep", `["${"[".repeat(1000)}`, false],
  ])("%s", (_name, json, isTooDeep) => {
    expect(isNestedTooDeep(Buffer.from(json))).toBe(isTooDeep);
  });

  it("nested too deep is rejected before it is parsed", () => {
    expect(() => parseJson(Buffer.from("[".repeat(1e6)), noJson)).toThrow(
      "The JSON is nested too deep.",
    );
    expect(() => parseJson(Buffer.from("[[1]"), noJson)).toThrow("no JSON");
    expect(parseJson(Buffer.from("[[1]]"), noJson)).toEqual([[1]]);
  });

  it.each([
    [
      "POST",
      "/v1/audio/speech",
      (deep: string) => `{"model":"tts-1","voice":"nova","input":"hi","x":${deep}}`,
    ],
    ["PUT", "/app/routing", (deep: string) => `{"aliases":{"a":${deep}}}`],
  ])("nested too deep is answered with 400 at %s %s", async (method, path, body) => {
    const { request } = await createTestGateway();
    const response = await request(path, { method, body: body(nested(100_000)) });
    expect([response.status, (await response.json()).error]).toMatchObject([
      400,
      { message: "The JSON is nested too deep.", type: "invalid_request_error" },
    ]);
  });
});
