import { describe, expect, it } from "vitest";

import { appError } from "../../../support/app-error.ts";
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
  ])("is rejected with an error in OpenAI's format: %s", async (_name, value) => {
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

  it("is accepted whatever the case of the scheme", async () => {
    const { gateway } = await createTestGateway();
    for (const scheme of ["Bearer", "bearer", "BEARER"]) {
      expect((await gateway.handle(at("/v1/models", bearer(`${scheme} hs-test-key`)))).status).toBe(
        200,
      );
    }
  });

  it("is checked before an unknown address is reported", async () => {
    const { gateway } = await createTestGateway();
    expect((await gateway.handle(at("/v1/nothing"))).status).toBe(401);
  });

  it("is not required of a caller whose session was checked already", async () => {
    const { gateway } = await createTestGateway();
    expect((await gateway.handle(at("/v1/models"), { isTrusted: true })).status).toBe(200);
  });
});

describe("the Host header", () => {
  const ok = bearer("Bearer hs-test-key");

  it.each([
    "localhost:4343",
    "127.0.0.1",
    "127.1.2.3:80",
    "[::1]:4343",
    "hearsay.localhost",
    "LOCALHOST.",
  ])("may be %s for a server bound to loopback", async (host) => {
    const { gateway } = await createTestGateway();
    expect((await gateway.handle(at("/v1/models", ok, host))).status).toBe(200);
  });

  it.each(["evil.example", "192.168.0.7:4343", "localhost.evil.example", "127.0.0.1.evil.example"])(
    "may not be %s for a server bound to loopback",
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

  it("may be the address that the server is bound to, and any for a server bound to all addresses", async () => {
    const { gateway } = await createTestGateway({ deps: { host: "192.168.0.7" } });
    expect((await gateway.handle(at("/v1/models", ok, "192.168.0.7:4343"))).status).toBe(200);
    expect((await gateway.handle(at("/v1/models", ok, "192.168.0.8:4343"))).status).toBe(403);
    const open = await createTestGateway({ deps: { host: "0.0.0.0" } });
    expect((await open.gateway.handle(at("/v1/models", ok, "studio.local:4343"))).status).toBe(200);
  });
});

describe("browsers with another origin", () => {
  it("may send a preflight request without a key", async () => {
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

  it("may read responses, also errors, and the request id", async () => {
    const { gateway } = await createTestGateway();
    for (const authorization of ["Bearer hs-test-key", "Bearer wrong"]) {
      const response = await gateway.handle(
        at("/v1/models", { headers: { authorization, origin: "https://chat.example" } }),
      );
      expect(response.headers.get("access-control-allow-origin")).toBe("*");
      expect(response.headers.get("access-control-expose-headers")).toContain("x-request-id");
    }
  });

  it("may not read the response to a caller with a session", async () => {
    const { gateway } = await createTestGateway();
    const response = await gateway.handle(
      at("/v1/models", { headers: { origin: "https://chat.example" } }),
      { isTrusted: true },
    );
    expect(response.headers.has("access-control-allow-origin")).toBe(false);
  });
});

describe("an endpoint", () => {
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
      "Invalid URL (POST /v1/audio/transcriptions/audio/transcriptions). " +
        "Did you mean /v1/audio/transcriptions? The base URL seems to be joined twice.",
    ],
  ])("that does not exist is reported: %s %s", async (method, path, message) => {
    const { request } = await createTestGateway();
    const response = await request(path, { method });
    expect(response.status).toBe(404);
    expect(await response.json()).toEqual({
      error: { message, type: "invalid_request_error", param: null },
    });
    expect(response.headers.get("x-request-id")).toMatch(/^req_/);
  });

  it("requested with the wrong method reports the right one", async () => {
    const { request } = await createTestGateway();
    const get = await request("/v1/audio/speech");
    expect([get.status, get.headers.get("allow")]).toEqual([405, "POST"]);
    const remove = await request("/v1/models/whisper-1", { method: "DELETE" });
    expect([remove.status, remove.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
    expect((await remove.json()).error.message).toBe("This address answers to GET, HEAD only.");
  });

  it("may end with a slash, and responds to HEAD without a body", async () => {
    const { request } = await createTestGateway();
    expect((await request("/v1/models/")).status).toBe(200);
    expect(await (await request("/v1/models/whisper-1/")).json()).toMatchObject({
      id: "whisper-1",
    });
    const head = await request("/v1/models", { method: "HEAD" });
    expect([head.status, await head.text()]).toEqual([200, ""]);
  });

  it("at the root redirects to the documentation page, without a key", async () => {
    const { gateway } = await createTestGateway();
    const response = await gateway.handle(at("/"));
    expect([response.status, response.headers.get("location")]).toEqual([302, "/docs"]);
  });

  it("that is public responds without a key", async () => {
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

  it("that was unexpected is logged with the request id and reveals nothing in the response", async () => {
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
        message: `The server failed on this request. Its log has the details under the id ${id}.`,
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

  it("of a channel is reported with the channel's message", async () => {
    const { request } = await createTestGateway({
      script: {
        synthesize: () => {
          throw appError("engine_failed", "The voice engine stopped twice.");
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
