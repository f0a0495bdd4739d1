// The features of the desktop, connected with each other and with the app. Each has its own file.

import { join } from "node:path";
import { app } from "electron";
import type { App } from "../app.ts";
import type { AppEvent } from "../contract/app-event.ts";
import type { Item } from "../contract/library-item.ts";
import type { Log } from "../log.ts";
import type { Outbound } from "../network/outbound.ts";
import { createApiPort } from "./api-port.ts";
import { createBridgeActions } from "./bridge-actions.ts";
import { openBridge } from "./bridge.ts";
import { createClipboard } from "./clipboard.ts";
import { readDesktopState } from "./desktop-state.ts";
import { pushNames } from "./ipc-names.ts";
import { createLoginItem } from "./login-item.ts";
import { createMenuActions } from "./menu-actions.ts";
import { createMenus } from "./menus.ts";
import { messagesFor } from "./messages.ts";
import { createMonitors } from "./monitors.ts";
import { createNotifications } from "./notifications.ts";
import type { RequestHandler } from "./open-requests.ts";
import { createOutbox } from "./outbox.ts";
import type { Quit } from "./quit.ts";
import { createShortcut } from "./shortcut.ts";
import { createTray } from "./tray.ts";
import { builtInKeys, createFeedReader } from "./update-feed.ts";
import { openUpdateSession } from "./update-session.ts";
import { createUpdates, type Updates, type UpdatesDeps } from "./updates.ts";
import { createWindows } from "./windows.ts";
import { createWorkIndicator } from "./work-indicator.ts";

export type FeaturesDeps = {
  hearsay: App;
  dataDir: string;
  /** Of our pages. */
  origin: string;
  pageUrl: string;
  quit: Quit;
  /** First result of `hasTray`. */
  isTrayVisible: boolean;
  /** True if the system encrypts keys. */
  hasKeyring: boolean;
  log: Log;
};

export type Features = {
  /** Starts or ends dictation. */
  dictate(): void;
  open: RequestHandler;
  /** Opens the API port. Never rejects. */
  startServer(): Promise<void>;
  close(): Promise<void>;
};

export function createFeatures({
  origin,
  isTrayVisible,
  hasKeyring,
  ...deps
}: FeaturesDeps): Features {
  const { hearsay, quit, log } = deps;
  const preferences = () => hearsay.preferences().desktop;
  const texts = () => messagesFor(hearsay.preferences().language, app.getLocale());
  const outbox = createOutbox();
  const notifications = createNotifications();
  const shared = {
    ...deps,
    preferences,
    texts,
    outbox,
    notifications,
    clipboard: createClipboard(),
  };
  const monitors = createMonitors();
  // Recreate the source that the user chose earlier.
  if (hearsay.preferences().recordFrom.deviceLabel?.startsWith("Monitor of ") === true)
    void monitors.offer();

  const windows = createWindows({
    ...shared,
    hasTray: () => tray.isAvailable(),
    onRecordingChange: (isPhaseChange) => (isPhaseChange ? menus.update() : menus.updateTray()),
  });
  const { mainWindow, dictation, captions, typing, fileOpener, recordings } = windows;
  const apiPort = createApiPort(shared);
  const actions = createMenuActions({ ...shared, ...windows, apiPort });
  const tray = createTray(actions, isTrayVisible);
  const menus = createMenus({ ...shared, actions, tray, recordings });
  const shortcut = createShortcut(dictation.toggle);
  const loginItem = createLoginItem({ app });
  const updates = openUpdates(hearsay.outbound, {
    feed: () => preferences().updateFeed,
    onChange: sendState,
    quitThen: quit.quitThen,
  });
  const workIndicator = createWorkIndicator({
    ...shared,
    isFocused: mainWindow.isFocused,
    shouldNotify: () => preferences().notifies,
    setProgress: (progress) => mainWindow.main()?.setProgressBar(progress),
    open: (item) => mainWindow.command({ type: "go", path: pagePath(item) }),
  });
  const state = () => readDesktopState({ hasKeyring, typing, shortcut, loginItem, updates, texts });
  const closeBridge = openBridge({
    origin,
    outbox,
    texts,
    windowOf: windows.kindOf,
    actions: createBridgeActions({
      ...shared,
      ...windows,
      state,
      loginItem,
      updates,
      monitors,
    }),
  });
  const unsubscribeEvents = followEvents(hearsay, log, (event) => {
    workIndicator.onEvent(event);
    if (event.type === "preferences") applyPreferences();
    if (event.type === "server") menus.update();
  });
  applyPreferences();
  app.on("activate", () => mainWindow.show());

  function sendState(): void {
    const main = mainWindow.main();
    if (main !== undefined) outbox.send(main.webContents, pushNames.state, state(), true);
  }

  /** Applies the current preferences. */
  function applyPreferences(): void {
    shortcut.set(preferences().dictationKeys);
    dictation.discardHiddenWindow();
    menus.update();
    sendState();
  }

  return {
    dictate: dictation.toggle,
    open: fileOpener.open,
    startServer: apiPort.start,
    async close() {
      unsubscribeEvents();
      closeBridge();
      workIndicator.close();
      shortcut.close();
      dictation.close();
      captions.close();
      tray.close();
      await monitors.close();
    },
  };
}

const pagePath = ({ id, kind }: Item): string =>
  `/${kind === "narration" ? "narrate" : "transcribe"}/${id}`;

function openUpdates(
  outbound: Outbound,
  deps: Pick<UpdatesDeps, "feed" | "onChange" | "quitThen">,
): Updates {
  return createUpdates({
    ...deps,
    checkOnline: outbound.check,
    configPath: join(app.getPath("userData"), "updates.yml"),
    version: app.getVersion(),
    keys: builtInKeys(app.getAppPath()),
    readFeedFile: createFeedReader(openUpdateSession(outbound)),
  });
}

/** @returns a function that unsubscribes */
const followEvents = (hearsay: App, log: Log, listener: (event: AppEvent) => void): (() => void) =>
  hearsay.onEvent((event) => {
    try {
      listener(event);
    } catch (error) {
      // The publisher of the event must not fail because of the desktop.
      log.error({ err: error }, "the desktop could not handle an event");
    }
  });
