// The whole desktop app over the fake Electron: the real entry point, a new data folder, real engines in utility
// processes. Each start loads its own copy of the modules, like a new process.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { vi } from "vitest";
import { ensureBuiltPage } from "../../build/built-page.ts";
import type { DesktopBridge } from "../../main/contract/desktop-bridge.ts";
import { neverAborted } from "./app.ts";
import type * as Fake from "./fake-electron.ts";
import { openFolder } from "./test-data.ts";

export type Desktop = {
  readonly electron: typeof Fake;
  readonly dataDir: string;
  /** The window that shows the page. */
  mainWindow(): Fake.BrowserWindow;
  /** The bridge that the preload script exposes to the page. */
  bridge(window?: Fake.BrowserWindow): DesktopBridge;
  /** Sends a request as the page, with its cookie. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** Resolves when the process would have exited. */
  quit(): Promise<void>;
  close(): Promise<void>;
};

export type DesktopOptions = {
  args?: readonly string[];
  /** Runs before the entry point. */
  prepare?(electron: typeof Fake): void;
  /** An existing folder; default: a new one, removed with the app. */
  dataDir?: string;
};

const projectDir = join(import.meta.dirname, "..", "..");
const entry = join(projectDir, "main", "electron", "main.ts");

/** The caller has to close it. */
export async function startDesktop({
  args = [],
  prepare,
  dataDir,
}: DesktopOptions = {}): Promise<Desktop> {
  if (!existsSync(join(projectDir, "dist", "renderer", "index.html")))
    await ensureBuiltPage(() => {}, neverAborted());
  const folder =
    dataDir === undefined ? await openFolder() : { path: dataDir, remove: async () => {} };
  vi.resetModules();
  const electron: typeof Fake = await import("./fake-electron.ts");
  prepare?.(electron);
  const { argv } = process;
  const earlierListeners = new Set(process.listeners("unhandledRejection"));
  vi.stubEnv("HEARSAY_LOG", "silent");
  process.argv = [
    "electron",
    projectDir,
    "--port",
    "0",
    "--workers",
    "1",
    "--data-dir",
    folder.path,
    ...args,
  ];
  try {
    const { started } = (await import(entry)) as { started: Promise<void> };
    await started;
    await Promise.all(electron.fake.pageLoads);
  } finally {
    process.argv = argv;
    vi.unstubAllEnvs();
  }
  /** Listeners of the app on the process, which a process of its own would take with it. */
  const appListeners = process
    .listeners("unhandledRejection")
    .filter((listener) => !earlierListeners.has(listener));

  const mainWindow = (): Fake.BrowserWindow => {
    const window = [...electron.BrowserWindow.all].find(({ options }) => options.frame !== false);
    if (window === undefined) throw new Error("there is no window");
    return window;
  };

  async function quit(): Promise<void> {
    electron.app.quit();
    await electron.fake.exited.promise;
  }

  return {
    electron,
    dataDir: folder.path,
    mainWindow,
    bridge: (window = mainWindow()) =>
      window.webContents.mainWorld["hearsayDesktop"] as DesktopBridge,
    fetch(path, init = {}) {
      const cookie = electron.session
        .fromPartition("ui")
        .cookieJar.map(({ name, value }) => `${name}=${value}`)
        .join("; ");
      return fetch(new URL(`.${path}`, mainWindow().webContents.getURL()), {
        ...init,
        headers: { ...init.headers, cookie },
      });
    },
    quit,
    async close() {
      if (electron.fake.exitCode === undefined) await quit();
      for (const listener of appListeners) process.off("unhandledRejection", listener);
      await folder.remove();
    },
  };
}
