// Several windows that change preferences at the same time, over the app's own store of them.

import { beforeEach, expect, it, onTestFinished, vi } from "vitest";
import { preferencesChange } from "../../../../main/contract/preferences.ts";
import { createPreferences, type PreferenceStore } from "../../../../main/library/preferences.ts";
import { openTestLibrary } from "../../../support/library.ts";

let store: PreferenceStore;
let sent: unknown[];
/** A change reaches the app only after this promise. */
let gate: Promise<void>;

beforeEach(() => {
  store = createPreferences(openTestLibrary());
  sent = [];
  gate = Promise.resolve();
  vi.stubGlobal("fetch", async (_address: string, { method, body }: RequestInit = {}) => {
    if (method !== "PATCH") return Response.json(store.read());
    sent.push(JSON.parse(String(body)));
    await gate;
    return Response.json(store.change(preferencesChange.parse(JSON.parse(String(body)))));
  });
  onTestFinished(() => void vi.unstubAllGlobals());
});

/** Each window has its own instances of the modules. */
async function openWindow() {
  vi.resetModules();
  const window = await import("../../../../renderer/stores/preferences.ts");
  const { useToasts } = await import("../../../../renderer/stores/toasts.ts");
  await window.loadPreferences();
  return {
    ...window,
    toasts: () => useToasts.getState().toasts.length,
    now: () => window.usePreferences.getState(),
  };
}

it("keeps what another window changed meanwhile", async () => {
  const [one, other] = [await openWindow(), await openWindow()];
  await one.changePreferences({
    theme: "dark",
    desktop: { ...one.now().desktop, notifies: false },
  });
  await other.changePreferences({
    isRailNarrow: true,
    desktop: { ...other.now().desktop, keepsRunning: true },
  });
  expect(store.read()).toMatchObject({
    theme: "dark",
    isRailNarrow: true,
    desktop: { notifies: false, keepsRunning: true },
  });
  expect(sent).toEqual([
    { theme: "dark", desktop: { notifies: false } },
    { isRailNarrow: true, desktop: { keepsRunning: true } },
  ]);
  // The response contained the other window's change. The first window learns of it by an event.
  expect(other.now()).toEqual(store.read());
  await one.reloadPreferences();
  expect(one.now()).toEqual(store.read());
});

it("keeps changes made while a response or an event is on its way", async () => {
  const window = await openWindow();
  const held = Promise.withResolvers<void>();
  gate = held.promise;
  const first = window.changePreferences({ theme: "dark" });
  await expect.poll(() => sent).toHaveLength(1);
  store.change({ hasSeenWelcome: true });
  const second = window.changePreferences({ isRailNarrow: true, language: "de" });
  const third = window.changePreferences({ language: undefined });
  const reloaded = window.reloadPreferences();
  expect(window.now()).toMatchObject({ theme: "dark", isRailNarrow: true });
  held.resolve();
  await Promise.all([first, second, third, reloaded]);
  expect(sent).toEqual([{ theme: "dark" }, { isRailNarrow: true }]);
  expect(window.now()).toEqual(store.read());
  expect(store.read()).toMatchObject({ theme: "dark", isRailNarrow: true, hasSeenWelcome: true });
});

it("reverts what could not be saved, reports it, and continues", async () => {
  const window = await openWindow();
  const held = Promise.withResolvers<void>();
  gate = held.promise;
  const lost = window.changePreferences({ theme: "dark", workers: 2 });
  await expect.poll(() => sent).toHaveLength(1);
  const saved = window.changePreferences({ idleSec: 60 });
  gate = Promise.resolve();
  held.reject(new TypeError("no network"));
  await Promise.all([lost, saved]);
  expect(window.toasts()).toBe(1);
  expect(window.now()).toMatchObject({ theme: "system", idleSec: 60 });
  expect(store.read()).toEqual(window.now());
});
