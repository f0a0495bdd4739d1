// Choosing a voice for a narration in a real browser, with the real voices: filters, samples of the person's own
// sentence, favourites, blends, a cast.

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
const novel =
  "# The Harbour\n\nThe harbour was quiet.\n\n“You are early,” said Mara. “And wet.”\n\n" +
  "“The tide does not wait,” Tom answered.";
/** Until a change is saved. */

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
/** What was played last. */
const lastPlayed = (
  page: WatchedPage,
): Promise<{ src: string; durationSec: number; isPaused: boolean }> =>
  page.evaluate(() => {
    const audio = (globalThis as unknown as { played: HTMLAudioElement[] }).played.at(-1);
    return {
      src: audio?.src ?? "",
      durationSec: audio?.duration ?? 0,
      isPaused: audio?.paused ?? true,
    };
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

describe.skipIf(none)("the voices of a narration (need Chromium)", () => {
  it("are found by language, heard with the narration's own sentence, and chosen by keyboard", async () => {
    const page = await openNarration();
    const list = voices(page);
    await list.getByLabel("Language", { exact: true }).selectOption("UK English");
    await list.getByLabel("Women or men").selectOption("Women");
    await expect
      .poll(() => list.locator("[aria-pressed]").allTextContents())
      .toEqual([
        "AAlice Woman, high voice",
        "EEmma Woman, even melody",
        "IIsabella Woman, high voice, even melody",
        "LLily Woman, lively melody",
      ]);

    const requested = page.waitForRequest(/\/v1\/audio\/speech/);
    // Browsers are silent before a first click.
    await page.getByRole("group", { name: "Chosen voice" }).click();
    await list.getByRole("button", { name: "Emma Woman" }).hover();
    expect((await requested).postDataJSON()).toMatchObject({
      input: sentence,
      model: "tts-1-hd",
      voice: "bf_emma",
    });
    await waitUntil(async () => (await lastPlayed(page)).durationSec > 1);
    await page.mouse.move(0, 0);
    await expect.poll(() => lastPlayed(page)).toMatchObject({ isPaused: true });

    await list.locator("[aria-pressed]").first().focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await expect
      .poll(() => list.locator("[aria-pressed=true]").allTextContents())
      .toEqual(["IIsabella Woman, high voice, even melody"]);
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
      .toEqual(["EEmma Woman, even melody · UK English"]);
    expect(await group("Recently used").first().textContent()).toBe(
      "DDaniel Man, even melody · UK English",
    );
  });

  it("are mixed by a slider", async () => {
    const page = await openNarration();
    await page.getByText("Blend two voices").click();
    await page.getByLabel("First voice", { exact: true }).selectOption({ label: "Bella" });
    await page.getByLabel("Second voice").selectOption({ label: "Sky" });
    const share = page.getByRole("slider", { name: "Share of the first voice" });
    for (let press = 0; press < 5; press += 1) await share.press("ArrowRight");
    await page.getByLabel("Name (optional)").fill("Warm");
    await page.getByRole("button", { name: "Use blend" }).click();
    await waitUntil(async () => (await storedVoice()) === "af_bella(3)+af_sky(1)");
    const chosen = page.getByRole("group", { name: "Chosen voice" });
    await expect.poll(() => chosen.textContent()).toContain("Warm Bella 75%, Sky 25%");
    await waitUntil(
      async () =>
        (await whole.call("readPreferences")).voices.names["af_bella(3)+af_sky(1)"] === "Warm",
    );
  });

  it("play the roles of a cast that is found in a novel, named in the margin, or typed", async () => {
    item = await whole.call("createNarration", { title: "The Harbour", script: novel });
    const page = await whole.open({ path: `/narrate/${item.id}` });
    const stored = () => whole.call("readNarration", {}, item.id);
    await page.getByText("2 people speak in this text: Mara and Tom.").waitFor();
    await page.getByRole("button", { name: "Show proposed cast" }).click();
    await page.getByRole("button", { name: "Use this cast" }).click();
    await expect
      .poll(async () => (await stored()).sentences.map(({ speaker }) => speaker))
      .toEqual([undefined, undefined, "Mara", "Narrator", "Mara", "Tom", "Narrator"]);
    const { voice } = (await stored()).options.cast?.find(({ name }) => name === "Tom") ?? {};
    expect(["echo", "fable", "onyx"]).toContain(voice);
    await page.getByRole("button", { name: "Undo" }).click();
    await expect.poll(async () => (await stored()).script).toBe(novel);

    const field = page.locator(".script-field");
    const narrated = page.getByRole("button", { name: "Speaker: Narrator (Nova)" });
    await expect.poll(() => narrated.count()).toBe(4);
    await narrated.nth(2).click();
    await page.keyboard.type("Ann");
    await page.getByRole("option", { name: "New role “Ann”" }).waitFor();
    await page.keyboard.press("Enter");
    const cast = novel.replace("“You", "[Ann] “You").replace("“The tide", "[Narrator] “The tide");
    await expect.poll(() => field.inputValue()).toBe(cast);
    await page.getByRole("button", { name: "Speaker: Ann (Alloy)" }).waitFor();
    await field.press("Control+z");
    expect(await field.inputValue()).toBe(novel);
    await field.press("Control+Shift+z");

    await field.press("Control+End");
    await page.keyboard.press("Control+Shift+s");
    await page.getByPlaceholder("Find or name a speaker").waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.type("\n\n[An");
    await page.getByRole("option", { name: "Ann" }).waitFor();
    await page.keyboard.press("Enter");
    await page.keyboard.type("Go. [pause 1s] Now.");
    expect(await field.inputValue()).toBe(`${cast}\n\n[Ann] Go. [pause 1s] Now.`);
    await field.press("Control+Home");
    const pause = page.getByRole("slider", { name: "Pause" });
    const { x = 0, y = 0 } = (await pause.boundingBox()) ?? {};
    await page.mouse.move(x + 20, y + 10);
    await page.mouse.down();
    await page.mouse.move(x + 70, y + 10);
    // Moved a last time just before the button is released.
    await pause.evaluate((chip, clientX) => {
      for (const type of ["pointermove", "pointerup"])
        chip.dispatchEvent(new PointerEvent(type, { bubbles: true, clientX }));
    }, x + 120);
    await page.mouse.up();
    expect(await field.inputValue()).toBe(`${cast}\n\n[Ann] Go. [pause 3s] Now.`);
    await field.press("Control+Home");
    await pause.focus();
    for (const key of ["ArrowLeft", "ArrowLeft", "Shift+ArrowLeft"]) await page.keyboard.press(key);
    await page.getByText("1.8 s").waitFor();
    expect(await field.inputValue()).toContain("[pause 3s]");
    await page.keyboard.press("Enter");
    await expect.poll(() => field.inputValue()).toContain("[pause 1.8s]");
    await page.keyboard.press("Control+z");
    await expect.poll(() => field.inputValue()).toContain("[pause 3s]");

    await page.getByLabel("Voice of Ann", { exact: true }).selectOption({ label: "Daniel" });
    await expect
      .poll(async () => (await stored()).sentences.slice(-2).map((last) => last.voice))
      .toEqual(["bm_daniel", "bm_daniel"]);
    expect(page.pageErrors).toEqual([]);
  });

  it("are named where another one takes over, and a language that none knows is, too", async () => {
    // Too short to be told from English without its tag.
    const spanish = "[es] Vale, vamos.";
    const german = "Das Schiff ist nicht mehr im Hafen, und wir haben keine Karte für die Fahrt.";
    item = await whole.call("createNarration", {
      title: "The Harbour",
      script: [sentence, spanish, german].join("\n\n"),
    });
    const page = await whole.open({ path: `/narrate/${item.id}` });
    await page.getByText("a language that no voice here knows: German.").waitFor();
    await page.locator(".script-language", { hasText: /^es$/ }).waitFor();
    const { sentences } = await whole.call("readNarration", {}, item.id);
    const sentenceIds = sentences.slice(1, 2).map(({ id }) => id);
    await whole.call("makeNarration", { sentenceIds }, item.id);
    const margin = page.getByRole("button", {
      name: "Speaker: Narrator (Dora takes over from Nova)",
    });
    await margin.waitFor();
    await margin.hover();
    await page.getByRole("tooltip", { name: "Dora takes over from Nova" }).waitFor();
    await page.getByText("Cast", { exact: true }).click();
    await page.getByText("In languages that Nova does not speak: Dora").waitFor();
    expect(page.pageErrors).toEqual([]);
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
