// The window of the captions. Its page is tested in a browser.

import { join } from "node:path";
import { expect, it } from "vitest";
import { createCaptionsWindow } from "../../../main/electron/captions-window.ts";
import { messagesFor } from "../../../main/electron/messages.ts";
import { quietLog } from "../../support/app.ts";
import { BrowserWindow, fake } from "../../support/fake-electron.ts";
import { openTestFolder } from "../../support/test-data.ts";

it("stays on top without taking the focus, is opened once, and opens where it was closed", async () => {
  const captions = createCaptionsWindow({
    pageUrl: "http://127.0.0.1:9/",
    captionsStatePath: join(await openTestFolder(), "captions-window.json"),
    quit: { isQuitting: () => false, cancel: () => () => {} },
    texts: () => messagesFor("en", ""),
    log: quietLog,
  });
  const openWindow = (): BrowserWindow => {
    captions.show();
    const [window, ...others] = BrowserWindow.all;
    expect(others).toEqual([]);
    return window as BrowserWindow;
  };
  const window = openWindow();
  window.emit("ready-to-show");
  expect(window).toMatchObject({ isOnTop: true, isShown: true, focused: false });
  expect(window.options).toMatchObject({ frame: false });
  expect(captions.ownsContents(window.webContents as never)).toBe(true);
  expect(openWindow()).toBe(window);
  expect(window.focused).toBe(true);
  window.bounds = { x: 40, y: 60, width: 700, height: 200 };
  window.close();
  const again = openWindow();
  expect(again).not.toBe(window);
  expect(again.bounds).toEqual({ x: 40, y: 60, width: 700, height: 200 });
  captions.close();
  expect(BrowserWindow.all.size).toBe(0);
  await Promise.all(fake.pageLoads);
});
