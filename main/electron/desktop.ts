// The shell's table of contents: starts the app, opens its window and wires what the system offers around it. What is
// said here is order; each subject has a file of its own.

import { join } from "node:path";
import { app, Menu, safeStorage, session, shell, systemPreferences } from "electron";
import { type App, createApp } from "../app.ts";
import type { DesktopState, PageCommand } from "../contract/shell-bridge.ts";
import type { Ownership } from "../instance/ownership.ts";
import type { Log } from "../log.ts";
import type { Settings } from "../storage/settings/settings.ts";
import { createAttention } from "./attention.ts";
import { openBridge } from "./bridge.ts";
import { createClipboard } from "./clipboard.ts";
import { createDesktopPlatform } from "./desktop-platform.ts";
import { readDesktopState } from "./desktop-state.ts";
import { createDictation, type Dictation } from "./dictation.ts";
import { told } from "./ipc-names.ts";
import { createLoginItem } from "./login-item.ts";
import { dockTemplate, type MenuActions, menuTemplate } from "./menu.ts";
import { filled, messagesFor } from "./messages.ts";
import { guardNavigation } from "./navigation.ts";
import { createMonitors } from "./monitors.ts";
import { createNotices } from "./notices.ts";
import type { OpenRequests } from "./open-requests.ts";
import { createOpening } from "./opening.ts";
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
import { createWindows } from "./windows.ts";

export type DesktopDeps = {
  settings: Settings;
  requests: OpenRequests;
  log: Log;
  /** Of the data folder. */ ownership: Ownership;
};

/** As the build lays it beside main/. */
const rendererDir = join(import.meta.dirname, "..", "..", "dist", "renderer");

/** To be called when Electron is ready. Rejects where the app cannot run at all. */
export async function startDesktop({
  settings,
  requests,
  log: appLog,
  ownership,
}: DesktopDeps): Promise<void> {
  const log = appLog.child({ room: "shell" });
  const { dataDir } = settings;
  const hasTrayHere = hasTray();
  const secretBox = await createSecretBox(safeStorage);
  let dictation: Dictation | undefined;
  const dictate = (): void => dictation?.press();
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
  /** Ends what was begun, last first; somebody may quit before all of it is. */
  const ends: (() => void)[] = [];
  const quit = createQuit({ app, close, log });
  const { origin, pageUrl, launchUrl } = await hearsay.startWindow(rendererDir);
  const texts = () => messagesFor(hearsay.preferences().language, app.getLocale());
  const wishes = () => hearsay.preferences().desktop;

  const windowSession = session.fromPartition(partition);
  guardNavigation({ app, shell, origin, apiUrl: hearsay.baseUrl });
  guardPermissions(windowSession, origin, askForMicrophone);
  await openWindowSession(windowSession, launchUrl());

  const outbox = createOutbox();
  const notices = createNotices();
  const clipboard = createClipboard();
  const monitors = createMonitors();
  // The one that was chosen shall be there again.
  if (hearsay.preferences().recordFrom.deviceLabel?.startsWith("Monitor of ") === true)
    void monitors.offer();
  const actions: MenuActions = {
    open: () => windows.show(),
    command: (...commands: readonly PageCommand[]) => windows.command(...commands),
    openFiles: () => opening.pick(),
    dictate,
    stopRecording,
    setServing(isServing) {
      hearsay.setServing(isServing).catch(tellServerFailed);
    },
    copyBaseUrl() {
      const baseUrl = hearsay.baseUrl();
      // Where it cannot be copied it can be read.
      if (baseUrl !== undefined)
        void clipboard.write(baseUrl).catch(() => notices.show(texts().apiBaseUrl, baseUrl));
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
  const recordings = createRecordings((isPhase) => (isPhase ? showMenus() : showTray()));
  const tray = createTray(actions, await hasTrayHere);
  ends.push(tray.close);
  const windows = createWindows({
    pageUrl,
    placePath: join(app.getPath("userData"), "window.json"),
    outbox,
    quit,
    keepsRunning: () => wishes().keepsRunning,
    hasTray: tray.isThere,
    onPutAway,
    texts,
    log,
  });
  const opening = createOpening({ hearsay, windows, dictate, texts, log });
  const typing = createTyping({
    isTrusted: () => systemPreferences.isTrustedAccessibilityClient(false),
  });
  dictation = createDictation({
    pageUrl,
    quit,
    outbox,
    clipboard,
    typing,
    notices,
    types: () => wishes().typesDictation,
    textOptions: () => ({ keepsLineBreaks: wishes().keepsDictatedLineBreaks }),
    texts,
    log,
  });
  const shortcut = createShortcut(dictate);
  ends.push(dictation.close, shortcut.close);
  const loginItem = createLoginItem({ app });
  const updates = createUpdates({
    feed: () => wishes().updateFeed,
    configPath: join(app.getPath("userData"), "updates.yml"),
    version: app.getVersion(),
    keys: builtInKeys(app.getAppPath()),
    readFeedFile,
    onChange: tellState,
    quitFor: quit.quitFor,
  });
  const attention = createAttention({
    notices,
    isFocused: windows.isFocused,
    notifies: () => wishes().notifies,
    setProgress: (progress) => windows.main()?.setProgressBar(progress),
    open: ({ id, kind }) =>
      windows.command({
        type: "go",
        path: `/${kind === "narration" ? "narrate" : "transcribe"}/${id}`,
      }),
    texts,
  });
  ends.push(attention.close);
  const state = () =>
    readDesktopState({
      hasKeyring: secretBox !== undefined,
      typing,
      shortcut,
      loginItem,
      updates,
      texts,
    });

  const endBridge = openBridge({
    origin,
    outbox,
    isDictation: dictation.isOf,
    actions: {
      state,
      setOpensAtLogin: (isOn) => stateAfter(loginItem.set(isOn)),
      checkForUpdate: () => stateAfter(updates.check()),
      downloadUpdate: () => stateAfter(updates.download()),
      installUpdate: updates.install,
      showItem: (itemId) => showItem(hearsay, itemId),
      openFolder: (folder) => openFolder(folder === "data" ? dataDir : app.getPath("crashDumps")),
      offerMonitors: monitors.offer,
      dictated: dictation.take,
      setRecording: recordings.set,
    },
  });
  const endEvents = hearsay.onEvent((event) => {
    try {
      attention.take(event);
      if (event.type === "preferences") follow();
      if (event.type === "server") showMenus();
    } catch (error) {
      // Whoever did what happened must not fail by what the system made of it.
      log.error({ err: error }, "the desktop could not follow");
    }
  });
  ends.push(endBridge, endEvents);
  follow();
  app.on("activate", () => windows.show());
  app.on("child-process-gone", (_event, { type, name, reason, exitCode }) => {
    if (reason !== "clean-exit")
      log.warn({ type, name, reason, exitCode }, "a process of the desktop ended by a fault");
  });
  requests.handle(opening.open);
  await serve();

  async function stateAfter(work: unknown): Promise<DesktopState> {
    await work;
    return state();
  }

  function tellState(): void {
    const main = windows.main();
    if (main !== undefined) outbox.send(main.webContents, told.state, state(), true);
  }

  /** Does as is preferred now. */
  function follow(): void {
    shortcut.set(wishes().dictationKeys);
    dictation?.forget();
    showMenus();
    tellState();
  }

  function showMenus(): void {
    const baseUrl = hearsay.baseUrl();
    showTray();
    Menu.setApplicationMenu(
      Menu.buildFromTemplate(menuTemplate(texts(), actions, baseUrl !== undefined)),
    );
    app.dock?.setMenu(
      Menu.buildFromTemplate(dockTemplate(texts(), actions, recordings.current() !== undefined)),
    );
  }

  function showTray(): void {
    tray.update(texts(), hearsay.baseUrl(), recordings.current());
  }

  function stopRecording(): void {
    for (const contents of recordings.all()) {
      if (dictation?.isOf(contents) === true)
        outbox.send(contents, told.dictationStop, undefined, true);
      else
        outbox.send(contents, told.command, {
          type: "run",
          actionId: "recording.stop",
        } satisfies PageCommand);
    }
  }

  /** Tells the user that the recording continues without its window. */
  function onPutAway(): void {
    const main = windows.main();
    if (main !== undefined && recordings.isOf(main.webContents))
      notices.show(texts().stillRecording, texts().stillRecordingBody, () => windows.show());
  }

  /** The window is of use without the API's port. */
  async function serve(): Promise<void> {
    try {
      const { wantedPort, port, isKeyShort } = await hearsay.start();
      if (isKeyShort)
        log.warn("the API key is short, so it can be guessed: the network is not served with it");
      if (port !== wantedPort && wantedPort !== 0)
        notices.show(
          filled(texts().portTaken, { wanted: wantedPort }),
          filled(texts().portTakenBody, { port }),
        );
    } catch (error) {
      tellServerFailed(error);
    }
  }

  function tellServerFailed(error: unknown): void {
    log.error({ err: error }, "the API port could not be opened");
    notices.show(texts().serverFailed, (error as Error).message);
  }

  async function close(): Promise<void> {
    for (const end of ends.splice(0).reverse()) end();
    await Promise.all([hearsay.close(), monitors.close()]);
  }
}

/** @returns whether there is a sound to show */
async function showItem(hearsay: App, itemId: string): Promise<boolean> {
  const path = await hearsay.itemFile(itemId).catch(() => undefined);
  if (path !== undefined) shell.showItemInFolder(path);
  return path !== undefined;
}

/** @throws Error with the system's reason */
async function openFolder(path: string): Promise<void> {
  const why = await shell.openPath(path);
  if (why !== "") throw new Error(why);
}

/** Elsewhere the system asks by itself, or not at all. */
const askForMicrophone = async (): Promise<boolean> =>
  process.platform !== "darwin" ||
  (await systemPreferences.askForMediaAccess("microphone").catch(() => false));

async function openApiPage(hearsay: App): Promise<void> {
  const baseUrl = hearsay.baseUrl();
  if (baseUrl !== undefined) await shell.openExternal(new URL("/docs", baseUrl).href);
}
