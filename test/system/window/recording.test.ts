// A recording is visible and can be stopped everywhere: in the sidebar of every page, in the window's title, in the
// desktop's tray. Real engines, a WAV file instead of the microphone.

import { readFileSync } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { AxeResults } from "axe-core";
import type { Page } from "playwright";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chromiumPath, keepsTrack } from "../../support/browser.ts";
import { waitUntil } from "../../support/command-line.ts";
import { recordedCalls, command, fakeDesktop } from "../../support/fake-desktop.ts";
import { themes } from "../../support/pages.ts";
import { openFolder, writeAudioFile, synthesizeSamples } from "../../support/test-data.ts";
import {
  openAppWithWindow,
  type PageOptions,
  type WatchedPage,
  type AppWithWindow,
} from "../../support/app-with-window.ts";

const none = chromiumPath === undefined;
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const elsewhere = [
  "narrate",
  "library",
  "models",
  "channels",
  "server",
  "settings",
  "welcome",
] as const;
let whole: AppWithWindow;
let folder: Awaited<ReturnType<typeof openFolder>>;

beforeAll(async () => {
  if (none) return;
  folder = await openFolder();
  whole = await openAppWithWindow({
    microphone: await writeAudioFile(
      join(folder.path, "spoken.wav"),
      await synthesizeSamples("A single boat lay at the pier."),
    ),
  });
  await whole.call("changePreferences", { hasSeenWelcome: true });
}, 180_000);
afterAll(async () => {
  await whole?.close();
  if (folder !== undefined) await rm(folder.path, { recursive: true, force: true });
});

/** A page with a running recording. */
async function recording(options: PageOptions = {}): Promise<WatchedPage> {
  const page = await whole.open({ path: "/transcribe", ...options });
  await page.locator(".start-area .button-primary").click();
  await page.waitForSelector('.record-bar-lamp[data-phase="recording"]');
  return page;
}

const row = (page: Page) => page.locator(".rail-recording");
const timeOf = async (page: Page): Promise<string> =>
  (await row(page).locator(".rail-recording-time").textContent()) ?? "";
const secondsOf = (time: string): number =>
  time.split(":").reduce((sum, part) => sum * 60 + Number(part), 0);
/** The highest sample of a 16 kHz stereo WAV's right channel from that second on. */
function loudestSecondTrack(wav: Buffer, fromSec: number): number {
  let loudest = 0;
  for (let at = 44 + fromSec * 16_000 * 4 + 2; at + 2 <= wav.length; at += 4)
    loudest = Math.max(loudest, Math.abs(wav.readInt16LE(at)));
  return loudest;
}
const idOf = (page: Page): string => new URL(page.url()).hash.split("/").at(-1) ?? "";
/** The message of the dialog that `act` causes. */
async function question(page: Page, act: () => Promise<unknown>): Promise<string> {
  const dialogOpened = page.waitForEvent("dialog");
  await act();
  const dialog = await dialogOpened;
  const type = dialog.type();
  await dialog.dismiss();
  return type;
}

/** Makes the page share this WAV file as the system's sound, again and again. */
const shareSystemAudio = (wavBase64: string): string => `
  navigator.mediaDevices.getDisplayMedia = async () => {
    const context = new AudioContext();
    const bytes = Uint8Array.from(atob(${JSON.stringify(wavBase64)}), (each) => each.charCodeAt(0));
    const source = new AudioBufferSourceNode(context, {
      buffer: await context.decodeAudioData(bytes.buffer),
      loop: true,
    });
    const shared = context.createMediaStreamDestination();
    source.connect(shared);
    source.start();
    await context.resume();
    return shared.stream;
  };`;

describe.skipIf(none)("a recording (needs Chromium)", () => {
  it("is visible on every page and in the title, continues across pages without a question, and can be stopped on any of them", async () => {
    const page = await recording();
    const id = idOf(page);
    let questions = 0;
    page.on("dialog", (dialog) => {
      questions += 1;
      void dialog.accept();
    });
    for (const place of elsewhere) {
      await page.goto(`${whole.pageUrl}#/${place}`);
      await page.waitForSelector("#root h1");
      await row(page).locator('.rail-recording-lamp[data-phase="recording"]').waitFor();
    }
    const before = await timeOf(page);
    await waitUntil(async () => (await timeOf(page)) !== before);
    expect(await page.title()).toMatch(/^● \d+:\d\d – Hearsay$/);
    await row(page).getByRole("link").click();
    await page.waitForSelector(".record-bar");
    expect(idOf(page)).toBe(id);
    await page.goto(`${whole.pageUrl}#/library`);
    await row(page).getByRole("button", { name: "Stop recording" }).click();
    await page.getByText("The recording is saved and is being transcribed.").waitFor();
    await page.getByRole("button", { name: "Show it" }).click();
    expect(idOf(page)).toBe(id);
    await row(page).waitFor({ state: "detached" });
    expect([await page.title(), questions]).toEqual(["Hearsay", 0]);
    expect(await whole.waitUntilFinished(id)).toMatchObject({ state: "done", source: "recording" });
    expect(page.pageErrors).toEqual([]);
    await page.context().close();
  });

  it("is shown on the Transcribe page in place of the button to record", async () => {
    const page = await recording();
    const id = idOf(page);
    await page.getByRole("navigation").getByRole("link", { name: "Transcribe" }).click();
    await page.waitForSelector(".start-area");
    await page.locator(".record-bar").waitFor();
    expect(await page.getByRole("button", { name: "Record", exact: true }).count()).toBe(0);
    await page.locator(".record-bar").getByRole("button", { name: "Pause" }).click();
    await row(page).locator('.rail-recording-lamp[data-phase="paused"]').waitFor();
    await row(page)
      .getByRole("link", { name: /^\d+:\d\d Paused$/ })
      .waitFor();
    expect(await page.title()).toMatch(/^Paused at \d+:\d\d – Hearsay$/);
    await page.getByRole("button", { name: "Show recording" }).first().click();
    expect(idOf(page)).toBe(id);
    // From the palette, on another page.
    await page.goto(`${whole.pageUrl}#/server`);
    await page.keyboard.press("Control+k");
    await page.keyboard.type("stop recording");
    await page.keyboard.press("Enter");
    await row(page).waitFor({ state: "detached" });
    await page.context().close();
  });

  it("causes a question before a reload or close, and continues if the user stays", async () => {
    const page = await recording();
    const id = idOf(page);
    await page.goto(`${whole.pageUrl}#/models`);
    expect(
      await question(page, () => page.evaluate(() => void setTimeout(() => location.reload()))),
    ).toBe("beforeunload");
    expect(await question(page, () => page.close({ runBeforeUnload: true }))).toBe("beforeunload");
    const before = await timeOf(page);
    await waitUntil(async () => (await timeOf(page)) !== before);
    await row(page).getByRole("button", { name: "Stop recording" }).click();
    await row(page).waitFor({ state: "detached" });
    // The button is gone: the link of the page takes its focus.
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.textContent))
      .toBe("Models");
    expect((await whole.waitUntilFinished(id)).state).toBe("done");
    // Nothing unsaved is left, so there is no question.
    const closed = page.waitForEvent("close");
    await page.close({ runBeforeUnload: true });
    await closed;
  });

  it("is shown and can be stopped in the desktop's tray, also a clip of the Models page", async () => {
    const page = await recording({ initScript: fakeDesktop() });
    const recordingStates = async () =>
      (await recordedCalls(page))
        .filter(([name]) => name === "setRecording")
        .map(([, state]) => state as { phase: string; sec: number } | undefined);
    await waitUntil(async () => ((await recordingStates()).at(-1)?.sec ?? 0) >= 1);
    expect((await recordingStates())[0]).toEqual({ phase: "recording", sec: 0 });
    await page.goto(`${whole.pageUrl}#/narrate`);
    await command(page, { type: "run", actionId: "recording.stop" });
    await row(page).waitFor({ state: "detached" });
    expect((await recordingStates()).at(-1) ?? undefined).toBeUndefined();
    const count = (await recordingStates()).length;
    await page.goto(`${whole.pageUrl}#/models`);
    await page.getByRole("radio", { name: "Try and compare" }).click();
    await page.getByRole("button", { name: "Record", exact: false }).first().click();
    await row(page).getByText("Trial clip").waitFor();
    expect((await recordingStates()).length).toBeGreaterThan(count);
    await row(page).getByRole("button", { name: "Stop recording" }).click();
    await row(page).waitFor({ state: "detached" });
    expect(page.pageErrors).toEqual([]);
    await page.context().close();
  });

  it("of a clip continues on other pages, and is the clip to try wherever it was stopped", async () => {
    const page = await whole.open({ path: "/models/try" });
    await page.getByRole("button", { name: "Record a clip" }).click();
    await row(page).getByText("Trial clip").waitFor();
    for (const place of ["library", "server"] as const) {
      await page.goto(`${whole.pageUrl}#/${place}`);
      await page.waitForSelector("#root h1");
      const before = await timeOf(page);
      await waitUntil(async () => (await timeOf(page)) !== before);
    }
    await row(page).getByRole("button", { name: "Stop recording" }).click();
    await row(page).waitFor({ state: "detached" });
    await page.getByText(/^Recorded, \d+:\d\d$/).waitFor();
    await page.getByRole("button", { name: "Show it" }).click();
    const chosen = page.getByLabel("Clip", { exact: true });
    expect(await chosen.inputValue()).toBe("file");
    expect(await chosen.locator("option:checked").textContent()).toMatch(
      /^Recorded, \d+:\d\d\.wav$/,
    );
    // A running recording is shown when the page is opened again.
    await page.getByRole("button", { name: "Record a clip" }).click();
    await row(page).getByText("Trial clip").waitFor();
    await page.goto(`${whole.pageUrl}#/library`);
    await row(page).getByRole("link").click();
    await page.getByRole("button", { name: "Stop at 0:02" }).click();
    await row(page).waitFor({ state: "detached" });
    expect(await chosen.inputValue()).toBe("file");
    expect(page.pageErrors).toEqual([]);
    await page.context().close();
  });

  it.each(themes.map((theme, at) => ({ theme, widthPx: [1440, 800][at] ?? 1440 })))(
    "is accessible, in $theme at $widthPx",
    async ({ theme, widthPx }) => {
      const page = await recording({ theme, widthPx, initScript: axe });
      await page.emulateMedia({ reducedMotion: "reduce" });
      await page.goto(`${whole.pageUrl}#/library`);
      await page.waitForSelector("#root h1");
      const { violations } = await page.evaluate(() =>
        (globalThis as unknown as { axe: { run(): Promise<AxeResults> } }).axe.run(),
      );
      expect(
        violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" | ")}`),
      ).toEqual([]);
      expect(
        await row(page)
          .locator(".rail-recording-lamp")
          .evaluate((lamp) => getComputedStyle(lamp).animationName),
      ).toBe("none");
      const box = await row(page).boundingBox();
      const rail = await page.locator(".rail").boundingBox();
      expect(
        box !== null &&
          rail !== null &&
          box.x >= rail.x &&
          box.x + box.width <= rail.x + rail.width,
      ).toBe(true);
      await page.goto(`${whole.pageUrl}#/transcribe`);
      await page.locator(".record-bar").waitFor();
      await row(page).getByRole("button", { name: "Stop recording" }).click();
      await row(page).waitFor({ state: "detached" });
      await page.context().close();
    },
  );

  it("has the system's sound as a second track where that is wanted, each with its speaker", async () => {
    const spoken = await writeAudioFile(
      join(folder.path, "others.wav"),
      await synthesizeSamples("By evening the water is quiet again."),
    );
    const page = await whole.open({
      path: "/transcribe",
      initScript: `${shareSystemAudio(await readFile(spoken, "base64"))};${keepsTrack}`,
    });
    await page.getByRole("button", { name: /^Record from: / }).click();
    await page.getByRole("switch", { name: "System audio as a second track" }).click();
    await waitUntil(async () => (await whole.call("readPreferences", {})).recordsSystemTrack);
    await page.locator(".input-popover .button-primary").click();
    await page.waitForSelector('.record-bar-lamp[data-phase="recording"]');
    const id = idOf(page);
    for (const name of ["Me", "Others"])
      await page.locator(".segment-list").getByText(name, { exact: true }).first().waitFor();
    // Another microphone replaces the first track, later the default one when it is unplugged. The second track stays.
    await page.getByRole("button", { name: "Change input" }).click();
    await page.getByText("so only the microphone can be changed").waitFor();
    const source = page.getByLabel("Record from");
    expect(await source.locator("option", { hasText: "Audio of a tab" }).count()).toBe(0);
    await source.selectOption({ label: "Fake Audio Input 2" });
    await page.getByText("Recording: Fake Audio Input 2 and system audio").waitFor();
    await page.evaluate("window.lastTrack.dispatchEvent(new Event('ended'))");
    await page.getByText("“Fake Audio Input 2” was disconnected.").waitFor();
    await page.getByText("Recording: Fake Default Audio Input and system audio").waitFor();
    const changedSec = secondsOf(await timeOf(page));
    await waitUntil(async () => secondsOf(await timeOf(page)) > changedSec + 1);
    await page.keyboard.press("Escape");
    await row(page).getByRole("button", { name: "Stop recording" }).click();
    await row(page).waitFor({ state: "detached" });
    expect((await whole.waitUntilFinished(id)).state).toBe("done");
    const { segments, options } = await whole.call("readDocument", {}, id);
    const saidBy = (name: string): string =>
      segments
        .filter(({ speaker }) => speaker === name)
        .map(({ text }) => text)
        .join(" ");
    expect(options.tracks).toEqual(["Me", "Others"]);
    expect(saidBy("Me")).toContain("boat");
    expect(saidBy("Others")).toContain("water");
    const audio = Buffer.from(await (await whole.send(`/app/items/${id}/media`)).arrayBuffer());
    expect(audio.readUInt16LE(22)).toBe(2);
    expect(loudestSecondTrack(audio, changedSec)).toBeGreaterThan(1000);
    expect(page.pageErrors).toEqual([]);
    await page.context().close();
    await whole.call("changePreferences", {
      recordsSystemTrack: false,
      recordFrom: { kind: "microphone" },
    });
    const other = await whole.open({
      path: "/transcribe",
      initScript: "navigator.mediaDevices.getSupportedConstraints = () => ({});",
    });
    await other.getByRole("button", { name: /^Record from: / }).click();
    await other.getByText("This browser cannot record system audio.").waitFor();
    await other.context().close();
  });

  it("is labelled in German", async () => {
    await whole.call("changePreferences", { language: "de" });
    const page = await recording();
    await page.goto(`${whole.pageUrl}#/library`);
    await row(page).getByText("Aufnahme läuft").waitFor();
    await row(page).getByRole("button", { name: "Aufnahme beenden" }).click();
    await page.getByText("Die Aufnahme ist gespeichert und wird transkribiert.").waitFor();
    expect(await page.title()).toBe("Hearsay");
    await page.context().close();
    await whole.call("changePreferences", { language: "en" });
  });
});
