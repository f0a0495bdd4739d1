import { describe, expect, it } from "vitest";

import { AppError } from "../../../../main/contract/errors.ts";
import { failingIterable } from "../../../support/fake-channel.ts";
import { createTestGateway } from "../../../support/gateway-server.ts";

const bearer = (value: string) => ({ headers: { authorization: value } });
const at = (path: string, init?: RequestInit, host = "127.0.0.1:4343") =>
  new Request(`http://${host}${path}`, init);

describe("the key", () => {
  it.each([
    ["no header", undefined],
    ["another key", "Bearer hs-other-key"],
    ["a longer key", "Bearer hs-test-key1"],
    ["the beginning of the key", "Bearer hs-test"],
    ["no key after the scheme", "Bearer"],
    ["another scheme", "Basic hs-test-key"],
  ])("is refused with the shape of the interface for %s", async (_name, value) => {
    const { gateway } = await createTestGateway();
    const response = await gateway.handle(
      at("/v1/models", value === undefined ? {} : bearer(value)),
    );
    expect(response.status).toBe(401);
    expect(response.headers.get("content-type")).toBe("application/json");
    const { error } = await response.json();
    expect(error).toEqual({
      message: expect.stringMatching(/API key/),
      type: "authentication_error",
      param: null,
    });
  });

  it("is taken whatever the case of the scheme", async () => {
    const { gateway } = await createTestGateway();
    for (const scheme of ["Bearer", "bearer", "BEARER"]) {
      expect((await gateway.handle(at("/v1/models", bearer(`${scheme} hs-test-key`)))).status).toBe(
        200,
      );
    }
  });

  it("is asked for before an address is said to be unknown", async () => {
    const { gateway } = await createTestGateway();
    expect((await gateway.handle(at("/v1/nothing"))).status).toBe(401);
  });

  it("is not asked of a caller whose session was checked elsewhere", async () => {
    const { gateway } = await createTestGateway();
    expect((await gateway.handle(at("/v1/models"), { isTrusted: true })).status).toBe(200);
  });
});

describe("the Host", () => {
  const ok = bearer("Bearer hs-test-key");

  it.each([
    "localhost:4343",
    "127.0.0.1",
    "127.1.2.3:80",
    "[::1]:4343",
    "hearsay.localhost",
    "LOCALHOST.",
  ])("%s reaches a server bound to loopback", async (host) => {
    const { gateway } = await createTestGateway();
    expect((await gateway.handle(at("/v1/models", ok, host))).status).toBe(200);
  });

  it.each(["evil.example", "192.168.0.7:4343", "localhost.evil.example", "127.0.0.1.evil.example"])(
    "%s does not reach a server bound to loopback",
    async (host) => {
      const { gateway } = await createTestGateway();
      await gateway.handle(at("/v1/models", ok, "localhost:4343"));
      for (const path of ["/v1/models", "/docs"]) {
        const response = await gateway.handle(at(path, ok, host));
        expect(response.status).toBe(403);
        expect((await response.json()).error).toMatchObject({
          code: "host_not_allowed",
          message: expect.stringContaining("HEARSAY_HOST=0.0.0.0"),
        });
      }
    },
  );

  it("the server is bound to reaches it, and any on all addresses", async () => {
    const { gateway } = await createTestGateway({ deps: { host: "192.168.0.7" } });
    expect((await gateway.handle(at("/v1/models", ok, "192.168.0.7:4343"))).status).toBe(200);
    expect((await gateway.handle(at("/v1/models", ok, "192.168.0.8:4343"))).status).toBe(403);
    const open = await createTestGateway({ deps: { host: "0.0.0.0" } });
    expect((await open.gateway.handle(at("/v1/models", ok, "studio.local:4343"))).status).toBe(200);
  });
});

describe("browsers of other origins", () => {
  it("may ask beforehand without a key", async () => {
    const { gateway } = await createTestGateway();
    const headers = {
      origin: "app://obsidian.md",
      "access-control-request-method": "POST",
      "access-control-request-headers": "authorization, content-type, x-stainless-os, openai-beta",
      "access-control-request-private-network": "true",
    };
    const response = await gateway.handle(at("/v1/audio/speech", { method: "OPTIONS", headers }));
    expect(response.status).toBe(204);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "access-control-allow-origin": "*",
      "access-control-allow-headers": "authorization, content-type, x-stainless-os, openai-beta",
      "access-control-allow-methods": "GET, HEAD, POST, OPTIONS",
      "access-control-max-age": "86400",
      "access-control-allow-private-network": "true",
      "x-request-id": expect.stringMatching(/^req_/),
    });
  });

  it("may read answers, errors too, and their request id", async () => {
    const { gateway } = await createTestGateway();
    for (const authorization of ["Bearer hs-test-key", "Bearer wrong"]) {
      const response = await gateway.handle(
        at("/v1/models", { headers: { authorization, origin: "https://chat.example" } }),
      );
      expect(response.headers.get("access-control-allow-origin")).toBe("*");
      expect(response.headers.get("access-control-expose-headers")).toContain("x-request-id");
    }
  });

  it("may not read what a caller with a session is answered", async () => {
    const { gateway } = await createTestGateway();
    const response = await gateway.handle(
      at("/v1/models", { headers: { origin: "https://chat.example" } }),
      { isTrusted: true },
    );
    expect(response.headers.has("access-control-allow-origin")).toBe(false);
  });
});

describe("an address", () => {
  it.each([
    ["POST", "/v1/foo", "Invalid URL (POST /v1/foo). The addresses served are listed at /docs."],
    [
      "POST",
      "/v1/v1/audio/speech",
      "Invalid URL (POST /v1/v1/audio/speech). Did you mean /v1/audio/speech? The base URL seems to be joined twice.",
    ],
    ["POST", "/audio/speech", "Invalid URL (POST /audio/speech). Did you mean /v1/audio/speech?"],
    [
      "POST",
      "/v1/audio/transcriptions/audio/transcriptions",
      "Invalid URL (POST /v1/audio/transcriptions/audio/transcriptions). Did you mean /v1/audio/transcriptions? The base URL seems to be joined twice.",
    ],
  ])("nobody serves is told of: %s %s", async (method, path, message) => {
    const { request } = await createTestGateway();
    const response = await request(path, { method });
    expect(response.status).toBe(404);
    expect(await response.json()).toEqual({
      error: { message, type: "invalid_request_error", param: null },
    });
    expect(response.headers.get("x-request-id")).toMatch(/^req_/);
  });

  it("asked with the wrong method says which one it takes", async () => {
    const { request } = await createTestGateway();
    const get = await request("/v1/audio/speech");
    expect([get.status, get.headers.get("allow")]).toEqual([405, "POST"]);
    const remove = await request("/v1/models/whisper-1", { method: "DELETE" });
    expect([remove.status, remove.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
    expect((await remove.json()).error.message).toBe("This address answers to GET and HEAD only.");
  });

  it("may end in a slash, and answers to HEAD without a body", async () => {
    const { request } = await createTestGateway();
    expect((await request("/v1/models/")).status).toBe(200);
    expect(await (await request("/v1/models/whisper-1/")).json()).toMatchObject({
      id: "whisper-1",
    });
    const head = await request("/v1/models", { method: "HEAD" });
    expect([head.status, await head.text()]).toEqual([200, ""]);
  });

  it("of the server itself leads to the page for people, without a key", async () => {
    const { gateway } = await createTestGateway();
    const response = await gateway.handle(at("/"));
    expect([response.status, response.headers.get("location")]).toEqual([302, "/docs"]);
  });

  it("that is open answers without a key", async () => {
    const { gateway } = await createTestGateway();
    const health = await gateway.handle(at("/health"));
    expect(await health.json()).toEqual({
      status: "ok",
      checks: { storage: "ok", temporaryFiles: "ok", library: "ok" },
    });
    expect((await gateway.handle(at("/readyz"))).status).toBe(200);
    expect(health.headers.get("x-request-id")).toMatch(/^req_/);
  });
});

describe("a failure", () => {
  const speech = {
    method: "POST",
    body: JSON.stringify({ model: "tts-1", voice: "nova", input: "Hi." }),
  };

  it("nobody expected is logged with the request id and answered with nothing else", async () => {
    const { request, logLines } = await createTestGateway({
      script: {
        synthesize: () =>
          failingIterable(() => new Error("no such file: /home/someone/secret.onnx")),
      },
    });
    const response = await request("/v1/audio/speech", speech);
    const id = response.headers.get("x-request-id") ?? "";
    expect(response.status).toBe(500);
    expect(await response.json()).toEqual({
      error: {
        message: `The server failed on this request. Its log tells more under the id ${id}.`,
        type: "server_error",
        param: null,
        code: "internal_error",
      },
    });
    expect(logLines).toHaveLength(1);
    expect(JSON.parse(logLines[0] ?? "")).toMatchObject({
      requestId: id,
      err: { message: expect.stringContaining("secret.onnx") },
    });
  });

  it("of a channel is told as the channel put it", async () => {
    const { request } = await createTestGateway({
      script: {
        synthesize: () => {
          throw new AppError("engine_failed", "The voice engine stopped twice.");
        },
      },
    });
    const response = await request("/v1/audio/speech", speech);
    expect(response.status).toBe(500);
    expect((await response.json()).error).toMatchObject({
      message: "The voice engine stopped twice.",
      code: "engine_failed",
    });
  });
});
