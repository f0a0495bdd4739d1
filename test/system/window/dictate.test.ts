// Dictation, and the page's desktop settings, in a real browser with real engines. A fake desktop replaces the preload
// script, a WAV file the microphone.

import { readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { AxeResults } from "axe-core";
import type { Locator, Page } from "playwright";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chromiumPath, keepsTrack } from "../../support/browser.ts";
import { waitUntil } from "../../support/command-line.ts";
import {
  recordedCalls,
  command,
  fakeDesktop,
  sendDictationStop,
  sendState,
} from "../../support/fake-desktop.ts";
import { layoutFaults } from "../../support/layout-faults.ts";
import { themes, waitForTransitions, waitUntilSettled } from "../../support/pages.ts";
import {
  openFolder,
  normalizeWords,
  writeAudioFile,
  synthesizeSamples,
} from "../../support/test-data.ts";
import {
  openAppWithWindow,
  type PageOptions,
  type WatchedPage,
  type AppWithWindow,
} from "../../support/app-with-window.ts";

const none = chromiumPath === undefined;
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const spoken = "The harbour was quiet that morning. A single boat lay at the pier.";
let whole: AppWithWindow;
let folder: Awaited<ReturnType<typeof openFolder>>;

beforeAll(async () => {
  if (none) return;
  folder = await openFolder();
  whole = await openAppWithWindow({
    microphone: await writeAudioFile(
      join(folder.path, "spoken.wav"),
      await synthesizeSamples(spoken),
    ),
  });
  await whole.call("changePreferences", { hasSeenWelcome: true });
}, 180_000);
afterAll(async () => {
  await whole?.close();
  if (folder !== undefined) await rm(folder.path, { recursive: true, force: true });
});

/** In a page that has loaded it. */
async function axeViolations(page: Page): Promise<string[]> {
  await waitForTransitions(page);
  const { violations } = await page.evaluate(() =>
    (globalThis as unknown as { axe: { run(): Promise<AxeResults> } }).axe.run(),
  );
  return violations.map(
    ({ id, help, nodes }) =>
      `${id}: ${help} (${nodes.map(({ html }) => html.slice(0, 160)).join(" | ")})`,
  );
}

/** Opens the dictation page as the desktop does. @param before runs while the page does not record yet */
async function openDictation(
  options: PageOptions = {},
  before: (page: Page) => Promise<unknown> = async () => {},
): Promise<WatchedPage> {
  const page = await whole.open({ widthPx: 420, heightPx: 132, path: "/server", ...options });
  await before(page);
  await page.goto(`${whole.pageUrl}dictate`);
  return page;
}

const phase = (page: Page): Promise<string | null> =>
  page.locator(".dictate").getAttribute("data-phase");
const isIn = (page: Page, wanted: string): Promise<void> =>
  page.locator(`.dictate[data-phase="${wanted}"]`).waitFor();
const listened = (page: Page, sec: number): Promise<void> =>
  waitUntil(async () => (await page.locator(".dictate-time").textContent()) === `0:0${sec}`);
const handed = async (page: Page): Promise<string[]> =>
  (await recordedCalls(page))
    .filter(([name]) => name === "dictated")
    .map(([, text]) => String(text));
const items = async () => (await whole.call("listItems")).items;
const fails = (page: Page, path: string) =>
  page.route(`**${path}*`, (route) =>
    route.fulfill({
      status: 500,
      json: { error: { message: "The engine is having a bad day.", code: "engine_failed" } },
    }),
  );

/** Neither live nor as a file. */
const failsToTranscribe = async (page: Page): Promise<void> => {
  await page.routeWebSocket(/\/v1\/realtime/, (socket) => socket.close());
  await fails(page, "/v1/audio/transcriptions");
};

const isShownSoon = (element: Locator): Promise<boolean> =>
  element.waitFor({ timeout: 5000 }).then(
    () => true,
    () => false,
  );

/** A script: the first request for the microphone is refused. */
const refusesOnce = `let isRefused = true; const { mediaDevices } = navigator; const ask = mediaDevices.getUserMedia.bind(mediaDevices); mediaDevices.getUserMedia = async (wanted) => { if (isRefused) { isRefused = false; throw new DOMException('no', 'NotAllowedError'); } return ask(wanted); };`;

describe.skipIf(none)("dictation in the desktop (needs Chromium)", () => {
  it("starts at once, and delivers the text when the shortcut is pressed again", async () => {
    const page = await openDictation({ initScript: fakeDesktop() });
    await isIn(page, "listening");
    await waitUntil(async () =>
      /--level: 0\.[1-9]/.test((await page.locator(".level-meter").getAttribute("style")) ?? ""),
    );
    await listened(page, 5);
    await page.locator(".dictate-words").getByText("quiet").waitFor();
    await sendDictationStop(page);
    await isIn(page, "done");
    const [text = "", ...more] = await handed(page);
    expect(normalizeWords(text)).toContain("was quiet that morning");
    expect(more).toEqual([]);
    expect(await items()).toEqual([]);
    // The same window is used for the next dictation.
    await sendDictationStop(page);
    await isIn(page, "listening");
    expect(await handed(page)).toHaveLength(1);
    expect(page.pageErrors).toEqual([]);
    await page.context().close();
  });

  it("discards a dictation on Escape, and delivers no text", async () => {
    const page = await openDictation({ initScript: fakeDesktop() });
    await isIn(page, "listening");
    await listened(page, 1);
    await page.keyboard.press("Escape");
    await isIn(page, "discarded");
    await expect.poll(() => handed(page)).toEqual([""]);
    await sendDictationStop(page);
    await isIn(page, "listening");
    expect(page.pageErrors).toEqual([]);
    await page.context().close();
  });

  it("asks before it is closed during a dictation", async () => {
    const page = await openDictation({ initScript: fakeDesktop() });
    await isIn(page, "listening");
    await page.keyboard.press("Shift");
    const dialogOpened = page.waitForEvent("dialog");
    await page.close({ runBeforeUnload: true });
    const dialog = await dialogOpened;
    expect(dialog.type()).toBe("beforeunload");
    await dialog.dismiss();
    await page.keyboard.press("Escape");
    await isIn(page, "discarded");
    const closed = page.waitForEvent("close");
    await page.close({ runBeforeUnload: true });
    await closed;
    await page.context().close();
  });

  it("stores audio in the library when it cannot be transcribed, and reports it", async () => {
    const page = await openDictation({ initScript: fakeDesktop() }, failsToTranscribe);
    await isIn(page, "listening");
    await listened(page, 2);
    await sendDictationStop(page);
    await isIn(page, "failed");
    expect(await page.getByRole("alert").textContent()).toMatch(/in the library.*bad day/);
    const [item] = await items();
    expect(item?.title).toMatch(/^Dictation, /);
    expect((await whole.waitUntilFinished(item?.id ?? "")).durationSec).toBeGreaterThan(2);
    expect(await handed(page)).toEqual([]);
    await whole.call("removeItem", {}, item?.id);
    await page.context().close();
  });

  it("keeps audio that cannot even be stored until it is transcribed", async () => {
    const page = await openDictation({ initScript: fakeDesktop() }, async (opened) => {
      await failsToTranscribe(opened);
      await fails(opened, "/app/uploads");
    });
    await isIn(page, "listening");
    await listened(page, 3);
    await sendDictationStop(page);
    await isIn(page, "failed");
    await page.keyboard.press("Escape");
    expect(await phase(page)).toBe("failed");
    await page.unrouteAll();
    await page.getByRole("button", { name: "Try again" }).click();
    await isIn(page, "done");
    expect(normalizeWords((await handed(page)).join())).toContain("was quiet");
    await page.context().close();
  });

  it("reports a missing permission, and closes when the shortcut is pressed", async () => {
    const page = await openDictation({ initScript: `${fakeDesktop()};${refusesOnce}` });
    await isIn(page, "trouble");
    expect(await page.getByRole("alert").textContent()).toContain("may not use the microphone");
    expect(await handed(page)).toEqual([]);
    await sendDictationStop(page);
    await waitUntil(async () => (await handed(page)).length > 0);
    expect(await handed(page)).toEqual([""]);
    await page.context().close();
  });

  it("reports a silent microphone, and closes by itself", async () => {
    const silentMicrophone = `navigator.mediaDevices.getUserMedia = async () => new AudioContext().createMediaStreamDestination().stream;`;
    const page = await openDictation({ initScript: `${fakeDesktop()};${silentMicrophone}` });
    await isIn(page, "listening");
    await listened(page, 1);
    await sendDictationStop(page);
    await isIn(page, "nothing");
    expect(await page.getByRole("status").textContent()).toContain("is silent");
    await waitUntil(async () => (await handed(page)).length > 0);
    expect(await handed(page)).toEqual([""]);
    await page.context().close();
  });
});

describe.skipIf(none)("dictation in a browser (needs Chromium)", () => {
  it("shows the text with a button to copy it", async () => {
    const page = await openDictation({ widthPx: 420, heightPx: 260 });
    await page
      .context()
      .grantPermissions(["clipboard-read", "clipboard-write"], { origin: whole.origin });
    await isIn(page, "listening");
    await listened(page, 5);
    await page.getByRole("button", { name: "Stop" }).click();
    await isIn(page, "done");
    await page.getByRole("button", { name: "Copy text" }).click();
    await page.getByRole("button", { name: "Copied" }).waitFor();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(normalizeWords(copied)).toContain("was quiet that morning");
    expect(await page.locator(".dictate-text").textContent()).toBe(copied);
    expect(page.pageErrors).toEqual([]);
    await page.context().close();
  });

  it("can be tried again after the microphone was refused, also by holding the space bar", async () => {
    const page = await openDictation({ initScript: refusesOnce });
    await isIn(page, "trouble");
    await page.keyboard.press("Enter");
    await isIn(page, "listening");
    await page.keyboard.press("Escape");
    await isIn(page, "discarded");
    await page.keyboard.down(" ");
    await isIn(page, "listening");
    await listened(page, 1);
    await page.keyboard.up(" ");
    await page.locator('.dictate:not([data-phase="listening"])').waitFor();
    expect(page.pageErrors).toEqual([]);
    await page.context().close();
  });

  it("opens in a new window from the palette", async () => {
    const page = await whole.open({ path: "/server" });
    const opened = page.waitForEvent("popup");
    await page.keyboard.press("Control+k");
    await page.keyboard.type("dictate");
    await page.keyboard.press("Enter");
    const popup = await opened;
    await isIn(popup, "listening");
    const closed = popup.waitForEvent("close");
    // The window may close between keydown and keyup.
    await popup.keyboard.press("Escape").catch(() => undefined);
    await closed;
    expect(page.pageErrors).toEqual([]);
    await page.context().close();
  });
});

describe.skipIf(none)("captions (needs Chromium)", () => {
  it("show what is said, and record it into the library", async () => {
    const page = await whole.open({ path: "/transcribe" });
    const opened = page.waitForEvent("popup");
    await page.getByRole("button", { name: "Show captions" }).click();
    const popup = await opened;
    await popup.locator('.captions[data-phase="listening"]').waitFor();
    await popup.locator(".captions-lines").getByText("quiet").waitFor();
    await popup.getByRole("button", { name: "Options" }).click();
    await popup.getByRole("radio", { name: "Yellow" }).click();
    await popup.getByRole("switch", { name: "Record" }).click();
    await popup.locator('.captions[data-color="yellow"]').waitFor();
    await popup.keyboard.press("Escape");
    await popup.locator(".popover").waitFor({ state: "detached" });
    await popup.locator(".captions-text").click();
    await popup.locator(".tooltip").waitFor({ state: "detached" });
    await popup.evaluate(axe);
    expect(await axeViolations(popup)).toEqual([]);
    await popup.setViewportSize({ width: 400, height: 300 });
    expect(await layoutFaults(popup)).toEqual([]);
    await popup
      .locator(".captions-time")
      .getByText(/Recorded 0:(?:0[2-9]|[1-5])/)
      .waitFor();
    await popup.getByRole("button", { name: "Stop" }).click();
    await popup.getByRole("button", { name: "Start" }).waitFor();
    const item = (await items()).find(({ title }) => title.startsWith("Captions, "));
    expect((await whole.waitUntilFinished(item?.id ?? "")).durationSec).toBeGreaterThan(2);
    await whole.call("removeItem", {}, item?.id);
    expect(page.pageErrors).toEqual([]);
    await page.context().close();
  });
});

describe.skipIf(none).each(themes)("dictation in %s (needs Chromium)", (theme) => {
  it.each([
    ["listening", {}],
    ["discarded", { press: "Escape" }],
  ])("has no axe violations (%s)", async (wanted, { press }: { press?: string }) => {
    const page = await openDictation({ theme, initScript: `${axe};${fakeDesktop()}` });
    await isIn(page, "listening");
    if (press !== undefined) await page.keyboard.press(press);
    await isIn(page, wanted);
    expect(await axeViolations(page)).toEqual([]);
    expect(await layoutFaults(page)).toEqual([]);
    await page.context().close();
  });
});

const desktopNow = async () => (await whole.call("readPreferences")).desktop;

describe.skipIf(none)("desktop settings on the Settings page (needs Chromium)", () => {
  it("are hidden in a browser, except for how provider keys are stored", async () => {
    const page = await whole.open({ path: "/settings" });
    await page.getByRole("heading", { name: "Data folder" }).waitFor();
    await page.getByText("Provider keys are stored unencrypted").waitFor();
    for (const name of ["Desktop", "Dictation", "Updates"])
      expect(await page.getByRole("heading", { name, exact: true }).count()).toBe(0);
    await page.context().close();
  });

  it("record a shortcut from pressed keys, and show whether it is available", async () => {
    const page = await whole.open({ path: "/settings", initScript: fakeDesktop() });
    const field = page.getByRole("button", { name: /^Shortcut/ });
    await field.click();
    await page.keyboard.press("d");
    await page.getByText("Add Ctrl, Alt or Command").waitFor();
    await page.keyboard.press("Control+Alt+d");
    await waitUntil(async () => (await desktopNow()).dictationKeys === "CommandOrControl+Alt+D");
    expect(await field.textContent()).toBe("CtrlAltD");
    await sendState(page, { dictation: { keys: "taken", command: "hearsay --dictate" } });
    await page.getByText("Another program uses this shortcut.").waitFor();
    await page.getByRole("button", { name: "Turn off" }).click();
    await waitUntil(async () => (await desktopNow()).dictationKeys === "");
    await page.getByRole("button", { name: "Use default" }).click();
    await waitUntil(async () => (await desktopNow()).dictationKeys === "CommandOrControl+Shift+H");
    await field.click();
    await page.keyboard.press("Escape");
    expect(await field.textContent()).toContain("H");
    expect(page.pageErrors).toEqual([]);
    await page.context().close();
  });

  it("change preferences, and call the desktop where only it can act", async () => {
    const page = await whole.open({
      path: "/settings",
      initScript: fakeDesktop({
        keyring: "none",
        crashReports: 2,
        dictation: {
          keys: "active",
          command: "hearsay --dictate",
          cannotType: "xdotool is missing.",
        },
      }),
    });
    await page.getByText("This system has no keyring").waitFor();
    await page.getByText("xdotool is missing.").waitFor();
    await page.getByRole("switch", { name: "Keep running in the background" }).click();
    await page.getByRole("switch", { name: "Start at login" }).click();
    await waitUntil(async () => (await desktopNow()).keepsRunning);
    await page.getByRole("switch", { name: "Start at login", checked: true }).waitFor();
    await page.getByRole("button", { name: "Open crash reports" }).click();
    await page.getByRole("button", { name: "Choose folder…" }).click();
    const watched = async () => (await whole.call("readPreferences")).watch.folder;
    await waitUntil(async () => (await watched()) === "/nowhere/Recordings");
    await page.getByRole("textbox", { name: "Folder", exact: true }).fill("");
    await page.keyboard.press("Enter");
    await waitUntil(async () => (await watched()) === "");
    const feed = page.getByLabel("Update address");
    await feed.fill("http://example.org");
    await page.getByText("starts with https://").waitFor();
    await feed.fill("https://example.org/hearsay");
    await feed.press("Enter");
    await waitUntil(async () => (await desktopNow()).updateFeed === "https://example.org/hearsay");
    await page.getByRole("button", { name: "Check for updates" }).click();
    await page.getByRole("button", { name: "Download" }).click();
    await page.getByText("25% downloaded").waitFor();
    await sendState(page, { update: { step: "ready", version: "9.9.9" } });
    await page.getByRole("button", { name: "Install and restart" }).click();
    expect((await recordedCalls(page)).map(([name, ...args]) => [name, ...args])).toEqual([
      ["setOpensAtLogin", true],
      ["openFolder", "crashes"],
      ["pickFolder"],
      ["checkForUpdate"],
      ["downloadUpdate"],
      ["installUpdate"],
    ]);
    expect(page.pageErrors).toEqual([]);
    await page.context().close();
  });

  it("follow changes from another window", async () => {
    const page = await whole.open({ path: "/settings" });
    const before = await whole.call("readPreferences");
    await whole.call("changePreferences", { ...before, theme: "dark" });
    await page.locator(':root[data-theme="dark"]').waitFor();
    await whole.call("changePreferences", before);
    await page.locator(":root:not([data-theme])").waitFor();
    expect(page.pageErrors).toEqual([]);
    await page.context().close();
  });

  it.each(themes)("have no axe violations (%s)", async (theme) => {
    const page = await whole.open({
      theme,
      path: "/settings",
      initScript: `${axe};${fakeDesktop({ keyring: "none", crashReports: 1, dictation: { keys: "taken", command: "hearsay --dictate", cannotType: "It is missing." }, update: { step: "downloading", version: "2.0.0", progress: 0.5 } })}`,
    });
    await waitUntilSettled(page);
    expect(await axeViolations(page)).toEqual([]);
    await page.context().close();
  });
});

describe.skipIf(none)("a window of the desktop (needs Chromium)", () => {
  it("opens pages and runs commands of menu and tray as soon as the page is ready", async () => {
    const page = await whole.open({ path: "/library", initScript: fakeDesktop() });
    await command(page, { type: "go", path: "/settings" });
    await waitUntil(
      async () => (await page.getByRole("heading", { level: 1 }).textContent()) === "Settings",
    );
    await command(page, { type: "go", path: "/transcribe" });
    await command(page, { type: "run", actionId: "transcribe.record" });
    await page.waitForSelector('.record-bar-lamp[data-phase="recording"]');
    await page.getByText("quiet").first().waitFor();
    await page.keyboard.press("b");
    await page.getByLabel(/^Note at/).fill("The boat");
    await page.keyboard.press("Enter");
    await page.getByLabel(/^Note at/).waitFor({ state: "detached" });
    await page.locator(".record-bar").getByRole("button", { name: "Stop" }).click();
    await page.locator(".record-bar").waitFor({ state: "detached" });
    await page.locator(".segment-note").getByText("The boat").waitFor();
    expect(page.pageErrors).toEqual([]);
    await page.context().close();
  });

  it("shows an open item in its folder, also from the library", async () => {
    const [item] = await items();
    const page = await whole.open({ path: `/transcribe/${item?.id}`, initScript: fakeDesktop() });
    await page
      .getByText(item?.title ?? "")
      .first()
      .waitFor();
    // The action is enabled a moment after the title has appeared.
    await waitUntil(async () => {
      await command(page, { type: "run", actionId: "show-in-folder" });
      return (await recordedCalls(page)).length > 0;
    });
    await command(page, { type: "go", path: "/library" });
    await page.getByRole("button", { name: `Actions for ${item?.title}` }).click();
    await page.getByRole("menuitem", { name: "Show in folder" }).click();
    await waitUntil(async () => (await recordedCalls(page)).length > 1);
    expect(await recordedCalls(page)).toEqual([
      ["showItem", item?.id],
      ["showItem", item?.id],
    ]);
    await page.context().close();
  });

  it("records the selected microphone or the system audio, and remembers the choice", async () => {
    const page = await whole.open({
      path: "/transcribe",
      initScript: `${fakeDesktop()};${keepsTrack}`,
    });
    const chooseInput = page.getByRole("button", { name: /^Record from: / });
    const source = page.getByLabel("Record from");
    await chooseInput.click();
    // The level is shown while the popover is open.
    const sound = page.getByText("“Fake Default Audio Input” is picking up sound.");
    // A busy machine may begin to listen when the microphone's file has ended; it starts anew with the microphone.
    while (!(await isShownSoon(sound))) {
      await page.keyboard.press("Escape");
      await chooseInput.click();
    }
    await waitUntil(async () => (await source.locator("option").count()) > 2);
    await source.selectOption({ label: "Outputs of this machine…" });
    await waitUntil(async () =>
      (await recordedCalls(page)).some(([name]) => name === "offerMonitors"),
    );
    await source.selectOption({ label: "Fake Audio Input 2" });
    await waitUntil(
      async () =>
        (await whole.call("readPreferences")).recordFrom.deviceLabel === "Fake Audio Input 2",
    );
    await page.getByRole("dialog").getByRole("button", { name: "Record" }).click();
    await page.getByText("Recording: Fake Audio Input 2").waitFor();
    // Unplugged: the default microphone goes on with the same recording.
    await page.evaluate("window.lastTrack.dispatchEvent(new Event('ended'))");
    await page.getByText("“Fake Audio Input 2” was disconnected.").waitFor();
    await page.getByText("Recording: Fake Default Audio Input").waitFor();
    await page.locator(".record-bar").getByRole("button", { name: "Stop" }).click();
    await page.locator(".record-bar").waitFor({ state: "detached" });
    await page.goto(`${whole.pageUrl}#/transcribe`);
    await chooseInput.click();
    await source.selectOption({ label: "System audio" });
    await waitUntil(async () => (await whole.call("readPreferences")).recordFrom.kind === "system");
    await page.keyboard.press("Escape");
    await page.keyboard.press("r");
    await page.waitForSelector('.record-bar-lamp[data-phase="recording"]');
    await waitUntil(async () => (await page.locator(".record-bar-time").textContent()) === "0:01");
    await page.locator(".record-bar").getByRole("button", { name: "Stop" }).click();
    await page.locator(".record-bar").waitFor({ state: "detached" });
    // Chromium logs this for every screen share of a page that may not use the camera.
    expect(
      page.pageErrors.filter((complaint) => !complaint.includes("camera is not allowed")),
    ).toEqual([]);
    await page.context().close();
  });
});
