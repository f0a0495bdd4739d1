// Choosing a voice for a narration in a real browser, with the real voices: filters, samples of the person's own
// sentence, favourites, blends.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Item } from "../../../main/contract/library-item.ts";
import {
  type AppWithWindow,
  openAppWithWindow,
  type WatchedPage,
} from "../../support/app-with-window.ts";
import { chromiumPath } from "../../support/browser.ts";
import { waitUntil } from "../../support/command-line.ts";

const none = chromiumPath === undefined;
const sentence = "The harbour was quiet that morning.";
let whole: AppWithWindow;
let item: Item;

/** A script that keeps what is played. */
const keepPlayed = `
  globalThis.played = [];
  const play = HTMLMediaElement.prototype.play;
  HTMLMediaElement.prototype.play = function () {
    globalThis.played.push(this);
    return play.apply(this);
  };`;
/** Address and length of what was played last. */
const lastPlayed = (page: WatchedPage): Promise<{ src: string; durationSec: number }> =>
  page.evaluate(() => {
    const audio = (globalThis as unknown as { played: HTMLAudioElement[] }).played.at(-1);
    return { src: audio?.src ?? "", durationSec: audio?.duration ?? 0 };
  });
const voices = (page: WatchedPage) => page.getByRole("group", { name: "Voice", exact: true });
const storedVoice = async (): Promise<string> =>
  (await whole.call("readNarration", {}, item.id)).options.voice;

beforeAll(async () => {
  if (none) return;
  whole = await openAppWithWindow();
  await whole.call("changePreferences", { hasSeenWelcome: true });
}, 180_000);
afterAll(() => whole?.close());

async function openNarration(): Promise<WatchedPage> {
  item = await whole.call("createNarration", {
    title: "The Harbour",
    script: `${sentence} A single boat lay at the pier.`,
    options: { model: "tts-1-hd", voice: "nova", speed: 1 },
  });
  return whole.open({ path: `/narrate/${item.id}`, initScript: keepPlayed });
}

describe.skipIf(none)("the voices of a narration (need Chromium)", { timeout: 120_000 }, () => {
  it("are found by language, heard with the narration's own sentence, and chosen by keyboard", async () => {
    const page = await openNarration();
    const list = voices(page);
    await list.getByLabel("Language", { exact: true }).selectOption("UK English");
    await list.getByLabel("Women or men").selectOption("Women");
    await expect
      .poll(() => list.locator("[aria-pressed]").allTextContents())
      .toEqual(["AAlice Woman", "EEmma Woman", "IIsabella Woman", "LLily Woman"]);

    const requested = page.waitForRequest(/\/v1\/audio\/speech/);
    await list.getByRole("button", { name: "Play Emma" }).click();
    expect((await requested).postDataJSON()).toMatchObject({
      input: sentence,
      model: "tts-1-hd",
      voice: "bf_emma",
    });
    await waitUntil(async () => (await lastPlayed(page)).durationSec > 1);

    await list.locator("[aria-pressed]").first().focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await expect
      .poll(() => list.locator("[aria-pressed=true]").allTextContents())
      .toEqual(["IIsabella Woman"]);
    await waitUntil(async () => (await storedVoice()) === "bf_isabella");
    expect(page.pageErrors).toEqual([]);
  });

  it("say a sentence of their own where another voice would read that of the narration", async () => {
    const page = await openNarration();
    const list = voices(page);
    await list.getByLabel("Language", { exact: true }).selectOption("French");
    await list.getByRole("button", { name: "Play Siwis" }).click();
    await list.getByText("Siwis does not speak the language of your sentence.").waitFor();
    await waitUntil(async () => (await lastPlayed(page)).durationSec > 1);
    expect((await lastPlayed(page)).src).toContain("/app/voices/ff_siwis/sample");
  });

  it("are kept as favourites, and listed first when used before", async () => {
    const page = await openNarration();
    const list = voices(page);
    await list.getByRole("button", { name: "Add Emma to favourites" }).click();
    await list.getByRole("button", { name: "Daniel Man" }).click();
    await waitUntil(async () => (await storedVoice()) === "bm_daniel");
    await waitUntil(async () => {
      const { favourites, recent } = (await whole.call("readPreferences")).voices;
      return favourites[0] === "bf_emma" && recent[0] === "bm_daniel";
    });
    await page.reload();
    const group = (name: string) => list.getByRole("group", { name }).locator("[aria-pressed]");
    await expect
      .poll(() => group("Favourites").allTextContents())
      .toEqual(["EEmma Woman · UK English"]);
    expect(await group("Recently used").first().textContent()).toBe("DDaniel Man · UK English");
  });

  it("are mixed by a slider", async () => {
    const page = await openNarration();
    await page.getByText("Blend two voices").click();
    await page.getByLabel("First voice", { exact: true }).selectOption({ label: "Bella" });
    await page.getByLabel("Second voice").selectOption({ label: "Sky" });
    const share = page.getByRole("slider", { name: "Share of the first voice" });
    for (let press = 0; press < 5; press += 1) await share.press("ArrowRight");
    await page.getByRole("button", { name: "Use blend" }).click();
    await waitUntil(async () => (await storedVoice()) === "af_bella(3)+af_sky(1)");
    const chosen = page.getByRole("group", { name: "Chosen voice" });
    expect(await chosen.textContent()).toContain("Bella 75%, Sky 25%");
  });

  it("are all offered where a model is tried", async () => {
    const page = await whole.open({ path: "/models/try" });
    await page.getByRole("radio", { name: "Text to speech" }).click();
    await page.getByLabel("Model", { exact: true }).selectOption("tts-1-hd");
    await page.getByLabel("Voice", { exact: true }).selectOption({ label: "Lewis" });
    const requested = page.waitForRequest(/\/v1\/audio\/speech/);
    await page.getByRole("button", { name: "Run", exact: true }).click();
    expect((await requested).postDataJSON()).toMatchObject({ voice: "bm_lewis" });
    await page.getByRole("button", { name: "Play", exact: true }).waitFor();
  });
});
