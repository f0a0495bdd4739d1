import { mkdir, writeFile } from "node:fs/promises";
import { request as rawRequest } from "node:http";
import { join } from "node:path";
import { brotliCompressSync } from "node:zlib";
import { describe, expect, it, onTestFinished } from "vitest";
import { securityHeaders } from "../../../../main/server/window/security-headers.ts";
import { createSessions } from "../../../../main/server/window/sessions.ts";
import {
  createWindowServer,
  type WindowServerOptions,
} from "../../../../main/server/window/window-server.ts";
import { createTestGateway } from "../../../support/gateway-server.ts";
import { openTestFolder } from "../../../support/test-data.ts";

const script = `// ${"long enough to be compressed ".repeat(20)}`;

async function openWindow(options: Partial<WindowServerOptions> = {}) {
  const { gateway, deps } = await createTestGateway();
  const rendererDir = await openTestFolder();
  await mkdir(join(rendererDir, "assets"));
  await writeFile(join(rendererDir, "index.html"), "<!doctype html><title>The page</title>");
  await writeFile(join(rendererDir, "icon.svg"), "<svg/>");
  await writeFile(join(rendererDir, ".sources"), "a digest");
  await writeFile(join(rendererDir, "assets", "main-1a2b.js"), script);
  await writeFile(join(rendererDir, "assets", "main-1a2b.js.br"), brotliCompressSync(script));
  const window = await createWindowServer({
    gateway,
    installId: "abc",
    rendererDir,
    log: deps.log,
    ...options,
  });
  onTestFinished(() => window.close());
  const { pathname } = new URL(window.pageUrl);
  const base = pathname.slice(0, -1);
  /** Requests a path below the secret path. */
  const ask = (path: string, init: RequestInit = {}) =>
    fetch(window.origin + base + path, { redirect: "manual", ...init });
  return {
    ...window,
    base,
    ask,
    askRoot: (path: string, init: RequestInit = {}) =>
      fetch(window.origin + path, { redirect: "manual", ...init }),
    async session(): Promise<string> {
      const { headers } = await fetch(window.launchUrl(), { redirect: "manual" });
      return headers.get("set-cookie")?.split(";")[0] ?? "";
    },
    /** Sets headers that fetch would override. */
    raw: (path: string, headers: Record<string, string>, method = "GET") =>
      new Promise<number | undefined>((resolve, reject) => {
        const sent = rawRequest(
          window.origin + base + path,
          { method, headers, agent: false },
          (response) => {
            response.resume();
            resolve(response.statusCode);
          },
        );
        sent.on("error", reject).end();
      }),
  };
}

describe("the launch link", () => {
  it("is exchanged once for a cookie that no script can read and no other page sends", async () => {
    const { launchUrl, ask, base } = await openWindow();
    const link = launchUrl();
    const first = await fetch(link, { redirect: "manual" });
    expect([first.status, first.headers.get("location")]).toEqual([303, `${base}/`]);
    const cookie = first.headers.get("set-cookie") ?? "";
    expect(cookie).toMatch(
      new RegExp(
        `^hearsay_abc=[\\w-]{43}; Path=${base}/; HttpOnly; SameSite=Strict; Max-Age=\\d+$`,
      ),
    );
    // 192 bits.
    expect(base).toMatch(/^\/[\w-]{32}$/);
    const second = await fetch(link, { redirect: "manual" });
    expect([second.status, second.headers.get("set-cookie")]).toEqual([401, null]);
    const page = await ask("/", { headers: { cookie: cookie.split(";")[0] ?? "" } });
    expect([page.status, await page.text()]).toEqual([
      200,
      "<!doctype html><title>The page</title>",
    ]);
  });

  it("is not used up by a HEAD request", async () => {
    const { launchUrl } = await openWindow();
    const link = launchUrl();
    expect((await fetch(link, { method: "HEAD", redirect: "manual" })).status).toBe(401);
    expect((await fetch(link, { redirect: "manual" })).status).toBe(303);
  });

  it("works for ten minutes", () => {
    let nowMs = 0;
    const sessions = createSessions({ installId: "abc", path: "/secret/", now: () => nowMs });
    const [early, late] = [sessions.createCode(), sessions.createCode()];
    nowMs = 599_000;
    expect(sessions.redeem(early)).toBeDefined();
    nowMs = 601_000;
    expect(sessions.redeem(late)).toBeUndefined();
  });
});

describe("without a session", () => {
  it.each(["/", "/library", "/index.html"])(
    "%s responds with a page that explains how to get one",
    async (path) => {
      const response = await (await openWindow()).ask(path);
      expect([response.status, response.headers.get("content-type")]).toEqual([
        401,
        "text/html; charset=utf-8",
      ]);
      expect(await response.text()).toContain("npx hearsay window");
    },
  );

  it.each(["/app/keys", "/v1/models", "/app/nothing"])("%s is rejected", async (path) => {
    const { ask } = await openWindow();
    const cookie = "hearsay_abc=wrong; hearsay_other=x";
    for (const headers of [{}, { cookie }, { authorization: "Bearer hs-test-key" }])
      expect((await ask(path, { headers })).status).toBe(401);
  });
});

it("serves the whole API to a client with a session, also among other cookies", async () => {
  const { ask, session } = await openWindow();
  const headers = { cookie: `theme=dark; ${await session()}` };
  expect((await ask("/app/keys", { headers })).status).toBe(200);
  expect((await ask("/v1/models", { headers })).status).toBe(200);
  const made = await ask("/app/keys", {
    method: "POST",
    headers,
    body: JSON.stringify({ name: "phone" }),
  });
  expect([made.status, made.headers.get("access-control-allow-origin")]).toEqual([200, null]);
});

describe("the secret path", () => {
  it("is new in every run, and no other path leads to the page, with the cookie or without", async () => {
    const [one, other] = [await openWindow(), await openWindow()];
    expect(one.base).not.toBe(other.base);
    const headers = { cookie: await one.session() };
    for (const path of [
      "/",
      "/index.html",
      `${other.base}/`,
      one.base,
      `${one.base.slice(0, -1)}/`,
    ]) {
      const response = await one.askRoot(path, { headers });
      expect([path, response.status, await response.text()]).toEqual([
        path,
        401,
        expect.not.stringContaining(one.base),
      ]);
    }
    for (const path of ["/app/keys", "/v1/models", `${other.base}/app/keys`]) {
      const response = await one.askRoot(path, { headers });
      expect([path, response.status, await response.json()]).toEqual([
        path,
        401,
        expect.objectContaining({
          error: expect.objectContaining({ type: "authentication_error" }),
        }),
      ]);
      expect((await one.askRoot(path, { method: "POST", body: "{}", headers })).status).toBe(401);
    }
    expect(
      (
        await one.askRoot(
          new URL(one.launchUrl()).pathname.slice(one.base.length) +
            new URL(one.launchUrl()).search,
        )
      ).status,
    ).toBe(401);
  });

  it("removes the cookie of an earlier run from the browser", async () => {
    const given: string[] = [];
    const { launchUrl, base } = await openWindow({
      previousPath: "/former/",
      onSession: (path) => given.push(path),
    });
    const { headers } = await fetch(launchUrl(), { redirect: "manual" });
    expect(headers.getSetCookie()).toEqual([
      expect.stringContaining(`Path=${base}/;`),
      "hearsay_abc=; Path=/former/; HttpOnly; SameSite=Strict; Max-Age=0",
    ]);
    expect(given).toEqual([`${base}/`]);
  });

  it("is opened even if nothing can be written", async () => {
    const { launchUrl } = await openWindow({
      onSession() {
        throw new Error("the disk is full");
      },
    });
    expect((await fetch(launchUrl(), { redirect: "manual" })).status).toBe(303);
  });

  it("is reached by an intermediate page of our own when the link was on a page of another origin", async () => {
    const { launchUrl, raw } = await openWindow();
    const visit = (site: string) =>
      raw(`/launch${new URL(launchUrl()).search}`, {
        "sec-fetch-site": site,
        "sec-fetch-mode": "navigate",
        "sec-fetch-dest": "document",
      });
    expect([await visit("cross-site"), await visit("same-site"), await visit("none")]).toEqual([
      200, 200, 303,
    ]);
  });
});

it("disconnects a client that is silent or too slow, and rejects a body that is too large", async () => {
  const { gateway } = await createTestGateway({ limits: { body: { idleMs: 50 } } });
  const { raw, session, origin } = await openWindow({ gateway });
  const cookie = await session();
  expect(await raw("/app/keys", { cookie, "content-length": "100", origin }, "POST")).toBe(408);
  expect(await raw("/app/keys", { cookie, "content-length": "10000000000", origin }, "POST")).toBe(
    413,
  );
});

describe("files", () => {
  it("with a hash in their names are cached without a limit, and compressed where the browser accepts it", async () => {
    const { ask } = await openWindow();
    const response = await ask("/assets/main-1a2b.js", {
      headers: { "accept-encoding": "gzip, br" },
    });
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-encoding": "br",
      "content-type": "text/javascript; charset=utf-8",
      "cache-control": "public, max-age=31536000, immutable",
      vary: "accept-encoding",
    });
    expect(await response.text()).toBe(script);
    const plain = await ask("/assets/main-1a2b.js", { headers: { "accept-encoding": "identity" } });
    expect([plain.headers.get("content-encoding"), await plain.text()]).toEqual([null, script]);
  });

  it("without a hash are revalidated", async () => {
    expect((await (await openWindow()).ask("/icon.svg")).headers.get("cache-control")).toBe(
      "no-cache",
    );
  });

  it.each([
    "/nothing.js",
    "/.sources",
    "/assets/main-1a2b.js.br",
    "/../package.json",
    "/%2e%2e/package.json",
  ])("%s does not exist", async (path) => {
    const { raw, session } = await openWindow();
    expect(await raw(path, { cookie: await session() })).toBe(404);
  });

  it("cannot be written", async () => {
    expect((await (await openWindow()).ask("/icon.svg", { method: "POST" })).status).toBe(405);
  });

  it("that were never built are reported", async () => {
    const { gateway, deps } = await createTestGateway();
    await expect(
      createWindowServer({
        gateway,
        installId: "abc",
        rendererDir: await openTestFolder(),
        log: deps.log,
      }),
    ).rejects.toThrow("npm run build");
  });
});

describe("every response", () => {
  it.each(["/", "/assets/main-1a2b.js", "/app/keys", "/nothing.js"])(
    "%s forbids what the page does not need",
    async (path) => {
      const { headers } = await (await openWindow()).ask(path);
      for (const [name, value] of securityHeaders) expect(headers.get(name)).toBe(value);
      expect(headers.get("x-request-id")).toMatch(/^req_/);
    },
  );
});

describe("other pages", () => {
  it.each([
    "rebound.example",
    "rebound.example:PORT",
    "127.0.0.1:1",
    "127.0.0.1",
    "localhost.rebound.example:PORT",
    "0.0.0.0:PORT",
  ])("that resolve %s to this server are rejected, also with a session", async (host) => {
    const { raw, session, origin } = await openWindow();
    const cookie = await session();
    expect(await raw("/", { host: host.replace("PORT", new URL(origin).port), cookie })).toBe(421);
  });

  it.each(["localhost", "127.0.0.1"])("do not include the host name %s", async (name) => {
    const { raw, session, origin } = await openWindow();
    expect(
      await raw("/", { host: `${name}:${new URL(origin).port}`, cookie: await session() }),
    ).toBe(200);
  });

  it.each(["https://evil.example", "null", "http://127.0.0.1:1"])(
    "of the origin %s are rejected",
    async (origin) => {
      const { raw, session } = await openWindow();
      const cookie = await session();
      expect(await raw("/app/keys", { origin, cookie })).toBe(403);
      expect(await raw("/app/keys", { origin, cookie }, "POST")).toBe(403);
    },
  );

  it.each(["cross-site", "same-site"])(
    "that are %s may link to the page, but may not use anything else",
    async (site) => {
      const { raw, session } = await openWindow();
      const cookie = await session();
      const visit = {
        "sec-fetch-site": site,
        "sec-fetch-mode": "navigate",
        "sec-fetch-dest": "document",
        cookie,
      };
      expect(await raw("/", visit)).toBe(200);
      expect(await raw("/app/keys", visit)).toBe(403);
      expect(await raw("/", { ...visit, "sec-fetch-dest": "iframe" })).toBe(403);
      expect(
        await raw("/assets/main-1a2b.js", {
          "sec-fetch-site": site,
          "sec-fetch-mode": "no-cors",
          "sec-fetch-dest": "script",
        }),
      ).toBe(403);
    },
  );
});
