import { createServer } from "node:http";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, expect, it, vi } from "vitest";
import { quietLog } from "../../support/app.ts";
import { app, BrowserWindow, fake, invokeFrom, ipcMain } from "../../support/fake-electron.ts";
import { openTestFolder } from "../../support/test-data.ts";
import { requestNames, pushNames } from "../../../main/electron/ipc-names.ts";
import { messagesFor } from "../../../main/electron/messages.ts";
import { createOutbox } from "../../../main/electron/outbox.ts";
import { createMainWindow, type MainWindow } from "../../../main/electron/main-window.ts";
import { readWindowState } from "../../../main/electron/window-state.ts";

const server = createServer((_, response) => response.end("a page"));
let origin = "";
let windowStatePath = "";
let preferences = { keepsRunning: false, hasTray: true };
let isQuitting = false;
let putAway = 0;
const outbox = createOutbox();

beforeEach(async () => {
  if (origin === "")
    origin = await new Promise((ready) =>
      server.listen(0, "127.0.0.1", () =>
        ready(`http://127.0.0.1:${(server.address() as { port: number }).port}`),
      ),
    );
  windowStatePath = join(await openTestFolder(), "window.json");
  preferences = { keepsRunning: false, hasTray: true };
  isQuitting = false;
  wentOn = 0;
  Object.assign(fake, { emitsReadyWhenHidden: true, dialogResponse: 0, dialogs: [] });
});
afterEach(() => {
  isQuitting = true;
  for (const window of BrowserWindow.all) window.destroy();
});

let wentOn = 0;
const cancel = () => {
  isQuitting = false;
  return () => (wentOn += 1);
};
const create = (): MainWindow =>
  createMainWindow({
    pageUrl: `${origin}/`,
    windowStatePath,
    outbox,
    quit: { isQuitting: () => isQuitting, cancel },
    shouldKeepRunning: () => preferences.keepsRunning,
    hasTray: () => preferences.hasTray,
    onHidden: () => (putAway += 1),
    texts: () => messagesFor("en", ""),
    log: quietLog,
  });
const loaded = (): Promise<unknown> => Promise.all(fake.pageLoads);
const only = (): BrowserWindow => [...BrowserWindow.all][0] as BrowserWindow;
// Subscribes in place of the preload script, which these pages do not have.
ipcMain.handle(requestNames.subscribe, (event, name) => outbox.flush(event.sender, name));
afterAll(() => ipcMain.removeHandler(requestNames.subscribe));
const listen = (): Promise<unknown> =>
  invokeFrom(
    only().webContents,
    only().webContents.mainFrame,
    requestNames.subscribe,
    pushNames.command,
  );
/** The fake's pages have a preload script, which would subscribe; these tests do it themselves. */
const withoutPreload = (): void =>
  void app.once(
    "browser-window-created",
    (_event, window: BrowserWindow) =>
      void delete (window.webContents.preferences as { preload?: string }).preload,
  );
beforeEach(withoutPreload);

it("opens one window, shown when its page has loaded", async () => {
  const windows = create();
  windows.show();
  windows.show();
  expect([BrowserWindow.all.size, only().isShown]).toEqual([1, false]);
  await loaded();
  expect([only().isShown, only().webContents.getURL()]).toEqual([true, `${origin}/`]);
});

it("does not show a window at login until it is requested", async () => {
  const windows = create();
  windows.openHidden();
  await loaded();
  expect(only().isShown).toBe(false);
  windows.show();
  expect(only()).toMatchObject({ isShown: true, focused: true });
});

it("shows a window at login that is requested while it loads", async () => {
  const windows = create();
  windows.openHidden();
  windows.show();
  await loaded();
  expect(only().isShown).toBe(true);
});

it("minimizes a window at login where there is no tray", async () => {
  preferences.hasTray = false;
  create().openHidden();
  await loaded();
  expect(only().minimized).toBe(true);
});

it("notifies when the app keeps running after the window was closed", async () => {
  putAway = 0;
  preferences.keepsRunning = true;
  create().show();
  await loaded();
  only().close();
  preferences.hasTray = false;
  only().show();
  only().close();
  expect(putAway).toBe(2);
});

it("restores the window at its last position", async () => {
  const windows = create();
  windows.show();
  await loaded();
  only().bounds = { x: 300, y: 200, width: 900, height: 650 };
  only().maximized = true;
  isQuitting = true;
  only().close();
  expect(
    readWindowState(windowStatePath, {
      getAllDisplays: () => fake.displays.map((workArea) => ({ workArea }) as never),
    })?.isMaximized,
  ).toBe(true);
  isQuitting = false;
  withoutPreload();
  windows.show();
  await loaded();
  expect(only().options).toMatchObject({ x: 300, y: 200, width: 900, height: 650 });
  expect(only().maximized).toBe(true);
});

it("hides a closed window where the app keeps running and has a tray, and opens it again", async () => {
  preferences.keepsRunning = true;
  const windows = create();
  windows.show();
  await loaded();
  only().close();
  expect([only().isShown, only().destroyed]).toEqual([false, false]);
  windows.show();
  expect(only().isShown).toBe(true);
});

it("minimizes a closed window where there is no tray to open it again", async () => {
  preferences = { keepsRunning: true, hasTray: false };
  create().show();
  await loaded();
  only().close();
  expect([only().minimized, only().destroyed]).toEqual([true, false]);
});

it("ends the app when the window closes and it should not keep running", async () => {
  const windows = create();
  windows.show();
  await loaded();
  let quits = 0;
  app.once("before-quit", () => (quits += 1));
  only().close();
  expect([quits, windows.main()]).toEqual([1, undefined]);
});

it("sends commands in order and once, as soon as the page subscribes, and also after a reload", async () => {
  const windows = create();
  windows.command({ type: "go", path: "/library" }, { type: "run", actionId: "library.search" });
  await loaded();
  const { webContents } = only();
  expect(webContents.sent).toEqual([]);
  await listen();
  await listen();
  windows.command({ type: "go", path: "/models" });
  expect(
    webContents.sent.map(
      ({ value }) =>
        (value as { path?: string; actionId?: string }).path ??
        (value as { actionId?: string }).actionId,
    ),
  ).toEqual(["/library", "library.search", "/models"]);
  webContents.emit("did-start-navigation", { isMainFrame: true, isSameDocument: true });
  windows.command({ type: "go", path: "/a" });
  expect(webContents.sent).toHaveLength(4);
  webContents.emit("did-start-navigation", { isMainFrame: true, isSameDocument: false });
  windows.command({ type: "go", path: "/b" });
  expect(webContents.sent).toHaveLength(4);
  await listen();
  expect(webContents.sent).toHaveLength(5);
});

it("does not reload a page that ended regularly", async () => {
  create().show();
  await loaded();
  const { webContents } = only();
  webContents.emit("render-process-gone", {}, { reason: "clean-exit", exitCode: 0 });
  expect(webContents.reloads).toBe(0);
});

it("does not reload a page that crashes twice in quick succession", async () => {
  create().show();
  await loaded();
  const { webContents } = only();
  for (let i = 0; i < 3; i++)
    webContents.emit("render-process-gone", {}, { reason: "crashed", exitCode: 139 });
  expect(webContents.reloads).toBe(1);
});

it("reloads a crashed page when its window is opened", async () => {
  const windows = create();
  windows.show();
  await loaded();
  const { webContents } = only();
  webContents.crashed = true;
  windows.show();
  windows.show();
  expect(webContents.reloads).toBe(1);
});

it.runIf(process.platform === "linux")(
  "shows a window whose first paint never comes once its page has loaded",
  async () => {
    fake.emitsReadyWhenHidden = false;
    create().show();
    await loaded();
    expect(only().isShown).toBe(true);
  },
);

it("shows a window whose page fails to load", async () => {
  const [there] = [origin];
  origin = "http://127.0.0.1:9";
  create().show();
  await loaded();
  origin = there;
  await vi.waitFor(() => expect(only().isShown).toBe(true));
});

it("asks once about a page with unsaved work, without blocking anything else", async () => {
  const answer = Promise.withResolvers<number>();
  fake.dialogResponse = answer.promise;
  create().show();
  await loaded();
  only().preventsUnload = true;
  only().close();
  only().close();
  expect([fake.dialogs.length, only().destroyed]).toEqual([1, false]);
  answer.resolve(0);
  await vi.waitFor(() => expect(BrowserWindow.all.size).toBe(0));
  expect(fake.dialogs.length).toBe(1);
});

it("asks again about a page that stayed open", async () => {
  fake.dialogResponse = 1;
  create().show();
  await loaded();
  only().preventsUnload = true;
  for (const times of [1, 2]) {
    only().close();
    await vi.waitFor(() => expect(fake.dialogs.length).toBe(times));
    await new Promise((next) => setImmediate(next));
  }
  expect(only().destroyed).toBe(false);
});

it("cancels quitting while the question is open, and resumes it afterwards", async () => {
  create().show();
  await loaded();
  only().preventsUnload = true;
  isQuitting = true;
  only().close();
  expect([isQuitting, wentOn]).toEqual([false, 0]);
  await vi.waitFor(() => expect(wentOn).toBe(1));
});

it("also asks when a page with unsaved work reloads, and reloads it when confirmed", async () => {
  create().show();
  await loaded();
  const { webContents } = only();
  /** @returns whether the page may unload */
  const reload = (): boolean => {
    let isGoing = false;
    webContents.emit("will-prevent-unload", { preventDefault: () => (isGoing = true) });
    return isGoing;
  };
  fake.dialogResponse = 1;
  expect(reload()).toBe(false);
  await vi.waitFor(() =>
    expect(fake.dialogs.map(({ buttons }) => buttons)).toEqual([["Reload anyway", "Stay"]]),
  );
  await new Promise((next) => setImmediate(next));
  expect(webContents.reloads).toBe(0);
  fake.dialogResponse = 0;
  expect(reload()).toBe(false);
  await vi.waitFor(() => expect(webContents.reloads).toBe(1));
  expect(reload()).toBe(true);
  // The reloaded page is asked about like the first one.
  webContents.emit("did-navigate");
  expect(reload()).toBe(false);
  await vi.waitFor(() => expect(webContents.reloads).toBe(2));
});

it("leaves full screen before it hides a window, which would leave a black screen", async () => {
  vi.spyOn(process, "platform", "get").mockReturnValue("darwin");
  preferences.keepsRunning = true;
  create().show();
  await loaded();
  only().fullScreen = true;
  only().close();
  expect([only().fullScreen, only().isShown]).toEqual([false, true]);
  only().emit("leave-full-screen");
  expect(only().isShown).toBe(false);
  vi.restoreAllMocks();
});
