// Requests above the limit are rejected at once, before their bodies are read.

import { expect, it } from "vitest";
import { createAdmission } from "../../../../main/server/http/admission.ts";
import { createTestGateway, uploadForm } from "../../../support/gateway-server.ts";

const code = (work: () => void): string => {
  try {
    work();
    return "taken";
  } catch (error) {
    return (error as { key: string }).key;
  }
};

it("admits requests up to the maximum, and one more for each that ends", () => {
  const admission = createAdmission(2);
  const [first, second, third] = [
    admission.createSlot(),
    admission.createSlot(),
    admission.createSlot(),
  ];
  expect([first, second, third].map((place) => code(place.acquire))).toEqual([
    "taken",
    "taken",
    "overloaded",
  ]);
  // A second call does not take another slot.
  expect(code(first.acquire)).toBe("taken");
  first.release();
  first.release();
  expect([third, admission.createSlot()].map((place) => code(place.acquire))).toEqual([
    "taken",
    "overloaded",
  ]);
});

it("lends the slot of a client that does not read to others, and never rejects that client midway", () => {
  const admission = createAdmission(1);
  const [slow, other, late] = [
    admission.createSlot(),
    admission.createSlot(),
    admission.createSlot(),
  ];
  slow.acquire();
  slow.pause();
  expect(code(other.acquire)).toBe("taken");
  slow.resume();
  other.release();
  expect(code(late.acquire)).toBe("overloaded");
  slow.release();
  expect(code(late.acquire)).toBe("taken");
});

/**
 * Full, with its own clock: `serve` ends one request, `fill` admits others, `retryAfterSec` is the Retry-After of one
 * more.
 */
function busyAdmission(maxRequests: number) {
  let now = 0;
  const admission = createAdmission(maxRequests, () => now);
  const places: ReturnType<typeof admission.createSlot>[] = [];
  const fill = (): void => {
    while (places.length < maxRequests) {
      const place = admission.createSlot();
      place.acquire();
      places.push(place);
    }
  };
  fill();
  return {
    fill,
    wait: (ms: number) => void (now += ms),
    serve(afterMs: number) {
      now += afterMs;
      places.shift()?.release();
    },
    retryAfterSec(): number | undefined {
      try {
        admission.createSlot().acquire();
      } catch (error) {
        return (error as { retryAfterSec?: number }).retryAfterSec;
      }
      return undefined;
    },
  };
}

it("computes Retry-After from the rate at which requests are served", () => {
  const { serve, fill, retryAfterSec } = busyAdmission(4);
  expect(retryAfterSec()).toBe(1);
  for (let served = 0; served < 50; served += 1) {
    serve(3000);
    fill();
  }
  expect(retryAfterSec()).toBeCloseTo(6, 1);
});

it("does not count idle time as slow service", () => {
  const { serve, wait, fill, retryAfterSec } = busyAdmission(4);
  for (let served = 0; served < 20; served += 1) {
    serve(3000);
    fill();
  }
  for (let served = 0; served < 4; served += 1) serve(3000);
  wait(3_600_000);
  fill();
  for (let served = 0; served < 3; served += 1) {
    serve(3000);
    fill();
  }
  expect(retryAfterSec()).toBeCloseTo(6, 1);
});

it("responds with 429 and Retry-After before the body is read, and serves again when there is room", async () => {
  const admission = createAdmission(1);
  const { request, deps } = await createTestGateway({ deps: { admission } });
  const place = admission.createSlot();
  place.acquire();
  let isRead = false;
  const body = new ReadableStream(
    {
      pull(controller) {
        isRead = true;
        controller.close();
      },
    },
    { highWaterMark: 0 },
  );
  const refused = await request("/v1/audio/transcriptions", {
    method: "POST",
    body,
    duplex: "half",
    headers: { "content-type": "multipart/form-data; boundary=x" },
  } as RequestInit);
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
  expect(await refused.json()).toMatchObject({
    error: { type: "rate_limit_error", code: "rate_limit_exceeded", param: null },
  });
  expect(isRead).toBe(false);
  // Requests that need no processing are always served.
  expect((await request("/v1/models")).status).toBe(200);
  // Requests of the window are not rejected either.
  const windowRequest = new Request("http://127.0.0.1/v1/audio/transcriptions", {
    method: "POST",
    body: uploadForm(),
  });
  const { createGateway } = await import("../../../../main/server/gateway.ts");
  expect((await createGateway(deps).handle(windowRequest, { isTrusted: true })).status).toBe(200);
  place.release();
  const served = await request("/v1/audio/transcriptions", { method: "POST", body: uploadForm() });
  await served.text();
  expect(served.status).toBe(200);
  // Its slot is free again.
  expect(
    (await request("/v1/audio/transcriptions", { method: "POST", body: uploadForm() })).status,
  ).toBe(200);
});
