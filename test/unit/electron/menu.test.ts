import { expect, it } from "vitest";
import type { PageCommand } from "../../../main/contract/desktop-bridge.ts";
import {
  flattenMenuItems as all,
  clickMenuItem,
  fake,
  type FakeImage,
} from "../../support/fake-electron.ts";
import { type MenuActions, menuTemplate, trayTemplate } from "../../../main/electron/menu.ts";
import { interpolate, messagesFor } from "../../../main/electron/messages.ts";
import { createTray, hasTray } from "../../../main/electron/tray.ts";
import { drawBars, drawDisc, trayIcon } from "../../../main/electron/tray-icon.ts";

const en = messagesFor("en", "");
const done: unknown[] = [];
const note =
  (name: string) =>
  (...args: unknown[]) =>
    void done.push([name, ...args]);
const actions: MenuActions = {
  open: note("open"),
  command: (...commands: readonly PageCommand[]) => void done.push(...commands),
  openFiles: note("openFiles"),
  dictate: note("dictate"),
  showCaptions: note("showCaptions"),
  stopRecording: note("stopRecording"),
  setServing: note("setServing"),
  copyBaseUrl: note("copyBaseUrl"),
  openApiPage: note("openApiPage"),
  openDataFolder: note("openDataFolder"),
  quit: note("quit"),
};

const systems = ["darwin", "win32", "linux"] as const;

it.each(systems)("uses each shortcut of the menu on %s only once", (system) => {
  const keys = all(menuTemplate(en, actions, true, system)).flatMap(
    ({ accelerator }) => accelerator ?? [],
  );
  expect(keys.length).toBeGreaterThan(8);
  expect(new Set(keys).size).toBe(keys.length);
});

it.each(systems)("has the usual entries in the menu on %s", (system) => {
  const roles = all(menuTemplate(en, actions, true, system)).flatMap(({ role }) => role ?? []);
  expect(roles).toEqual(
    expect.arrayContaining([
      "undo",
      "redo",
      "cut",
      "copy",
      "paste",
      "selectAll",
      "zoomIn",
      "zoomOut",
      "resetZoom",
      "togglefullscreen",
      "windowMenu",
      "close",
      "about",
    ]),
  );
  expect(roles.includes("services")).toBe(system === "darwin");
});

it.each(systems)("has the settings and the quit command in the menu on %s", (system) => {
  const items = all(menuTemplate(en, actions, true, system));
  expect(
    items.filter(({ label }) => label === "Settings…").map(({ accelerator }) => accelerator),
  ).toEqual(["CmdOrCtrl+,"]);
  expect(items.filter(({ label }) => label === "Quit Hearsay")).toHaveLength(1);
});

it("sends navigation and actions from the menu to the page", () => {
  done.length = 0;
  const menu = { items: menuTemplate(en, actions, true, "linux") };
  for (const label of [
    "Record",
    "New narration",
    "Search the library",
    "Models",
    "Settings…",
    "Open files…",
  ])
    clickMenuItem(menu, label);
  expect(done).toEqual([
    { type: "go", path: "/transcribe" },
    { type: "run", actionId: "transcribe.record" },
    { type: "go", path: "/narrate" },
    { type: "run", actionId: "narrate.new" },
    { type: "go", path: "/library" },
    { type: "run", actionId: "library.search" },
    { type: "go", path: "/models" },
    { type: "go", path: "/settings" },
    ["openFiles"],
  ]);
});

const labels = (baseUrl?: string) =>
  trayTemplate(en, actions, baseUrl).flatMap(({ label, enabled }) =>
    label === undefined ? [] : [enabled === false ? `(${label})` : label],
  );

it("shows the server, its address, a recording and the quit command in the tray", () => {
  expect(labels("http://127.0.0.1:4343/v1")).toEqual([
    "Open Hearsay",
    "Stop server",
    "Copy API base URL",
    "Record",
    "Dictate",
    "Show captions",
    "Quit Hearsay",
  ]);
  expect(labels()).toEqual([
    "Open Hearsay",
    "Start server",
    "(Copy API base URL)",
    "Record",
    "Dictate",
    "Show captions",
    "Quit Hearsay",
  ]);
});

it("works without a tray", () => {
  fake.hasTray = false;
  const tray = createTray(actions, true);
  tray.update(en, undefined, undefined);
  expect(tray.isAvailable()).toBe(false);
  tray.close();
  fake.hasTray = true;
});

it("reports no tray where the system does not show one", () => {
  expect([
    createTray(actions, false, async () => false).isAvailable(),
    createTray(actions, true, async () => true).isAvailable(),
  ]).toEqual([false, true]);
});

const answers = (stdout: string) => async () => ({ stdout });

it("asks the system on Linux whether it has a tray", async () => {
  expect(await hasTray("linux", answers("method return\n   boolean true\n"))).toBe(true);
  expect(await hasTray("linux", answers("method return\n   boolean false\n"))).toBe(false);
  expect(await hasTray("linux", () => Promise.reject(new Error("ENOENT")))).toBe(false);
  expect(await hasTray("win32", () => Promise.reject(new Error("ENOENT")))).toBe(true);
});

it("notices a tray that becomes available after the start", async () => {
  const tray = createTray(actions, false, async () => true);
  expect(tray.isAvailable()).toBe(false);
  await Promise.resolve();
  expect(tray.isAvailable()).toBe(true);
});

it("draws the tray icon in every size, on macOS in black for the system to colour", () => {
  for (const system of ["darwin", "linux"] as const) {
    const image = trayIcon(false, system) as unknown as FakeImage;
    expect(image.representations).toEqual(
      [1, 2, 3].map((scaleFactor) => ({ scaleFactor, bytes: (16 * scaleFactor) ** 2 * 4 })),
    );
    expect(image.isTemplate).toBe(system === "darwin");
  }
});

it("shows a red disc while recording, which the system does not colour", () => {
  const image = trayIcon(true, "darwin") as unknown as FakeImage;
  expect([image.representations.length, image.isTemplate]).toEqual([3, false]);
  const side = 32;
  const pixels = drawDisc(side, [200, 100, 50]);
  const at = (x: number, y: number) => [
    ...pixels.subarray((y * side + x) * 4, (y * side + x) * 4 + 4),
  ];
  expect([at(16, 16), at(8, 16), at(0, 0), at(16, 2)]).toEqual([
    [50, 100, 200, 255],
    [50, 100, 200, 255],
    [0, 0, 0, 0],
    [0, 0, 0, 0],
  ]);
});

it("shows the recording time and a stop command, and rebuilds the menu only if more than the time changed", () => {
  const tray = createTray(actions, true);
  const shown = fake.trays.at(-1);
  tray.update(en, "http://127.0.0.1:4343/v1", undefined);
  const { image, menu } = shown ?? {};
  tray.update(en, "http://127.0.0.1:4343/v1", { phase: "recording", sec: 5 });
  expect(shown?.toolTip).toBe("Hearsay · Recording, 0:05");
  expect(shown?.image).not.toBe(image);
  const whileRecording = shown?.menu;
  expect(whileRecording?.items.map(({ label }) => label)).toEqual(
    expect.arrayContaining(["Stop recording", "Show recording"]),
  );
  tray.update(en, "http://127.0.0.1:4343/v1", { phase: "recording", sec: 65 });
  expect([shown?.toolTip, shown?.menu === whileRecording]).toEqual([
    "Hearsay · Recording, 1:05",
    true,
  ]);
  tray.update(en, "http://127.0.0.1:4343/v1", { phase: "paused", sec: 65 });
  expect(shown?.toolTip).toBe("Hearsay · Recording paused, 1:05");
  tray.update(en, "http://127.0.0.1:4343/v1", { phase: "recording", sec: 7205 });
  expect(shown?.toolTip).toBe("Hearsay · Recording, 2:00:05");
  done.length = 0;
  clickMenuItem(shown?.menu, "Stop recording");
  expect(done).toEqual([["stopRecording"]]);
  tray.update(en, "http://127.0.0.1:4343/v1", undefined);
  expect(shown?.toolTip).toBe("Hearsay · http://127.0.0.1:4343/v1");
  expect(shown?.menu?.items.map(({ label }) => label)).toEqual(
    menu?.items.map(({ label }) => label),
  );
  tray.close();
});

it("draws opaque bars in the middle and transparent corners", () => {
  const side = 32;
  const pixels = drawBars(side, [200, 100, 50]);
  const at = (x: number, y: number) => [
    ...pixels.subarray((y * side + x) * 4, (y * side + x) * 4 + 4),
  ];
  expect(at(16, 16)).toEqual([50, 100, 200, 255]);
  expect(at(0, 0)).toEqual([0, 0, 0, 0]);
  expect(at(side - 1, side - 1)).toEqual([0, 0, 0, 0]);
});

it("uses the window's language, else the system's, else English", () => {
  expect([
    messagesFor("de", "en-GB").quit,
    messagesFor(undefined, "de-CH").quit,
    messagesFor(undefined, "fr-CA").quit,
    messagesFor(undefined, "sv").quit,
    messagesFor("en", "de").quit,
  ]).toEqual([
    "Hearsay beenden",
    "Hearsay beenden",
    "Quitter Hearsay",
    "Quit Hearsay",
    "Quit Hearsay",
  ]);
});

it("inserts values into a text", () => {
  expect(interpolate(en.portTakenBody, { port: 4344 })).toBe("The API listens on 4344 instead.");
});
