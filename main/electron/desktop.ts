// Starts the desktop app: the app itself, the page's session, then the features of the desktop (features.ts).

import { join } from "node:path";
import { app, safeStorage, session, shell, systemPreferences } from "electron";
import { type App, createApp } from "../app.ts";
import type { Ownership } from "../instance/ownership.ts";
import type { Log } from "../log.ts";
import type { Settings } from "../storage/settings/settings.ts";
import { createDesktopPlatform, type DesktopPlatformDeps } from "./desktop-platform.ts";
import { createFeatures, type Features } from "./features.ts";
import { guardNavigation } from "./navigation.ts";
import type { OpenRequests } from "./open-requests.ts";
import { guardPermissions } from "./permissions.ts";
import { createQuit } from "./quit.ts";
import { createSecretBox } from "./secret-box.ts";
import { findSystemProxy } from "./system-proxy.ts";
import { hasTray } from "./tray.ts";
import { partition } from "./web-preferences.ts";
import { openWindowSession } from "./window-session.ts";

export type DesktopDeps = {
  settings: Settings;
  requests: OpenRequests;
  log: Log;
  /** Ownership of the data folder. */ ownership: Ownership;
};

/** The build places it next to main/. */
const rendererDir = join(import.meta.dirname, "..", "..", "dist", "renderer");

/** Call it when Electron is ready. Rejects if the app cannot run. */
export async function startDesktop(deps: DesktopDeps): Promise<void> {
  const { settings, requests } = deps;
  const { dataDir } = settings;
  const log = deps.log.child({ room: "electron" });
  const hasTrayPromise = hasTray();
  const secretBox = await createSecretBox(safeStorage);
  let features: Features | undefined;
  const hearsay = await openApp(deps, {
    dataDir,
    findProxy: (url) => findSystemProxy(app, url),
    dictate: () => features?.dictate(),
    ...(secretBox === undefined ? {} : { secretBox }),
  });
  await serveOtherStarts(deps, hearsay, log);
  const quit = createQuit({
    app,
    // The user may quit during startup, before there are features.
    close: async () => void (await Promise.all([features?.close(), hearsay.close()])),
    log,
  });
  const { origin, pageUrl, launchUrl } = await hearsay.startWindow(rendererDir);
  await openPageSession(hearsay, origin, launchUrl());
  features = createFeatures({
    hearsay,
    dataDir,
    origin,
    pageUrl,
    quit,
    isTrayVisible: await hasTrayPromise,
    hasKeyring: secretBox !== undefined,
    log,
  });
  app.on("child-process-gone", (_event, { type, name, reason, exitCode }) => {
    if (reason !== "clean-exit")
      log.warn({ type, name, reason, exitCode }, "a process of the desktop crashed");
  });
  requests.handle(features.open);
  await features.startServer();
}

async function openApp(
  { settings, log, ownership }: DesktopDeps,
  platform: DesktopPlatformDeps,
): Promise<App> {
  try {
    return await createApp(createDesktopPlatform(platform), settings, log, { ownership });
  } catch (error) {
    ownership.release();
    throw error;
  }
}

/** Handles the requests of starts without a desktop on the same data folder. */
async function serveOtherStarts(
  { ownership, requests }: DesktopDeps,
  hearsay: App,
  log: Log,
): Promise<void> {
  await ownership.serve(
    async ({ paths, wantsWindow }) => {
      const refused = await requests.push({ paths, dictates: false, isHidden: !wantsWindow });
      const baseUrl = hearsay.baseUrl();
      return { ...(baseUrl === undefined ? {} : { baseUrl }), refused };
    },
    (text) => log.warn(text),
  );
}

/** Restricts what pages may do and gives them their session, before the first one is loaded. */
async function openPageSession(hearsay: App, origin: string, launchUrl: string): Promise<void> {
  const pageSession = session.fromPartition(partition);
  guardNavigation({ app, shell, origin, apiUrl: hearsay.baseUrl });
  guardPermissions(pageSession, origin, askForMicrophone);
  await openWindowSession(pageSession, launchUrl);
}

/** On other systems the system asks by itself, or not at all. */
const askForMicrophone = async (): Promise<boolean> =>
  process.platform !== "darwin" ||
  (await systemPreferences.askForMediaAccess("microphone").catch(() => false));
