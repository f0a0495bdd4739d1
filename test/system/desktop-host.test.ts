// The desktop app from its entry point, over a fake Electron: real app, real gateway, real engines in utility
// processes, the page's real preload script.

import { copyFileSync, existsSync, readdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import type { PageCommand } from "../../main/contract/desktop-bridge.ts";
import type { Item } from "../../main/contract/library-item.ts";
import type { TranscriptDocument } from "../../main/contract/transcript-document.ts";
import type { Preferences } from "../../main/contract/preferences.ts";
import { claimOrHandOver } from "../../main/instance/claim-or-hand-over.ts";
import { isAlive, neverAborted } from "../support/app.ts";
import { waitUntil } from "../support/command-line.ts";
import { type Desktop, type DesktopOptions, startDesktop } from "../support/desktop.ts";
import { clickMenuItem } from "../support/fake-electron.ts";
import { openTestFolder } from "../support/test-data.ts";

const desktops: Desktop[] = [];
afterEach(async () => {
  for (const desktop of desktops.splice(0)) await desktop.close();
});
async function start(options?: DesktopOptions): Promise<Desktop> {
  const desktop = await startDesktop(options);
  desktops.push(desktop);
  return desktop;
}

/** A recording of a few seconds of speech. */
const clip = join(import.meta.dirname, "..", "..", "main", "channels", "config", "test-clip.mp3");
async function copyOfClip(name: string): Promise<string> {
  const path = join(await openTestFolder(), name);
  copyFileSync(clip, path);
  return path;
}

const json = async <T>(response: Promise<Response>): Promise<T> =>
  (await response).json() as Promise<T>;
const items = async ({ fetch }: Desktop): Promise<Item[]> =>
  (await json<{ items: Item[] }>(fetch("/app/items"))).items;
const ended = (desktop: Desktop): Promise<void> =>
  waitUntil(async () => {
    const all = await items(desktop);
    return all.length > 0 && all.every(({ state }) => state === "done" || state === "failed");
  });
async function readTranscriptText(desktop: Desktop, { id }: Item): Promise<string> {
  const { segments } = await json<TranscriptDocument>(desktop.fetch(`/app/items/${id}/document`));
  return segments.map(({ text }) => text).join(" ");
}
const prefer = (desktop: Desktop, preferred: Partial<Preferences["desktop"]>): Promise<void> =>
  changePreferences(desktop, { desktop: preferred });
async function changePreferences({ fetch }: Desktop, patch: object): Promise<void> {
  const response = await fetch("/app/preferences", {
    method: "PATCH",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(patch),
  });
  expect(response.status).toBe(200);
}
const dictationWindow = ({ electron }: Desktop) =>
  [...electron.BrowserWindow.all].find(({ options }) => options.frame === false);

it("opens its window on the page, with a session that does not appear in any URL", async () => {
  const { mainWindow, electron, fetch } = await start();
  const { webContents, isShown } = mainWindow();
  expect({
    isShown,
    status: webContents.response?.status,
    html: webContents.response?.text,
  }).toEqual({ isShown: true, status: 200, html: expect.stringContaining('id="root"') as unknown });
  expect(webContents.getURL()).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/[\w-]{32}\/$/);
  const [cookie] = electron.session.fromPartition("ui").cookieDetails;
  expect(cookie).toMatchObject({
    httpOnly: true,
    sameSite: "strict",
    path: new URL(webContents.getURL()).pathname,
  });
  expect(cookie?.expirationDate).toBeUndefined();
  expect((await fetch("/app/info")).status).toBe(200);
  expect((await globalThis.fetch(new URL("./app/info", webContents.getURL()))).status).toBe(401);
});

it("keeps its own files apart from the library, and crash reports on this machine", async () => {
  const { electron, dataDir } = await start();
  const { fake } = electron;
  expect([fake.paths.get("userData"), fake.paths.get("crashDumps")]).toEqual([
    join(dataDir, "desktop"),
    join(dataDir, "crashes"),
  ]);
  expect(fake.crashReporting).toEqual({ uploadToServer: false });
  expect(fake.isSandboxed).toBe(true);
  expect(fake.switches.get("enable-features")).toBe(
    "GlobalShortcutsPortal,PulseaudioLoopbackForScreenShare",
  );
});

it("transcribes a file from its arguments in a utility process, and shows it in the page", async () => {
  const desktop = await start({ args: [await copyOfClip("Übung 1.mp3")] });
  await ended(desktop);
  const [item] = await items(desktop);
  expect(item).toMatchObject({ title: "Übung 1", state: "done", source: "file" });
  expect((await readTranscriptText(desktop, item as Item)).length).toBeGreaterThan(20);
  const { UtilityProcess, fake } = desktop.electron;
  const [engine] = UtilityProcess.all;
  expect(engine?.modulePath).toMatch(/child\.ts$/);
  expect(engine?.options.env).not.toHaveProperty("npm_config_user_agent");
  expect(fake.recentDocuments).toEqual([expect.stringMatching(/Übung 1\.mp3$/)]);
  expect(await desktop.bridge().showItem(item?.id ?? "")).toBe(true);
  expect(await desktop.bridge().showItem("../../etc")).toBe(false);
  await desktop.bridge().openFolder("crashes");
  expect(fake.openedFolders).toEqual([
    expect.stringMatching(/source\.mp3$/),
    join(desktop.dataDir, "crashes"),
  ]);
  expect(await desktop.bridge().pickFolder()).toBeUndefined();
  fake.pickedPaths = [desktop.dataDir];
  expect(await desktop.bridge().pickFolder()).toBe(desktop.dataDir);
  expect(fake.openDialogs.at(-1)?.properties).toContain("openDirectory");
  // The page subscribes only now: earlier commands were queued for it.
  const commands: PageCommand[] = [];
  desktop.bridge().onCommand((command) => commands.push(command));
  expect(commands).toEqual([{ type: "go", path: `/transcribe/${item?.id}` }]);
});

it("is a single instance: a second start hands over its files and its request, and exits", async () => {
  const first = await start();
  const path = await copyOfClip("second.mp3");
  first.mainWindow().minimize();
  const second = await start({
    args: [path],
    dataDir: first.dataDir,
    prepare: ({ fake }) => void (fake.hasLock = false),
  });
  expect({
    exitCode: second.electron.fake.exitCode,
    windows: second.electron.BrowserWindow.all.size,
  }).toEqual({ exitCode: 0, windows: 0 });
  expect(second.electron.fake.lockData).toEqual({
    paths: [path],
    dictates: false,
    isHidden: false,
  });

  first.electron.app.emit("second-instance", {}, [], "/", second.electron.fake.lockData);
  expect(first.mainWindow()).toMatchObject({ minimized: false, focused: true });
  await ended(first);
  expect((await items(first)).map(({ title, state }) => ({ title, state }))).toEqual([
    { title: "second", state: "done" },
  ]);
  // An invalid hand-over only shows the window.
  first.electron.app.emit("second-instance", {}, [], "/", { paths: "all" });
  expect(first.mainWindow().focused).toBe(true);
});

it("answers a start without a desktop once it has imported its files, and lists those it refused", async () => {
  const desktop = await start();
  const paths = [await copyOfClip("handed.mp3"), "/nowhere/at all.mp3"];
  const claim = await claimOrHandOver(
    desktop.dataDir,
    { paths, wantsWindow: true },
    neverAborted(),
  );
  expect((await items(desktop)).map(({ title }) => title)).toEqual(["handed"]);
  expect(claim).toMatchObject({
    type: "answered",
    answer: { baseUrl: expect.stringMatching(/^http/) as unknown, refused: [{ path: paths[1] }] },
  });
});

it("reports which files it cannot open, and opens the others", async () => {
  const desktop = await start({
    args: [
      join(import.meta.dirname, "desktop-host.test.ts"),
      await copyOfClip("good.mp3"),
      "/nowhere/at all.mp3",
    ],
  });
  await ended(desktop);
  expect((await items(desktop)).map(({ title }) => title)).toEqual(["good"]);
  const [reported] = desktop.electron.fake.dialogs;
  expect(reported?.detail).toMatch(/^desktop-host\.test\.ts: .+\nat all\.mp3: .+$/);
});

it("restarts an engine that was killed, and leaves no process behind", async () => {
  const desktop = await start();
  const { UtilityProcess, app } = desktop.electron;
  let isTaken = false;
  app.emit("open-file", { preventDefault: () => (isTaken = true) }, await copyOfClip("killed.mp3"));
  expect(isTaken).toBe(true);
  await waitUntil(async () => UtilityProcess.all.size > 0);
  const [first] = UtilityProcess.all;
  process.kill(first?.pid as number, "SIGKILL");
  await ended(desktop);
  expect((await items(desktop)).map(({ state }) => state)).toEqual(["done"]);
  const pids = [...UtilityProcess.all].map(({ pid }) => pid as number);
  expect(pids.length).toBeGreaterThan(0);
  expect(pids).not.toContain(first?.pid);
  await desktop.quit();
  expect(pids.filter(isAlive)).toEqual([]);
  expect(UtilityProcess.all.size).toBe(0);
});

it("quits when its window is closed, or keeps running if preferred", async () => {
  const desktop = await start();
  const { electron, mainWindow } = desktop;
  await prefer(desktop, { keepsRunning: true });
  electron.fake.trays[0]?.emit("click");
  mainWindow().close();
  // This machine's desktop may or may not have a tray. In both cases the user can find the window again.
  expect(electron.fake.exitCode).toBeUndefined();
  expect(mainWindow().isShown === mainWindow().minimized).toBe(true);
  electron.app.emit("second-instance", {}, [], "/", {
    paths: [],
    dictates: false,
    isHidden: false,
  });
  expect(mainWindow()).toMatchObject({ isShown: true, minimized: false });
  await prefer(desktop, { keepsRunning: false });
  mainWindow().close();
  await electron.fake.exited.promise;
  expect(electron.fake.exitCode).toBe(0);
});

it("asks before it quits with unfinished work, stays open if the user chooses so, and serves requests meanwhile", async () => {
  const desktop = await start();
  const { electron, mainWindow } = desktop;
  const { fake } = electron;
  const answer = Promise.withResolvers<number>();
  mainWindow().preventsUnload = true;
  fake.dialogResponse = answer.promise;
  electron.app.quit();
  expect((await desktop.fetch("/app/info")).status).toBe(200);
  expect({
    exitCode: fake.exitCode,
    dialogs: fake.dialogs.length,
    isOpen: !mainWindow().destroyed,
  }).toEqual({ exitCode: undefined, dialogs: 1, isOpen: true });
  answer.resolve(1);
  await waitUntil(async () => (await desktop.fetch("/app/info")).status === 200);
  expect(mainWindow().destroyed).toBe(false);
  fake.dialogResponse = 0;
  electron.app.quit();
  await fake.exited.promise;
  expect(fake.exitCode).toBe(0);
});

it("asks before it quits during a dictation", async () => {
  const desktop = await start();
  const { fake } = desktop.electron;
  fake.shortcuts.get("CommandOrControl+Shift+H")?.();
  await Promise.all(fake.pageLoads);
  const small = dictationWindow(desktop);
  if (small === undefined) throw new Error("no window opened");
  small.preventsUnload = true;
  fake.dialogResponse = 1;
  desktop.electron.app.quit();
  await waitUntil(() => fake.dialogs.length > 0);
  expect([fake.dialogs[0]?.detail, small.destroyed, fake.exitCode]).toEqual([
    "What was dictated would be lost.",
    false,
    undefined,
  ]);
  fake.dialogResponse = 0;
});

it("exits cleanly when asked to quit during its start", async () => {
  const gone = Promise.withResolvers<void>();
  const desktop = await start({
    prepare({ app, session, fake }) {
      const { cookies } = session.fromPartition("ui");
      const { set } = cookies;
      cookies.set = async (details) => {
        app.quit();
        gone.resolve(fake.exited.promise);
        await gone.promise;
        await set(details);
      };
    },
  });
  expect({
    exitCode: desktop.electron.fake.exitCode,
    errors: desktop.electron.fake.errors,
  }).toEqual({
    exitCode: 0,
    errors: [],
  });
  // The database is closed, and no temporary files are left.
  expect(readdirSync(desktop.dataDir)).not.toContain("hearsay.sqlite-wal");
  expect(readdirSync(join(desktop.dataDir, "tmp"))).toEqual([]);
});

it("reports the system's error to the page when a folder cannot be opened, in its language", async () => {
  const desktop = await start();
  const { bridge, electron } = desktop;
  electron.fake.openPathError = "There is no file manager.";
  await expect(bridge().openFolder("data")).rejects.toThrow(
    /^The folder could not be opened: There is no file manager\.$/,
  );
  await changePreferences(desktop, { language: "de" });
  await expect(bridge().openFolder("data")).rejects.toThrow(
    /^Der Ordner konnte nicht geöffnet werden: There is no file manager\.$/,
  );
});

it("continues when the API port cannot be opened", async () => {
  const { electron, dataDir } = await start({ args: ["--host", "203.0.113.1"] });
  expect(electron.fake.notifications.map(({ options }) => options.title)).toEqual([
    "The server could not be started",
  ]);
  expect(existsSync(join(dataDir, "studio.lock"))).toBe(true);
});

it("registers and releases dictation shortcuts as preferred, and reports which are taken", async () => {
  const desktop = await start({
    prepare: ({ fake }) => void fake.unavailableShortcuts.add("Alt+1"),
  });
  const { fake } = desktop.electron;
  expect([...fake.shortcuts.keys()]).toEqual(["CommandOrControl+Shift+H"]);
  const reported: string[] = [];
  desktop.bridge().onState(({ dictation }) => reported.push(dictation.keys));
  await prefer(desktop, { dictationKeys: "Alt+1" });
  await prefer(desktop, { dictationKeys: "no keys" });
  await prefer(desktop, { dictationKeys: "" });
  await prefer(desktop, { dictationKeys: "Alt+2" });
  expect(reported).toEqual(["taken", "refused", "off", "active"]);
  expect([...fake.shortcuts.keys()]).toEqual(["Alt+2"]);
  expect((await desktop.bridge().state()).dictation.keys).toBe("active");
});

it("dictates: the shortcut opens the small window, the next press ends the dictation and copies its text", async () => {
  const desktop = await start();
  const { fake, invokeFrom } = desktop.electron;
  await prefer(desktop, { typesDictation: false });
  const press = (): void => fake.shortcuts.get("CommandOrControl+Shift+H")?.();
  desktop.mainWindow().focused = false;
  press();
  const small = dictationWindow(desktop);
  if (small === undefined) throw new Error("no window opened");
  await Promise.all(fake.pageLoads);
  expect(small).toMatchObject({ isShown: true, focused: false, isOnTop: true });
  expect(small.webContents.getURL()).toBe(
    new URL("dictate", desktop.mainWindow().webContents.getURL()).href,
  );
  expect(small.webContents.response?.status).toBe(200);
  let stops = 0;
  press();
  desktop.bridge(small).onDictationStop(() => (stops += 1));
  expect(stops).toBe(1);
  // Dictated text is accepted only from the small window, and the small window may do nothing else.
  await expect(desktop.bridge().dictated("from elsewhere")).rejects.toThrow(/not for this page/);
  await expect(desktop.bridge(small).openFolder("data")).rejects.toThrow(/not for this page/);
  await expect(
    invokeFrom(
      small.webContents,
      { origin: "https://evil.test", url: "https://evil.test/" },
      "hearsay:dictated",
      "x",
    ),
  ).rejects.toThrow(/not for this page/);
  expect(fake.clipboard).toBe("");
  await desktop.bridge(small).dictated('Hello "there"; $(rm -rf)');
  expect({ text: fake.clipboard, isShown: small.isShown }).toEqual({
    text: 'Hello "there"; $(rm -rf)',
    isShown: false,
  });
  // The small window is reused and starts at once.
  press();
  expect({
    stops,
    isShown: small.isShown,
    windows: desktop.electron.BrowserWindow.all.size,
  }).toEqual({ stops: 2, isShown: true, windows: 2 });
  await prefer(desktop, { typesDictation: true });
  expect(small.destroyed).toBe(false);
  await desktop.bridge(small).dictated("");
  expect(fake.clipboard).toContain("Hello");
  await prefer(desktop, { typesDictation: false });
  // Its preferences are outdated.
  expect(small.destroyed).toBe(true);
});

it("dictates on request of a second start and of the command line", async () => {
  const desktop = await start();
  const { app, fake } = desktop.electron;
  app.emit("second-instance", {}, [], "/", { paths: [], dictates: true, isHidden: false });
  const small = dictationWindow(desktop);
  await Promise.all(fake.pageLoads);
  const { baseUrl, apiKey } = await json<{ baseUrl: string; apiKey: string }>(
    desktop.fetch("/app/info"),
  );
  expect(
    (await fetch(new URL("/app/dictation", baseUrl), { method: "POST", body: "{}" })).status,
  ).toBe(401);
  const pressed = await fetch(new URL("/app/dictation", baseUrl), {
    method: "POST",
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
    body: "{}",
  });
  expect(pressed.status).toBe(200);
  let stops = 0;
  desktop.bridge(small).onDictationStop(() => (stops += 1));
  expect(stops).toBe(1);
});

it("starts and stops the server from the tray, and copies its address", async () => {
  const desktop = await start();
  const { electron, mainWindow } = desktop;
  const { fake } = electron;
  const [tray] = fake.trays;
  clickMenuItem(tray?.menu, "Copy API base URL");
  await waitUntil(() => fake.clipboard !== "");
  const { clipboard: baseUrl } = fake;
  expect((await fetch(new URL("/openapi.json", baseUrl))).status).toBe(200);
  clickMenuItem(tray?.menu, "Stop server");
  await waitUntil(() => tray?.menu?.items.some(({ label }) => label === "Start server") === true);
  await expect(fetch(new URL("/openapi.json", baseUrl))).rejects.toThrow(/fetch failed/);
  // The page receives the change and updates the tray.
  const { isNetworkOpen } = await json<{ isNetworkOpen: boolean }>(desktop.fetch("/app/info"));
  await desktop.fetch("/app/server", {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ isRunning: true, isNetworkOpen }),
  });
  await waitUntil(() => tray?.menu?.items.some(({ label }) => label === "Stop server") === true);
  expect((await fetch(new URL("/openapi.json", baseUrl))).status).toBe(200);
  mainWindow().hide();
  clickMenuItem(tray?.menu, "Open Hearsay");
  expect(mainWindow().isShown).toBe(true);
});

it("shows a window's recording in the tray, stops it from there, and notifies that it continues when the window is closed", async () => {
  const desktop = await start();
  const { electron, mainWindow } = desktop;
  const { fake } = electron;
  const [tray] = fake.trays;
  const commands: PageCommand[] = [];
  desktop.bridge().onCommand((command) => commands.push(command));
  await desktop.bridge().setRecording({ phase: "recording", sec: 61 });
  expect(tray?.toolTip).toBe("Hearsay · Recording, 1:01");
  await prefer(desktop, { keepsRunning: true });
  mainWindow().close();
  expect(fake.notifications.map(({ options }) => options.title)).toEqual([
    "The recording continues",
  ]);
  const wasShown = mainWindow().isShown;
  clickMenuItem(tray?.menu, "Stop recording");
  expect([commands, mainWindow().isShown]).toEqual([
    [{ type: "run", actionId: "recording.stop" }],
    wasShown,
  ]);
  await desktop.bridge().setRecording(undefined);
  expect(tray?.toolTip).toMatch(/^Hearsay · http/);
  mainWindow().close();
  expect(fake.notifications).toHaveLength(1);
  // A dictation is shown and stopped in the same way.
  fake.shortcuts.get("CommandOrControl+Shift+H")?.();
  await Promise.all(fake.pageLoads);
  const small = dictationWindow(desktop);
  let stops = 0;
  desktop.bridge(small).onDictationStop(() => (stops += 1));
  await desktop.bridge(small).setRecording({ phase: "recording", sec: 2 });
  clickMenuItem(tray?.menu, "Stop recording");
  expect(stops).toBe(1);
  small?.destroy();
  expect(tray?.toolTip).toMatch(/^Hearsay · http/);
});

it("works without a tray, a keyring and notifications", async () => {
  const desktop = await start({
    prepare({ fake }) {
      fake.hasTray = false;
      fake.hasNotifications = false;
      fake.keyring.backend = "basic_text";
      fake.keyring.isAvailable = false;
    },
  });
  expect(await desktop.bridge().state()).toMatchObject({ keyring: "none" });
  await prefer(desktop, { keepsRunning: true });
  desktop.mainWindow().close();
  expect(desktop.mainWindow()).toMatchObject({ isShown: true, minimized: true });
});

it("encrypts keys with the keyring", async () => {
  const { bridge, fetch } = await start();
  expect((await bridge().state()).keyring).toBe("system");
  expect(await json(fetch("/app/info"))).toMatchObject({ keysAre: "sealed" });
});

it("reports the port in use when the requested one is taken", async () => {
  const blocker = createServer().listen(0, "127.0.0.1");
  await new Promise((listening) => blocker.once("listening", listening));
  const { port } = blocker.address() as { port: number };
  try {
    const { electron } = await start({ args: ["--port", String(port)] });
    expect(electron.fake.notifications.map(({ options }) => options.title)).toEqual([
      `Port ${port} is in use`,
    ]);
  } finally {
    blocker.close();
  }
});

it("starts without a window at login", async () => {
  const { mainWindow } = await start({ args: ["--hidden"] });
  expect(mainWindow().isShown === mainWindow().minimized).toBe(true);
});

it("reports an invalid setting, and exits", async () => {
  const { electron } = await start({ args: ["--port", "many"] });
  expect({ exitCode: electron.fake.exitCode, errors: electron.fake.errors }).toEqual({
    exitCode: 2,
    errors: [expect.stringMatching(/--port/)],
  });
});

it("reports why it cannot run, and exits", async () => {
  const dataDir = await openTestFolder();
  // A file in place of the folder for temporary files. A library that cannot be opened would not end the app: /v1 would
  // still be served.
  writeFileSync(join(dataDir, "tmp"), "");
  const { electron } = await start({ dataDir });
  expect({
    exitCode: electron.fake.exitCode,
    errors: electron.fake.errors,
    windows: electron.BrowserWindow.all.size,
  }).toEqual({
    exitCode: 1,
    errors: [expect.stringMatching(/^Hearsay could not start: .+/)],
    windows: 0,
  });
});

it("an unhandled rejection is logged, and the app continues", async () => {
  const before = process.listeners("unhandledRejection");
  const { fetch } = await start();
  const added = process
    .listeners("unhandledRejection")
    .filter((listener) => !before.includes(listener));
  expect(added).toHaveLength(1);
  added[0]?.(new Error("left alone"), Promise.resolve());
  expect((await fetch("/app/info")).status).toBe(200);
});
