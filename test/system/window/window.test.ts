// The window in a real browser: the Content Security Policy stops a page that violates it, other sites cannot reach the
// window, and the app's own page runs under the policy without errors.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Browser, Page } from "playwright";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { createWindowServer } from "../../../main/server/window/window-server.ts";
import { chromiumPath, launchBrowser } from "../../support/browser.ts";
import { createTestGateway } from "../../support/gateway-server.ts";
import { openAppWithWindow, type AppWithWindow } from "../../support/app-with-window.ts";
import { openTestFolder } from "../../support/test-data.ts";

const none = chromiumPath === undefined;
let browser: Browser;
let whole: AppWithWindow;

beforeAll(async () => {
  if (none) return;
  // Maps names of other sites to this machine: DNS rebinding without a network.
  browser = await launchBrowser({ args: ["--host-resolver-rules=MAP *.example 127.0.0.1"] });
  whole = await openAppWithWindow();
}, 120_000);
afterAll(async () => {
  await whole?.close();
  await browser?.close();
});

/** A window whose page has this HTML and script. */
async function windowOf(html: string, script: string) {
  const { gateway, deps } = await createTestGateway();
  const rendererDir = await openTestFolder();
  await mkdir(join(rendererDir, "assets"));
  await writeFile(
    join(rendererDir, "index.html"),
    `<!doctype html><title>page</title>${html}<script type="module" src="/assets/page.js"></script>`,
  );
  await writeFile(join(rendererDir, "assets", "page.js"), script);
  const window = await createWindowServer({
    gateway,
    installId: "abc",
    rendererDir,
    log: deps.log,
  });
  onTestFinished(() => window.close());
  return window;
}

async function newPage(): Promise<Page> {
  const context = await browser.newContext();
  onTestFinished(() => context.close());
  return context.newPage();
}

describe.skipIf(none)("the Content Security Policy (needs Chromium)", () => {
  it("blocks inline scripts, eval, HTML injection, and requests to other origins", async () => {
    const page = await newPage();
    const attempts = `
      const tries = {
        evaluated: () => new Function('return 1')(),
        html: () => (document.body.innerHTML = '<b>markup</b>'),
      };
      const outcome = {};
      for (const [name, attempt] of Object.entries(tries)) try { attempt(); outcome[name] = 'done'; } catch (error) { outcome[name] = error.name; }
      outcome.fetched = await fetch('http://other.example:9/').then(() => 'done', (error) => error.name);
      outcome.inline = window.inlineRan === true ? 'done' : 'refused';
      document.title = JSON.stringify(outcome);`;
    const { launchUrl } = await windowOf(
      "<body><script>window.inlineRan = true</script>",
      attempts,
    );
    await page.goto(launchUrl());
    await page.waitForFunction(() => document.title !== "page");
    expect(JSON.parse(await page.title())).toEqual({
      evaluated: "EvalError",
      html: "TypeError",
      fetched: "TypeError",
      inline: "refused",
    });
  });
});

describe.skipIf(none)("another site (needs Chromium)", () => {
  it("cannot reach the window by a DNS name that resolves to this machine", async () => {
    const page = await newPage();
    await page.goto(whole.origin);
    const rebound = await page.goto(whole.origin.replace("127.0.0.1", "rebound.example"));
    expect(rebound?.status()).toBe(421);
  });

  it("can neither read nor change data, load files, embed the window in a frame, nor enter by a link", async () => {
    const evil = createServer((_, response) =>
      response.setHeader("content-type", "text/html").end("<!doctype html><body>evil"),
    );
    await new Promise<void>((listening) => evil.listen(0, "127.0.0.1", listening));
    onTestFinished(() => void evil.close());
    const page = await newPage();
    // Even if the site knew the secret path.
    const base = whole.pageUrl.slice(0, -1);
    // The same browser has a valid session.
    await page.goto(whole.launchUrl());
    expect(await page.evaluate(() => fetch("./app/keys").then(({ status }) => status))).toBe(200);
    for (const host of ["evil.example", "localhost"]) {
      await page.goto(`http://${host}:${(evil.address() as AddressInfo).port}/`);
      const outcome = await page.evaluate(async (origin) => {
        const element = (make: () => HTMLElement & { src: string }) =>
          new Promise<string>((resolve) => {
            const one = Object.assign(make(), {
              src: `${origin}/icon.svg`,
              onload: () => resolve("loaded"),
              onerror: () => resolve("refused"),
            });
            document.body.append(one);
          });
        return {
          read: await fetch(`${origin}/app/keys`, { credentials: "include" }).then(
            () => "read",
            () => "refused",
          ),
          changed: await fetch(`${origin}/app/keys`, {
            method: "POST",
            mode: "no-cors",
            credentials: "include",
            body: '{"name":"stolen"}',
          }).then(
            () => "sent",
            () => "refused",
          ),
          image: await element(() => document.createElement("img")),
        };
      }, base);
      expect(outcome).toMatchObject({ read: "refused", image: "refused" });
      const framed = page.waitForResponse((response) => response.url() === `${base}/`);
      await page.evaluate(
        (origin) =>
          document.body.append(
            Object.assign(document.createElement("iframe"), { src: `${origin}/` }),
          ),
        base,
      );
      expect((await framed).status()).toBe(403);
      expect((await whole.call("listKeys")).keys).toEqual([]);
    }
    await page.goto(`http://evil.example:${(evil.address() as AddressInfo).port}/`);
    await page.evaluate((origin) => {
      const link = Object.assign(document.createElement("a"), {
        href: `${origin}/`,
        textContent: "go",
      });
      document.body.append(link);
      link.click();
    }, base);
    await page.waitForURL(`${base}/`);
    expect(await page.textContent("h1")).toBe("This window is locked");
    // From a page of the window's own origin, the browser sends the SameSite cookie.
    await page.getByRole("link").click();
    await page.waitForSelector("#root > *");
  });
});

/** First contentful paint of a window, in ms. */
async function paintMs(page: Page): Promise<number> {
  await page.waitForSelector("#root > *");
  return page.evaluate(
    () => performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? Infinity,
  );
}

describe.skipIf(none)("the page (needs Chromium)", () => {
  it("appears within a second without errors, and remains after a reload", async () => {
    const page = await whole.open();
    // Other tests run at the same time, so the best of three windows counts.
    const paints = [await paintMs(page)];
    while (Math.min(...paints) >= 1000 && paints.length < 3) {
      const other = await whole.open();
      paints.push(await paintMs(other));
      await other.context().close();
    }
    expect(Math.min(...paints)).toBeLessThan(1000);
    await page.reload();
    await page.waitForSelector("#root > *");
    expect(page.url()).not.toContain("launch");
    expect(page.pageErrors).toEqual([]);
    await page.context().close();
  });

  it("receives events", async () => {
    const page = await whole.open();
    const line = page.evaluate(async () => {
      const response = await fetch("./app/events");
      if (response.body === null) return "";
      let text = "";
      for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
        text += chunk;
        if (text.includes('"type":"request"')) break;
      }
      return text;
    });
    const speechResponse = fetch(`${whole.baseUrl}/audio/speech`, {
      method: "POST",
      headers: { authorization: `Bearer ${whole.key}` },
      body: JSON.stringify({ model: "tts-1", voice: "nova", input: "Hello." }),
    });
    expect((await speechResponse).status).toBe(200);
    await (await speechResponse).arrayBuffer();
    expect(await line).toContain('"endpoint":"speech"');
    await page.context().close();
  });
});
