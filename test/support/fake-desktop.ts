// A fake of the desktop for tests of the page in a browser: replaces the preload script, records calls, and returns
// values that the test chooses.

import type { Page } from "playwright";
import type { DesktopState, PageCommand } from "../../main/contract/desktop-bridge.ts";

const defaultState: DesktopState = {
  system: "linux",
  keyring: "system",
  dictation: { keys: "active", command: "hearsay --dictate" },
  opensAtLogin: false,
  canOpenAtLogin: true,
  hasSystemSound: true,
  update: { step: "idle" },
  crashReports: 0,
};

type Fake = {
  hearsayDesktop: object;
  desktopCalls: unknown[][];
  notifyPage(listener: "state" | "command" | "stop", value?: unknown): void;
};

/** @returns a script to run in the page before its own */
export function fakeDesktop(state: Partial<DesktopState> = {}): string {
  return `(${install.toString()})(${JSON.stringify({ ...defaultState, ...state })})`;
}

/** Runs in the page, so it must not use anything of this module. */
function install(state: DesktopState): void {
  const calls: unknown[][] = [];
  const listeners = new Map<string, (value: unknown) => void>();
  const subscribe = (name: string) => (listener: (value: unknown) => void) => {
    listeners.set(name, listener);
    return () => void listeners.delete(name);
  };
  const recordCall =
    (name: string, respond: (...args: unknown[]) => unknown) =>
    async (...args: unknown[]) => {
      calls.push([name, ...args]);
      return respond(...args);
    };
  const currentState = () => state;
  const window = globalThis as unknown as Fake;
  window.desktopCalls = calls;
  window.notifyPage = (name, value) => {
    if (name === "state") state = { ...state, ...(value as object) };
    listeners.get(name)?.(name === "state" ? state : value);
  };
  window.hearsayDesktop = {
    state: async () => state,
    onState: subscribe("state"),
    onCommand: subscribe("command"),
    onDictationStop: subscribe("stop"),
    setOpensAtLogin: recordCall(
      "setOpensAtLogin",
      (isOn) => (state = { ...state, opensAtLogin: isOn === true }),
    ),
    checkForUpdate: recordCall(
      "checkForUpdate",
      () => (state = { ...state, update: { step: "available", version: "9.9.9" } }),
    ),
    downloadUpdate: recordCall(
      "downloadUpdate",
      () =>
        (state = { ...state, update: { step: "downloading", version: "9.9.9", progress: 0.25 } }),
    ),
    installUpdate: recordCall("installUpdate", () => undefined),
    showItem: recordCall("showItem", () => true),
    openFolder: recordCall("openFolder", currentState),
    pickFolder: recordCall("pickFolder", () => "/nowhere/Recordings"),
    offerMonitors: recordCall("offerMonitors", () => 1),
    openCaptions: recordCall("openCaptions", () => undefined),
    dictated: recordCall("dictated", () => undefined),
    setRecording: recordCall("setRecording", () => undefined),
  };
}

/** The page's calls in order: name and arguments. */
export const recordedCalls = (page: Page): Promise<unknown[][]> =>
  page.evaluate(() => (globalThis as unknown as Fake).desktopCalls);

export const sendDictationStop = (page: Page): Promise<void> =>
  page.evaluate(() => (globalThis as unknown as Fake).notifyPage("stop"));
export const command = (page: Page, pageCommand: PageCommand): Promise<void> =>
  page.evaluate(
    (value) => (globalThis as unknown as Fake).notifyPage("command", value),
    pageCommand,
  );
export const sendState = (page: Page, state: Partial<DesktopState>): Promise<void> =>
  page.evaluate((value) => (globalThis as unknown as Fake).notifyPage("state", value), state);
