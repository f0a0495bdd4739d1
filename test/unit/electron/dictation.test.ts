// What happens to dictated text. test/system/desktop-host.test.ts covers the window itself.

import { beforeEach, expect, it, vi } from "vitest";
import { quietLog } from "../../support/app.ts";
import { BrowserWindow, fake } from "../../support/fake-electron.ts";
import { type Clipboard, createClipboard } from "../../../main/electron/clipboard.ts";
import { createDictation } from "../../../main/electron/dictation.ts";
import { messagesFor } from "../../../main/electron/messages.ts";
import { createNotifications } from "../../../main/electron/notifications.ts";
import { createOutbox } from "../../../main/electron/outbox.ts";
import type { Typing } from "../../../main/electron/typing.ts";

/** For each press of the paste keys: the clipboard's text, and whether the dictation window is hidden. */
const pastes: [clipboard: string, isOutOfTheWay: boolean][] = [];
let types = true;
let keepsLineBreaks = false;
let typing: Typing;
let clipboard: Clipboard;

beforeEach(() => {
  pastes.length = 0;
  types = true;
  keepsLineBreaks = false;
  clipboard = createClipboard({ system: "win32" });
  Object.assign(fake, { clipboard: "", notifications: [] });
  typing = {
    unavailableReason: () => undefined,
    paste: async () =>
      void pastes.push([fake.clipboard, [...BrowserWindow.all].every(({ isShown }) => !isShown)]),
  };
});

const create = () =>
  createDictation({
    pageUrl: "http://127.0.0.1:9/",
    quit: { isQuitting: () => false, cancel: () => () => {} },
    outbox: createOutbox(),
    clipboard,
    typing,
    notifications: createNotifications(),
    shouldType: () => types,
    textOptions: () => ({ keepsLineBreaks }),
    texts: () => messagesFor("en", ""),
    log: quietLog,
    focusReturnDelayMs: 0,
  });
const notes = () => fake.notifications.map(({ options: { title, body } }) => [title, body]);

it("copies the text to the clipboard and pastes it after hiding the dictation window", async () => {
  const dictation = create();
  dictation.toggle();
  for (const window of BrowserWindow.all) window.showInactive();
  await dictation.acceptText("Dear Ms Übel, yes.");
  await vi.waitFor(() => expect(pastes).toHaveLength(1));
  expect(pastes).toEqual([["Dear Ms Übel, yes.", true]]);
  expect(notes()).toEqual([]);
  dictation.close();
});

it("removes control characters, escape sequences and line breaks from a provider's text", async () => {
  await create().acceptText("rm -rf ~\r\n\x1b]0;title\x07\x1b[201~ls\u202e\x03\n");
  await vi.waitFor(() => expect(pastes).toHaveLength(1));
  expect(pastes).toEqual([["rm -rf ~ ls", true]]);
});

it("keeps line breaks within the text when configured", async () => {
  keepsLineBreaks = true;
  types = false;
  await create().acceptText("Dear Ms Übel,\r\nyes.\n");
  expect(fake.clipboard).toBe("Dear Ms Übel,\nyes.");
});

it("treats a text of only control characters as empty", async () => {
  fake.clipboard = "mine";
  await create().acceptText("\x1b[31m\x00\u200b\r\n");
  expect([fake.clipboard, pastes]).toEqual(["mine", []]);
});

it("does not paste when pasting is off: the text is on the clipboard", async () => {
  types = false;
  await create().acceptText("Hello.");
  expect([fake.clipboard, pastes, notes()]).toEqual(["Hello.", [], []]);
});

it("reports the reason when it cannot type", async () => {
  typing = { ...typing, unavailableReason: () => "typeNeedsXdotool" };
  await create().acceptText("Hello.");
  expect([fake.clipboard, pastes]).toEqual(["Hello.", []]);
  expect(notes()).toEqual([
    [
      "Copied to the clipboard",
      "Typing into other programs needs xdotool, which is not installed here.",
    ],
  ]);
});

it("keeps the text on the clipboard when typing fails", async () => {
  typing = { ...typing, paste: () => Promise.reject(new Error("no such window")) };
  await create().acceptText("Hello.");
  await vi.waitFor(() => expect(notes()).toHaveLength(1));
  expect([fake.clipboard, notes()]).toEqual([
    "Hello.",
    [["Copied to the clipboard", "It could not be typed into the program in front."]],
  ]);
});

it("leaves the clipboard unchanged when there is no text", async () => {
  fake.clipboard = "mine";
  await create().acceptText(" \n");
  expect([fake.clipboard, pastes]).toEqual(["mine", []]);
});

it("keeps the window open with its text when the clipboard fails", async () => {
  // The test does not need the window's page.
  clipboard = { write: async () => Promise.reject(new Error("no clipboard")) };
  vi.spyOn(BrowserWindow.prototype, "loadURL").mockReturnValueOnce(new Promise(() => {}));
  const dictation = create();
  dictation.toggle();
  const [window] = BrowserWindow.all;
  window?.showInactive();
  await expect(dictation.acceptText("Hello.")).rejects.toThrow("no clipboard");
  expect([window?.isShown, pastes]).toEqual([true, []]);
  dictation.close();
});

it("resolves when the text is on the clipboard, before it is pasted, so that the next dictation can start", async () => {
  const typed = Promise.withResolvers<void>();
  typing = { ...typing, paste: () => typed.promise };
  await create().acceptText("Hello.");
  expect(fake.clipboard).toBe("Hello.");
  typed.resolve();
});
