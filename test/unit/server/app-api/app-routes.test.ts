import { describe, expect, it } from "vitest";
import { api } from "../../../../main/contract/api.ts";
import { createTestGateway, testKey } from "../../../support/gateway-server.ts";
import type { TestGateway } from "../../../support/gateway-server.ts";

const json = (body: unknown, method = "POST"): RequestInit => ({
  method,
  body: JSON.stringify(body),
  headers: { "content-type": "application/json" },
});
/** A channel needs only a name, a base URL and a prefix. */
const upstream = { name: "My cloud", baseUrl: "http://127.0.0.1:9/v1", prefix: "cloud" };
const secret = "sk-very-secret-0123456789";

async function answered(response: Response): Promise<Record<string, unknown>> {
  expect(response.status).toBe(200);
  return (await response.json()) as Record<string, unknown>;
}

describe("access", () => {
  it.each(Object.values(api).map(({ method, path }) => `${method} ${path}`))(
    "to %s is denied to clients without a key",
    async (line) => {
      const { gateway } = await createTestGateway();
      const [method = "", path = ""] = line.split(" ");
      expect(
        (
          await gateway.handle(
            new Request(`http://127.0.0.1${path.replace(":id", "x")}`, { method }),
          )
        ).status,
      ).toBe(401);
    },
  );

  it("is denied with a key that was created for a client", async () => {
    const { request, gateway } = await createTestGateway();
    const made = await answered(await request("/app/keys", json({ name: "phone" })));
    const response = await gateway.handle(
      new Request("http://127.0.0.1/app/keys", {
        headers: { authorization: `Bearer ${String(made["secret"])}` },
      }),
    );
    expect([response.status, await response.json()]).toMatchObject([
      403,
      { error: { type: "permission_error", code: "owner_only" } },
    ]);
  });

  it("is denied with the owner's key to a web page of another origin", async () => {
    const { gateway } = await createTestGateway();
    const headers = { authorization: `Bearer ${testKey}`, origin: "https://example.org" };
    expect(
      (await gateway.handle(new Request("http://127.0.0.1/app/keys", { headers }))).status,
    ).toBe(403);
  });

  it("reports an error with the message's id and parameters, which /v1 leaves out", async () => {
    const { request } = await createTestGateway();
    const response = await request("/app/keys/none", { method: "DELETE" });
    expect((await response.json()).error).toEqual({
      message: "There is no API key 'none'.",
      type: "invalid_request_error",
      param: "id",
      code: "not_found",
      id: "key.unknown",
      params: { name: "none" },
    });
    const { error } = await (await request("/v1/models/none")).json();
    expect(Object.keys(error).sort()).toEqual(["code", "message", "param", "type"]);
  });

  it("is granted to the window without a key", async () => {
    const { gateway } = await createTestGateway();
    expect(
      (await gateway.handle(new Request("http://127.0.0.1/app/keys"), { isTrusted: true })).status,
    ).toBe(200);
  });
});

const add = async ({ request }: TestGateway, more: object = {}) =>
  answered(await request("/app/channels", json({ ...upstream, ...more })));

describe("channels", () => {
  it("are added, changed, listed and removed", async () => {
    const test = await createTestGateway();
    expect(await add(test, { key: secret })).toMatchObject({
      id: "my-cloud",
      key: "stored",
      enabled: true,
      weight: 1,
      priority: 10,
      health: { state: "closed" },
    });
    expect(
      await answered(
        await test.request("/app/channels/my-cloud", json({ weight: 3, enabled: false }, "PATCH")),
      ),
    ).toMatchObject({ weight: 3, enabled: false, key: "stored" });
    const { channels, presets } = api.listChannels.response.parse(
      await answered(await test.request("/app/channels")),
    );
    expect(channels.map(({ name, weight }) => [name, weight])).toEqual([["My cloud", 3]]);
    expect(presets.length).toBeGreaterThan(5);
    expect(
      await answered(await test.request("/app/channels/my-cloud", { method: "DELETE" })),
    ).toEqual({
      removed: true,
    });
    expect((await answered(await test.request("/app/channels")))["channels"]).toEqual([]);
  });

  it("never expose a key, neither in a response nor in the log", async () => {
    const test = await createTestGateway();
    const added = JSON.stringify(await add(test, { key: secret }));
    const tested = await (await test.request("/app/channels/my-cloud/test", json({}))).text();
    const listed = await (await test.request("/app/channels")).text();
    expect([added, tested, listed, ...test.logLines].join("\n")).not.toContain(secret);
  });

  it("require the key again when the base URL changes", async () => {
    const test = await createTestGateway();
    await add(test, { key: secret });
    expect(
      await answered(
        await test.request(
          "/app/channels/my-cloud",
          json({ baseUrl: "http://127.0.0.1:10/v1" }, "PATCH"),
        ),
      ),
    ).toMatchObject({ key: "none" });
  });

  it.each([
    ["a base URL that is not a URL", { baseUrl: "nowhere" }, "baseUrl"],
    ["a base URL with a password", { baseUrl: "http://me:pass@127.0.0.1/v1" }, "baseUrl"],
    ["a base URL that is not HTTP", { baseUrl: "file:///etc/passwd" }, "baseUrl"],
    ["an empty name", { name: " " }, "name"],
    ["the name of this machine", { name: "Local" }, "name"],
    ["a prefix with a slash", { prefix: "a/b" }, "prefix"],
    ["a weight of 0", { weight: 0 }, "weight"],
    ["a key with line breaks", { key: "a\nb" }, "key"],
  ])("reject %s", async (_what, wrong, param) => {
    const { request } = await createTestGateway();
    const response = await request("/app/channels", json({ ...upstream, ...wrong }));
    expect([response.status, await response.json()]).toMatchObject([400, { error: { param } }]);
  });

  it("have unique names", async () => {
    const test = await createTestGateway();
    await add(test);
    expect(
      (await test.request("/app/channels", json({ ...upstream, name: "my CLOUD" }))).status,
    ).toBe(409);
    expect((await test.request("/app/channels/other/test", json({}))).status).toBe(404);
  });

  it("report why a test failed", async () => {
    const test = await createTestGateway();
    await add(test);
    const report = api.testChannel.response.parse(
      await answered(await test.request("/app/channels/my-cloud/test", json({}))),
    );
    expect(report.ok).toBe(false);
    expect(report.steps[0]).toMatchObject({ step: "reach", outcome: "failed" });
  });
});

describe("routing and prices", () => {
  it("are stored", async () => {
    const { request } = await createTestGateway();
    const routing = {
      aliases: { "whisper-1": ["cloud/whisper-1", "whisper-1"] },
      prefer: "cloud",
    };
    // A field of older versions is ignored.
    const sent = { ...routing, shareLongFiles: true };
    await answered(await request("/app/routing", json(sent, "PUT")));
    expect(await answered(await request("/app/routing"))).toEqual(routing);
    await answered(
      await request(
        "/app/prices",
        json({ prices: { "tts-1": { perThousandCharactersUsd: 0.02 } } }, "PUT"),
      ),
    );
    const { prices } = api.readPrices.response.parse(await answered(await request("/app/prices")));
    expect([prices["tts-1"]?.perThousandCharactersUsd, prices["whisper-1"]?.perMinuteUsd]).toEqual([
      0.02, 0.006,
    ]);
  });

  it("reject invalid values", async () => {
    const { request } = await createTestGateway();
    expect((await request("/app/routing", json({ prefer: "neither" }, "PUT"))).status).toBe(400);
    expect(
      (await request("/app/prices", json({ prices: { "tts-1": { perMinuteUsd: -1 } } }, "PUT")))
        .status,
    ).toBe(400);
  });
});

describe("keys", () => {
  it("are shown once, listed without their secret, and rejected immediately after they are revoked", async () => {
    const { request, gateway } = await createTestGateway();
    const { secret: made = "", id } = (await answered(
      await request("/app/keys", json({ name: "phone", scopes: ["models"] })),
    )) as { secret: string; id: string };
    const models = () =>
      gateway.handle(
        new Request("http://127.0.0.1/v1/models", { headers: { authorization: `Bearer ${made}` } }),
      );
    expect((await models()).status).toBe(200);
    const listed = await (await request("/app/keys")).text();
    expect(listed).toContain("phone");
    expect(listed).not.toContain(made.slice(8));
    await answered(await request(`/app/keys/${id}`, { method: "DELETE" }));
    expect((await models()).status).toBe(401);
    expect((await request(`/app/keys/${id}`, { method: "DELETE" })).status).toBe(404);
  });
});

describe("addresses", () => {
  it("that do not exist respond with 404, other methods with 405", async () => {
    const { request } = await createTestGateway();
    expect((await request("/app/nothing")).status).toBe(404);
    const wrong = await request("/app/routing", { method: "DELETE" });
    expect([wrong.status, wrong.headers.get("allow")]).toEqual([405, "GET, PUT"]);
  });
});
