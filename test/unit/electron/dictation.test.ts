// What becomes of a dictated text. The window itself is looked at in test/system/shell.test.ts.

import { beforeEach, expect, it, vi } from "vitest";
import { quietLog } from "../../support/app.ts";
import { BrowserWindow, fake } from "../../support/fake-electron.ts";
import { type Clipboard, createClipboard } from "../../../main/electron/clipboard.ts";
import { createDictation } from "../../../main/electron/dictation.ts";
import { messagesFor } from "../../../main/electron/messages.ts";
import { createNotifications } from "../../../main/electron/notifications.ts";
import { createOutbox } from "../../../main/electron/outbox.ts";
import type { Typing } from "../../../main/electron/typing.ts";

/** At each press of the keys that paste: what lies on the clipboard, and whether the small window is out of the way. */
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

it("the text is on the clipboard, and pasted when the small window is out of the way", async () => {
  const dictation = create();
  dictation.toggle();
  for (const window of BrowserWindow.all) window.showInactive();
  await dictation.acceptText("Dear Ms Übel, yes.");
  await vi.waitFor(() => expect(pastes).toHaveLength(1));
  expect(pastes).toEqual([["Dear Ms Übel, yes.", true]]);
  expect(notes()).toEqual([]);
  dictation.close();
});

it("what a provider answered is typed without control characters, escape sequences and line ends", async () => {
  await create().acceptText("rm -rf ~\r\n\x1b]0;title\x07\x1b[201~ls\u202e\x03\n");
  await vi.waitFor(() => expect(pastes).toHaveLength(1));
  expect(pastes).toEqual([["rm -rf ~ ls", true]]);
});

it("line breaks within the text stay where that is chosen", async () => {
  keepsLineBreaks = true;
  types = false;
  await create().acceptText("Dear Ms Übel,\r\nyes.\n");
  expect(fake.clipboard).toBe("Dear Ms Übel,\nyes.");
});

it("a text that is nothing but control characters is none", async () => {
  fake.clipboard = "mine";
  await create().acceptText("\x1b[31m\x00\u200b\r\n");
  expect([fake.clipboard, pastes]).toEqual(["mine", []]);
});

it("nothing is pasted where that is not wished: the clipboard has it", async () => {
  types = false;
  await create().acceptText("Hello.");
  expect([fake.clipboard, pastes, notes()]).toEqual(["Hello.", [], []]);
});

it("where nothing can be typed, the reason is told", async () => {
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

it("where typing fails, the text is not lost", async () => {
  typing = { ...typing, paste: () => Promise.reject(new Error("no such window")) };
  await create().acceptText("Hello.");
  await vi.waitFor(() => expect(notes()).toHaveLength(1));
  expect([fake.clipboard, notes()]).toEqual([
    "Hello.",
    [["Copied to the clipboard", "It could not be typed into the program in front."]],
  ]);
});

it("no text leaves the clipboard as it is", async () => {
  fake.clipboard = "mine";
  await create().acceptText(" \n");
  expect([fake.clipboard, pastes]).toEqual(["mine", []]);
});

it("the window stays with its text where the clipboard does not take it", async () => {
  // Its page is not needed.
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

it("the answer is there with the text on the clipboard, before it is typed: the next one may begin", async () => {
  const typed = Promise.withResolvers<void>();
  typing = { ...typing, paste: () => typed.promise };
  await create().acceptText("Hello.");
  expect(fake.clipboard).toBe("Hello.");
  typed.resolve();
});
