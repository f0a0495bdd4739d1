// The whole app with its window for end-to-end tests: real engines, a data folder of its own, the page as it is built,
// and a real Chromium whose complaints are kept.

import { join } from "node:path";
import type { Browser, Page } from "playwright";
import { type App, createApp } from "../../main/app.ts";
import { api, type ApiName, type ApiRequest, type ApiResponse } from "../../main/contract/api.ts";
import type { Item } from "../../main/contract/studio.ts";
import { ensureBuiltPage } from "../../build/built-page.ts";
import { createHeadlessPlatform } from "../../main/cli/platform.ts";
import { readSettings } from "../../main/storage/settings/settings.ts";
import { neverAborted, quietLog } from "./app.ts";
import { launchBrowser } from "./browser.ts";
import { waitUntil } from "./command-line.ts";
import { openFolder } from "./test-data.ts";

export type WatchedPage = Page & {
  /** What it did against its policy, what it logged as errors, what it failed to load. */
  readonly pageErrors: string[];
};

export type PageOptions = {
  theme?: "light" | "dark";
  widthPx?: number;
  heightPx?: number;
  /** Of the page: `/library`. */ path?: string;
  /** Run before any of the page's own. */ initScript?: string;
};

export type AppWithWindow = {
  readonly app: App;
  /** Of the window. */
  readonly origin: string;
  /** Of the page, with a slash at its end. */
  readonly pageUrl: string;
  /** A new address that opens the window, for one use. */
  launchUrl(): string;
  /** Of the API: `http://…/v1`. */
  readonly baseUrl: string;
  readonly key: string;
  readonly dataDir: string;
  /** A request to /app as the owner's. @throws Error where the answer is no success */
  call<Name extends ApiName>(
    name: Name,
    fields?: Partial<ApiRequest<Name>>,
    id?: string,
  ): Promise<ApiResponse<Name>>;
  /** One of the addresses whose bodies are no JSON. @throws as `call` */
  send(path: string, init?: RequestInit): Promise<Response>;
  /** Resolves when the work on an item ended. */
  waitUntilFinished(itemId: string): Promise<Item>;
  /** A browser window of its own that has a session, at a path of the page. */
  open(options?: PageOptions): Promise<WatchedPage>;
  close(): Promise<void>;
};

export type AppWithWindowOptions = {
  /** A WAV file that pages hear as their microphone. */
  microphone?: string;
  /** Of a built page; default the app's own, built if needed. */
  rendererDir?: string;
};

/** For engines that load while other tests' are still ending. */
const pageTimeoutMs = 60_000;

/** To be closed. */
export async function openAppWithWindow({
  microphone,
  rendererDir,
}: AppWithWindowOptions = {}): Promise<AppWithWindow> {
  const pageDir = rendererDir ?? (await ensureBuiltPage(() => {}, neverAborted()));
  const folder = await openFolder();
  const dataDir = join(folder.path, "data");
  const app = await createApp(
    createHeadlessPlatform(dataDir),
    readSettings({ port: "0", workers: "2" }, {}, { dataDir }),
    quietLog,
  );
  const { baseUrl, apiKey: key } = await app.start();
  const { origin, pageUrl, launchUrl } = await app.startWindow(pageDir);
  let browser: Promise<Browser> | undefined;

  async function send(path: string, init: RequestInit = {}): Promise<Response> {
    const response = await fetch(new URL(path, baseUrl), {
      ...init,
      headers: { ...init.headers, authorization: `Bearer ${key}` },
    });
    if (!response.ok)
      throw new Error(
        `${init.method ?? "GET"} ${path} was answered ${response.status}: ${await response.text()}`,
      );
    return response;
  }

  const appWithWindow: AppWithWindow = {
    app,
    origin,
    pageUrl,
    launchUrl,
    baseUrl,
    key,
    dataDir,
    send,
    async call(name, fields = {}, id = "") {
      const { method, path: pattern, response: schema } = api[name];
      const sendsQuery = method === "GET" || method === "DELETE";
      const query = new URLSearchParams(
        Object.entries(fields).map(([field, value]) => [field, String(value)]),
      );
      const path = pattern.replace(":id", id) + (sendsQuery && query.size > 0 ? `?${query}` : "");
      const response = await send(path, {
        method,
        ...(sendsQuery
          ? {}
          : { body: JSON.stringify(fields), headers: { "content-type": "application/json" } }),
      });
      return schema.parse(await response.json()) as ApiResponse<typeof name>;
    },
    async waitUntilFinished(itemId) {
      let item = await appWithWindow.call("readItem", {}, itemId);
      await waitUntil(async () => {
        item = await appWithWindow.call("readItem", {}, itemId);
        return !["recording", "waiting", "running"].includes(item.state);
      });
      return item;
    },
    async open({ theme = "light", widthPx = 1440, heightPx = 900, path = "/", initScript } = {}) {
      browser ??= launchBrowser(microphone === undefined ? {} : { microphone });
      const context = await (
        await browser
      ).newContext({
        colorScheme: theme,
        viewport: { width: widthPx, height: heightPx },
        locale: "en-GB",
        acceptDownloads: true,
      });
      if (initScript !== undefined) await context.addInitScript({ content: initScript });
      const page = await context.newPage();
      page.setDefaultTimeout(pageTimeoutMs);
      const pageErrors = collectPageErrors(page);
      await page.goto(launchUrl());
      // The page may have gone to its welcome by itself, which this would take back.
      if (path !== "/") await page.goto(`${pageUrl}#${path}`);
      // What is dropped or typed before the frame is there is lost on nobody but a test.
      await page.waitForSelector(".app");
      return Object.assign(page, { pageErrors });
    },
    async close() {
      await (await browser)?.close();
      await app.close();
      await folder.remove();
    },
  };
  return appWithWindow;
}

/** Violations of the policy are told in the console too. */
export function collectPageErrors(page: Page): string[] {
  const pageErrors: string[] = [];
  page.on("pageerror", (error) => pageErrors.push(`error: ${error.message}`));
  page.on("console", (message) => {
    if (message.type() === "error") pageErrors.push(`console: ${message.text()}`);
  });
  page.on("requestfailed", (request) => {
    const reason = request.failure()?.errorText ?? "";
    // What the page itself broke off, and streams that end with it.
    if (reason !== "net::ERR_ABORTED") pageErrors.push(`failed: ${request.url()} ${reason}`);
  });
  return pageErrors;
}
