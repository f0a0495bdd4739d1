// Composition of the desktop app: starts the app, opens its window and connects the system's features. Each feature has
// its own file.

import { join } from "node:path";
import { app, Menu, safeStorage, session, shell, systemPreferences } from "electron";
import { type App, createApp } from "../app.ts";
import type { DesktopState, PageCommand } from "../contract/shell-bridge.ts";
import type { Ownership } from "../instance/ownership.ts";
import type { Log } from "../log.ts";
import type { Settings } from "../storage/settings/settings.ts";
import { createWorkIndicator } from "./work-indicator.ts";
import { openBridge } from "./bridge.ts";
import { createClipboard } from "./clipboard.ts";
import { createDesktopPlatform } from "./desktop-platform.ts";
import { readDesktopState } from "./desktop-state.ts";
import { createDictation, type Dictation } from "./dictation.ts";
import { pushNames } from "./ipc-names.ts";
import { createLoginItem } from "./login-item.ts";
import { dockTemplate, type MenuActions, menuTemplate } from "./menu.ts";
import { describeError, interpolate, messagesFor } from "./messages.ts";
import { guardNavigation } from "./navigation.ts";
import { createMonitors } from "./monitors.ts";
import { createNotifications } from "./notifications.ts";
import type { OpenRequests } from "./open-requests.ts";
import { createFileOpener } from "./file-opener.ts";
import { createOutbox } from "./outbox.ts";
import { guardPermissions } from "./permissions.ts";
import { createQuit } from "./quit.ts";
import { createRecordings } from "./recordings.ts";
import { createSecretBox } from "./secret-box.ts";
import { createShortcut } from "./shortcut.ts";
import { createTray, hasTray } from "./tray.ts";
import { createTyping } from "./typing.ts";
import { builtInKeys, readFeedFile } from "./update-feed.ts";
import { createUpdates } from "./updates.ts";
import { partition } from "./web-preferences.ts";
import { openWindowSession } from "./window-session.ts";
import { createMainWindow } from "./main-window.ts";

export type DesktopDeps = {
  settings: Settings;
  requests: OpenRequests;
  log: Log;
  /** Ownership of the data folder. */ ownership: Ownership;
};

/** The build places it next to main/. */
const rendererDir = join(import.meta.dirname, "..", "..", "dist", "renderer");

/** Call it when Electron is ready. Rejects if the app cannot run. */
export async function startDesktop({
  settings,
  requests,
  log: appLog,
  ownership,
}: DesktopDeps): Promise<void> {
  const log = appLog.child({ room: "shell" });
  const { dataDir } = settings;
  const hasTrayPromise = hasTray();
  const secretBox = await createSecretBox(safeStorage);
  let dictation: Dictation | undefined;
  const dictate = (): void => dictation?.toggle();
  const hearsay = await createApp(
    createDesktopPlatform({ dataDir, dictate, ...(secretBox === undefined ? {} : { secretBox }) }),
    settings,
    appLog,
    { ownership },
  ).catch((error: unknown) => {
    ownership.release();
    throw error;
  });
  await ownership.serve(
    async ({ paths, wantsWindow }) => {
      const refused = await requests.push({ paths, dictates: false, isHidden: !wantsWindow });
      const baseUrl = hearsay.baseUrl();
      return { ...(baseUrl === undefined ? {} : { baseUrl }), refused };
    },
    (text) => log.warn(text),
  );
  /** Cleanup functions, run in reverse order; the user may quit during startup. */
  const cleanups: (() => void)[] = [];
  const quit = createQuit({ app, close, log });
  const { origin, pageUrl, launchUrl } = await hearsay.startWindow(rendererDir);
  const texts = () => messagesFor(hearsay.preferences().language, app.getLocale());
  const desktopPreferences = () => hearsay.preferences().desktop;

  const windowSession = session.fromPartition(partition);
  guardNavigation({ app, shell, origin, apiUrl: hearsay.baseUrl });
  guardPermissions(windowSession, origin, askForMicrophone);
  await openWindowSession(windowSession, launchUrl());

  const outbox = createOutbox();
  const notifications = createNotifications();
  const clipboard = createClipboard();
  const monitors = createMonitors();
  // Recreate the source that the user chose earlier.
  if (hearsay.preferences().recordFrom.deviceLabel?.startsWith("Monitor of ") === true)
    void monitors.offer();
  const actions: MenuActions = {
    open: () => mainWindow.show(),
    command: (...commands: readonly PageCommand[]) => mainWindow.command(...commands),
    openFiles: () => fileOpener.showFilePicker(),
    dictate,
    stopRecording,
    setServing(isServing) {
      hearsay.setServing(isServing).catch(notifyServerFailed);
    },
    copyBaseUrl() {
      const baseUrl = hearsay.baseUrl();
      // If copying fails, the notification shows the URL.
      if (baseUrl !== undefined)
        void clipboard.write(baseUrl).catch(() => notifications.show(texts().apiBaseUrl, baseUrl));
    },
    openApiPage: () =>
      void openApiPage(hearsay).catch((error: unknown) =>
        log.warn({ err: error }, "the API page could not be opened"),
      ),
    openDataFolder: () =>
      void openFolder(dataDir).catch((error: unknown) =>
        log.warn({ err: error }, "the data folder could not be opened"),
      ),
    quit: () => app.quit(),
  };
  const recordings = createRecordings((isPhaseChange) =>
    isPhaseChange ? updateMenus() : updateTray(),
  );
  const tray = createTray(actions, await hasTrayPromise);
  cleanups.push(tray.close);
  const mainWindow = createMainWindow({
    pageUrl,
    windowStatePath: join(app.getPath("userData"), "window.json"),
    outbox,
    quit,
    shouldKeepRunning: () => desktopPreferences().keepsRunning,
    hasTray: tray.isAvailable,
    onHidden,
    texts,
    log,
  });
  const fileOpener = createFileOpener({ hearsay, mainWindow, dictate, texts, log });
  const typing = createTyping({
    isTrusted: () => systemPreferences.isTrustedAccessibilityClient(false),
  });
  dictation = createDictation({
    pageUrl,
    quit,
    outbox,
    clipboard,
    typing,
    notifications,
    shouldType: () => desktopPreferences().typesDictation,
    textOptions: () => ({ keepsLineBreaks: desktopPreferences().keepsDictatedLineBreaks }),
    texts,
    log,
  });
  const shortcut = createShortcut(dictate);
  cleanups.push(dictation.close, shortcut.close);
  const loginItem = createLoginItem({ app });
  const updates = createUpdates({
    feed: () => desktopPreferences().updateFeed,
    configPath: join(app.getPath("userData"), "updates.yml"),
    version: app.getVersion(),
    keys: builtInKeys(app.getAppPath()),
    readFeedFile,
    onChange: sendState,
    quitThen: quit.quitThen,
  });
  const workIndicator = createWorkIndicator({
    notifications,
    isFocused: mainWindow.isFocused,
    shouldNotify: () => desktopPreferences().notifies,
    setProgress: (progress) => mainWindow.main()?.setProgressBar(progress),
    open: ({ id, kind }) =>
      mainWindow.command({
        type: "go",
        path: `/${kind === "narration" ? "narrate" : "transcribe"}/${id}`,
      }),
    texts,
  });
  cleanups.push(workIndicator.close);
  const state = () =>
    readDesktopState({
      hasKeyring: secretBox !== undefined,
      typing,
      shortcut,
      loginItem,
      updates,
      texts,
    });

  const closeBridge = openBridge({
    origin,
    outbox,
    isDictationWindow: dictation.ownsContents,
    actions: {
      state,
      setOpensAtLogin: (isOn) => runThenReadState(loginItem.set(isOn)),
      checkForUpdate: () => runThenReadState(updates.check()),
      downloadUpdate: () => runThenReadState(updates.download()),
      installUpdate: updates.install,
      showItem: (itemId) => showItem(hearsay, itemId),
      openFolder: (folder) => openFolder(folder === "data" ? dataDir : app.getPath("crashDumps")),
      offerMonitors: monitors.offer,
      dictated: dictation.acceptText,
      setRecording: recordings.set,
    },
  });
  const unsubscribeEvents = hearsay.onEvent((event) => {
    try {
      workIndicator.onEvent(event);
      if (event.type === "preferences") applyPreferences();
      if (event.type === "server") updateMenus();
    } catch (error) {
      // The publisher of the event must not fail because of the desktop.
      log.error({ err: error }, "the desktop could not follow");
    }
  });
  cleanups.push(closeBridge, unsubscribeEvents);
  applyPreferences();
  app.on("activate", () => mainWindow.show());
  app.on("child-process-gone", (_event, { type, name, reason, exitCode }) => {
    if (reason !== "clean-exit")
      log.warn({ type, name, reason, exitCode }, "a process of the desktop ended by a fault");
  });
  requests.handle(fileOpener.open);
  await startServer();

  async function runThenReadState(work: unknown): Promise<DesktopState> {
    await work;
    return state();
  }

  function sendState(): void {
    const main = mainWindow.main();
    if (main !== undefined) outbox.send(main.webContents, pushNames.state, state(), true);
  }

  /** Applies the current preferences. */
  function applyPreferences(): void {
    shortcut.set(desktopPreferences().dictationKeys);
    dictation?.discardHiddenWindow();
    updateMenus();
    sendState();
  }

  function updateMenus(): void {
    const baseUrl = hearsay.baseUrl();
    updateTray();
    Menu.setApplicationMenu(
      Menu.buildFromTemplate(menuTemplate(texts(), actions, baseUrl !== undefined)),
    );
    app.dock?.setMenu(
      Menu.buildFromTemplate(dockTemplate(texts(), actions, recordings.current() !== undefined)),
    );
  }

  function updateTray(): void {
    tray.update(texts(), hearsay.baseUrl(), recordings.current());
  }

  function stopRecording(): void {
    for (const contents of recordings.all()) {
      if (dictation?.ownsContents(contents) === true)
        outbox.send(contents, pushNames.dictationStop, undefined, true);
      else
        outbox.send(contents, pushNames.command, {
          type: "run",
          actionId: "recording.stop",
        } satisfies PageCommand);
    }
  }

  /** Tells the user that the recording continues without its window. */
  function onHidden(): void {
    const main = mainWindow.main();
    if (main !== undefined && recordings.isRecording(main.webContents))
      notifications.show(texts().stillRecording, texts().stillRecordingBody, () =>
        mainWindow.show(),
      );
  }

  /** The window also works without the API port. */
  async function startServer(): Promise<void> {
    try {
      const { requestedPort, port, isKeyShort } = await hearsay.start();
      if (isKeyShort)
        log.warn("the API key is short, so it can be guessed: the network is not served with it");
      if (port !== requestedPort && requestedPort !== 0)
        notifications.show(
          interpolate(texts().portTaken, { wanted: requestedPort }),
          interpolate(texts().portTakenBody, { port }),
        );
    } catch (error) {
      notifyServerFailed(error);
    }
  }

  function notifyServerFailed(error: unknown): void {
    log.error({ err: error }, "the API port could not be opened");
    notifications.show(texts().serverFailed, describeError(error, texts()));
  }

  async function close(): Promise<void> {
    for (const end of cleanups.splice(0).reverse()) end();
    await Promise.all([hearsay.close(), monitors.close()]);
  }
}

/** @returns whether the item has an audio file */
async function showItem(hearsay: App, itemId: string): Promise<boolean> {
  const path = await hearsay.itemFile(itemId).catch(() => undefined);
  if (path !== undefined) shell.showItemInFolder(path);
  return path !== undefined;
}

/** @throws Error with the system's reason */
async function openFolder(path: string): Promise<void> {
  const errorMessage = await shell.openPath(path);
  if (errorMessage !== "") throw new Error(errorMessage);
}

/** On other systems the system asks by itself, or not at all. */
const askForMicrophone = async (): Promise<boolean> =>
  process.platform !== "darwin" ||
  (await systemPreferences.askForMediaAccess("microphone").catch(() => false));

async function openApiPage(hearsay: App): Promise<void> {
  const baseUrl = hearsay.baseUrl();
  if (baseUrl !== undefined) await shell.openExternal(new URL("/docs", baseUrl).href);
}
