// The whole app with its window for end-to-end tests: real engines, a new data folder, the built page, and a real
// Chromium whose errors are collected.

import { join } from "node:path";
import type { Browser, BrowserContext, Page } from "playwright";
import { type App, createApp } from "../../main/app.ts";
import { api, type ApiName, type ApiRequest, type ApiResponse } from "../../main/contract/api.ts";
import type { Item } from "../../main/contract/library-item.ts";
import { ensureBuiltPage } from "../../build/built-page.ts";
import { createNodePlatform } from "../../main/cli/platform.ts";
import { claimDataFolder } from "../../main/instance/ownership.ts";
import { readSettings } from "../../main/storage/settings/settings.ts";
import { neverAborted, quietLog } from "./app.ts";
import { launchBrowser, sharedBrowser } from "./browser.ts";
import { waitUntil } from "./command-line.ts";
import { openFolder } from "./test-data.ts";

export type WatchedPage = Page & {
  /** Policy violations, logged errors and failed requests of the page. */
  readonly pageErrors: string[];
};

export type PageOptions = {
  theme?: "light" | "dark";
  widthPx?: number;
  heightPx?: number;
  /** Route within the page, such as `/library`. */
  path?: string;
  /** Runs before the page's own scripts. */
  initScript?: string;
};

export type AppWithWindow = {
  readonly app: App;
  /** Origin of the window. */
  readonly origin: string;
  /** Address of the page, with a trailing slash. */
  readonly pageUrl: string;
  /** A new link that opens the window, valid once. */
  launchUrl(): string;
  /** Base URL of the API: `http://…/v1`. */
  readonly baseUrl: string;
  readonly key: string;
  readonly dataDir: string;
  /** Sends an owner's request to /app. @throws Error for an error status */
  call<Name extends ApiName>(
    name: Name,
    fields?: Partial<ApiRequest<Name>>,
    id?: string,
  ): Promise<ApiResponse<Name>>;
  /** Sends a request whose bodies are not JSON. @throws Error as `call` */
  send(path: string, init?: RequestInit): Promise<Response>;
  /** Resolves once the work on an item has ended. */
  waitUntilFinished(itemId: string): Promise<Item>;
  /** Opens a new browser window with a session, at a route of the page. */
  open(options?: PageOptions): Promise<WatchedPage>;
  close(): Promise<void>;
};

export type AppWithWindowOptions = {
  /** A WAV file that pages record as their microphone. */
  microphone?: string;
  /** Folder of a built page; default: the app's own, built if needed. */
  rendererDir?: string;
  /** Settings of the app, as environment variables. */
  environment?: Record<string, string>;
  /** Puts something into the data folder before the start. */
  prepare?(dataDir: string): Promise<void>;
  /** Whether commands on the data folder find the app. */
  takesCommands?: boolean;
};

/** Engines may take long to load while those of earlier tests are still exiting. */
const pageTimeoutMs = 60_000;

/** The caller has to close it. */
export async function openAppWithWindow({
  microphone,
  rendererDir,
  environment = {},
  prepare,
  takesCommands = false,
}: AppWithWindowOptions = {}): Promise<AppWithWindow> {
  const pageDir = rendererDir ?? (await ensureBuiltPage(() => {}, neverAborted()));
  const folder = await openFolder();
  const dataDir = join(folder.path, "data");
  await prepare?.(dataDir);
  const platform = createNodePlatform(dataDir);
  const ownership = takesCommands ? claimDataFolder(dataDir) : undefined;
  await ownership?.serve(() => Promise.resolve({ refused: [] }));
  const app = await createApp(
    platform,
    readSettings({ port: "0", workers: "1" }, environment, { dataDir }),
    quietLog,
    { ownership },
  );
  const { baseUrl, apiKey: key } = await app.start();
  const { origin, pageUrl, launchUrl } = await app.startWindow(pageDir);
  let ownBrowser: Promise<Browser> | undefined;
  const contexts: BrowserContext[] = [];

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
      const browser = await (microphone === undefined
        ? sharedBrowser()
        : (ownBrowser ??= launchBrowser({ microphone })));
      const context = await browser.newContext({
        colorScheme: theme,
        viewport: { width: widthPx, height: heightPx },
        locale: "en-GB",
        acceptDownloads: true,
      });
      contexts.push(context);
      if (initScript !== undefined) await context.addInitScript({ content: initScript });
      const page = await context.newPage();
      page.setDefaultTimeout(pageTimeoutMs);
      const pageErrors = collectPageErrors(page);
      await page.goto(launchUrl());
      // The page may have redirected itself to its welcome page, which this URL would revert.
      if (path !== "/") await page.goto(`${pageUrl}#${path}`);
      // Input before the frame exists would be lost. Only tests are that fast.
      await page.waitForSelector(".app");
      return Object.assign(page, { pageErrors });
    },
    async close() {
      await Promise.all(contexts.map((context) => context.close()));
      await (await ownBrowser)?.close();
      await app.close();
      await folder.remove();
    },
  };
  return appWithWindow;
}

/** The console also shows violations of the Content Security Policy. */
export function collectPageErrors(page: Page): string[] {
  const pageErrors: string[] = [];
  page.on("pageerror", (error) => pageErrors.push(`error: ${error.message}`));
  page.on("console", (message) => {
    if (message.type() === "error") pageErrors.push(`console: ${message.text()}`);
  });
  page.on("requestfailed", (request) => {
    const reason = request.failure()?.errorText ?? "";
    // Requests that the page itself aborted, and streams that end with the page, are not errors.
    if (reason !== "net::ERR_ABORTED") pageErrors.push(`failed: ${request.url()} ${reason}`);
  });
  return pageErrors;
}
