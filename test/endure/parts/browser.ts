// Endurance part `browser`: a real Chromium with a session visits pages of other local ports, other sites and rebound
// DNS names, which try everything a page can; a local program replays captured requests. None must get access.

import { writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser, BrowserContext, Page } from "playwright";
import { openBrowser } from "../../../main/cli/open-browser.ts";
import { chromiumPath, launchBrowser } from "../../support/browser.ts";
import type { Row } from "../../support/report.ts";
import { openAppWithWindow, type AppWithWindow } from "../../support/app-with-window.ts";
import type { EndureContext, EndurePart } from "../part.ts";
import { attackFromPage } from "./browser/page-attacks.ts";

const area = "browser";
const checkNames = {
  rebound: "requests served to a rebound name",
  foreign: "things that pages of other origins could do",
  cookies: "cookies that reached another port",
  replayed: "replayed cookies that were served",
  links: "windows opened by links of others or used links",
} as const;
const controlNames = {
  cookie: "control: the cookie is seen below its own path",
  unguarded: "control: the same tries reach a server without a guard",
  file: "control: the file for the browser opens the window",
  own: "control: the window's own requests are served",
} as const;
type Counts = Record<keyof typeof checkNames | keyof typeof controlNames, number>;

export const part: EndurePart = {
  defaultMinutes: 1,
  async run(context) {
    if (chromiumPath === undefined)
      return Object.values(checkNames).map((what) => ({
        area,
        what,
        value: undefined,
        unit: "",
        goal: { max: 0 },
        note: "there is no Chromium here",
      }));
    const whole = await openAppWithWindow();
    const browser = await launchBrowser({
      args: ["--host-resolver-rules=MAP rebound.example 127.0.0.1, MAP evil.example 127.0.0.1"],
    });
    const listener = await openListener();
    const counts: Counts = {
      rebound: 0,
      foreign: 0,
      cookies: 0,
      replayed: 0,
      links: 0,
      cookie: 0,
      unguarded: 0,
      file: 0,
      own: 0,
    };
    try {
      const endMs = performance.now() + context.minutes * 60_000;
      let roundCount = 0;
      do {
        await runRound({ whole, browser, listener, counts, context });
        roundCount += 1;
        context.log(`round ${roundCount}`);
      } while (!context.isShort && performance.now() < endMs);
      const note = `${roundCount} rounds`;
      const row = (what: string, value: number, goal: Row["goal"]): Row => ({
        area,
        what,
        value,
        unit: "",
        goal: goal ?? { max: 0 },
        note,
      });
      return [
        ...Object.entries(checkNames).map(([name, what]) =>
          row(what, counts[name as keyof Counts], { max: 0 }),
        ),
        ...Object.entries(controlNames).map(([name, what]) =>
          row(what, counts[name as keyof Counts] / roundCount, { min: 1 }),
        ),
      ];
    } finally {
      await browser.close();
      listener.close();
      await whole.close();
    }
  },
};

type RoundContext = {
  whole: AppWithWindow;
  browser: Browser;
  listener: Listener;
  counts: Counts;
  context: EndureContext;
};

/** A new browser profile, whose user opens the window and then visits other pages. */
async function runRound({
  whole,
  browser,
  listener,
  counts,
  context,
}: RoundContext): Promise<void> {
  const profile = await browser.newContext();
  const window = await profile.newPage();
  const usedLink = whole.launchUrl();
  await window.goto(usedLink);
  await window.waitForSelector(".app");
  counts.unguarded += Math.min(1, await attackUnprotectedServer(profile, listener));
  const wrongSecret = Array.from(
    { length: 32 },
    () => "abcdefghijklmnopqrstuvwxyz012345"[Math.floor(context.random() * 32)],
  ).join("");

  counts.rebound += await rebound(profile, whole);
  listener.requests.length = 0;
  for (const host of ["127.0.0.1", "localhost", "evil.example"]) {
    const page = await profile.newPage();
    for (const path of ["/", "/app/keys", "/launch", `/${wrongSecret}/`])
      await page.goto(`http://${host}:${listener.port}${path}`);
    // With the secret path, which a foreign page cannot know, and without it.
    for (const target of [whole.pageUrl, `${whole.origin}/`])
      counts.foreign += await attackFromPage(page, target);
    await page.close();
  }
  counts.foreign += (await whole.call("listKeys")).keys.length;
  counts.cookies += listener.requests.filter(hasCookie).length;

  // Only this test knows the path. A port that did know it would receive the cookie, since cookies ignore ports.
  const leakPage = await profile.newPage();
  await leakPage.goto(`http://127.0.0.1:${listener.port}${new URL(whole.pageUrl).pathname}`);
  const captured = listener.requests.filter(hasCookie).at(-1)?.headers.cookie ?? "";
  counts.cookie += Number(captured !== "");
  for (const path of [
    "/",
    "/app/keys",
    "/v1/models",
    `/${wrongSecret}/`,
    `/${wrongSecret}/app/keys`,
  ]) {
    const { status } = await fetch(whole.origin + path, {
      headers: { cookie: captured },
      redirect: "manual",
    });
    counts.replayed += Number(status < 400);
  }

  counts.links += await tryLinks({ whole, browser, profile, listener, usedLink, wrongSecret });
  counts.file += Number(await openByFile(await browser.newContext(), whole, context.scratchDir));
  counts.own += Number(
    (await window.evaluate(() => fetch("./app/info").then(({ status }) => status))) === 200,
  );
  await profile.close();
}

async function attackUnprotectedServer(
  profile: BrowserContext,
  { port }: Listener,
): Promise<number> {
  const page = await profile.newPage();
  await page.goto(`http://127.0.0.1:${port}/`);
  const successCount = await attackFromPage(page, `http://127.0.0.1:${port}/`);
  await page.close();
  return successCount;
}

/**
 * A foreign DNS name that resolves to the window's port: requests for the page, and requests from a page of that name.
 */
async function rebound(
  profile: BrowserContext,
  { origin, pageUrl }: AppWithWindow,
): Promise<number> {
  const page = await profile.newPage();
  let served = 0;
  for (const address of [`${origin}/`, pageUrl, `${pageUrl}app/keys`, `${pageUrl}launch?code=x`]) {
    const response = await page.goto(address.replace("127.0.0.1", "rebound.example"));
    served += Number((response?.status() ?? 0) < 400);
  }
  served += await page.evaluate(
    async (path) => Number((await fetch(`${path}app/keys`)).ok),
    new URL(pageUrl).pathname,
  );
  await page.close();
  return served;
}

type LinkContext = Pick<RoundContext, "whole" | "browser" | "listener"> & {
  profile: BrowserContext;
  usedLink: string;
  wrongSecret: string;
};

/** Links that were used or guessed, or that are on a foreign page. */
async function tryLinks({
  whole,
  browser,
  profile,
  listener,
  usedLink,
  wrongSecret,
}: LinkContext): Promise<number> {
  let opened = 0;
  const otherProfile = await browser.newContext();
  const page = await otherProfile.newPage();
  for (const link of [
    usedLink,
    whole.pageUrl,
    `${whole.pageUrl}launch?code=${wrongSecret}`,
    `${whole.origin}/launch${new URL(whole.launchUrl()).search}`,
  ]) {
    await page.goto(link);
    opened += Number(await showsWindow(page));
  }
  await otherProfile.close();
  const owner = await profile.newPage();
  for (const path of ["/", `/${wrongSecret}/`, `/${wrongSecret}/launch?code=${wrongSecret}`]) {
    await owner.goto(`http://evil.example:${listener.port}/`);
    await owner.evaluate((href) => void (location.href = href), whole.origin + path);
    await owner.waitForURL(whole.origin + path);
    opened += Number(await showsWindow(owner));
  }
  await owner.close();
  return opened;
}

/** The locked page has a heading and no root element. */
async function showsWindow(page: Page): Promise<boolean> {
  await page.waitForLoadState();
  return (await page.locator("#root").count()) > 0;
}

/** As `hearsay serve` opens the browser. */
async function openByFile(
  profile: BrowserContext,
  whole: AppWithWindow,
  scratchDir: string,
): Promise<boolean> {
  let path = join(scratchDir, "none");
  await writeFile(path, "");
  const remove = openBrowser(whole.launchUrl(), {
    dataDir: scratchDir,
    system: "darwin",
    start: (_command, args) => void (path = args.at(-1) ?? path),
  });
  const page = await profile.newPage();
  await page.goto(pathToFileURL(path).href);
  const isOpen = await page.waitForSelector(".app").then(
    () => true,
    () => false,
  );
  remove();
  await profile.close();
  return isOpen;
}

type Listener = { readonly port: number; readonly requests: IncomingMessage[]; close(): void };

const hasCookie = ({ headers }: IncomingMessage): boolean =>
  headers.cookie?.includes("hearsay_") === true;

/** Another program on this machine, with its own port. */
async function openListener(): Promise<Listener> {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    response
      .setHeader("content-type", "text/html")
      .end("<!doctype html><title>another page</title><body>");
  });
  await new Promise<void>((resolve) => server.listen(0, "0.0.0.0", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    requests,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
