import { beforeEach, expect, it } from "vitest";
import { BrowserWindow } from "../../support/fake-electron.ts";
import { createRecordings } from "../../../main/electron/recordings.ts";

const changes: boolean[] = [];
beforeEach(() => void (changes.length = 0));

function open() {
  const window = new BrowserWindow();
  return { window, contents: window.webContents as never };
}

it("reports what is being recorded, and whether more than the time changed", () => {
  const recordings = createRecordings((isPhase) => changes.push(isPhase));
  const { window, contents } = open();
  recordings.set(contents, { phase: "recording", sec: 0 });
  recordings.set(contents, { phase: "recording", sec: 1 });
  recordings.set(contents, { phase: "paused", sec: 1 });
  expect([
    recordings.current(),
    recordings.isRecording(contents),
    recordings.all(),
    changes,
  ]).toEqual([{ phase: "paused", sec: 1 }, true, [contents], [true, false, true]]);
  recordings.set(contents, undefined);
  expect([recordings.current(), recordings.isRecording(contents)]).toEqual([undefined, false]);
  window.destroy();
});

it("shows the recording that began first", () => {
  const recordings = createRecordings(() => {});
  const [main, dictation] = [open(), open()];
  recordings.set(main.contents, { phase: "paused", sec: 9 });
  recordings.set(dictation.contents, { phase: "recording", sec: 1 });
  recordings.set(main.contents, { phase: "paused", sec: 9 });
  expect([recordings.current()?.sec, recordings.all().length]).toEqual([9, 2]);
  recordings.set(main.contents, undefined);
  expect(recordings.current()?.sec).toBe(1);
  for (const { window } of [main, dictation]) window.destroy();
});

it.each<[string, (window: BrowserWindow) => void]>([
  ["is closed", (window) => window.destroy()],
  [
    "crashed",
    (window) => void window.webContents.emit("render-process-gone", {}, { reason: "crashed" }),
  ],
  [
    "is loaded anew",
    (window) =>
      void window.webContents.emit("did-start-navigation", {
        isMainFrame: true,
        isSameDocument: false,
      }),
  ],
])("ends the recording of a page that %s", (_how, end) => {
  const recordings = createRecordings((isPhase) => changes.push(isPhase));
  const { window, contents } = open();
  recordings.set(contents, { phase: "recording", sec: 3 });
  window.webContents.emit("did-start-navigation", { isMainFrame: true, isSameDocument: true });
  expect(recordings.current()?.sec).toBe(3);
  end(window);
  expect([recordings.current(), changes]).toEqual([undefined, [true, true]]);
  window.destroy();
});
