// Speakers in a real browser with real engines: told apart in a chosen file, heard, renamed, joined, divided, exported.

import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { joinSamples } from "../../../main/audio/codec/pcm.ts";
import type { Item } from "../../../main/contract/library-item.ts";
import type { DocumentSegment } from "../../../main/contract/transcript-document.ts";
import {
  type AppWithWindow,
  openAppWithWindow,
  type WatchedPage,
} from "../../support/app-with-window.ts";
import { chromiumPath } from "../../support/browser.ts";
import { hasFocus } from "../../support/pages.ts";
import {
  openFolder,
  synthesizeSamples,
  voiceSampleRateHz,
  writeAudioFile,
} from "../../support/test-data.ts";
import { transcribedSegments } from "../../support/transcripts.ts";

const none = chromiumPath === undefined;
let whole: AppWithWindow;
let folder: Awaited<ReturnType<typeof openFolder>>;
let conversation: string;
/** For transcripts whose text is written by the test. */
let silence: string;
/** One for all tests: each opens a transcript of its own in it. */
let page: WatchedPage;

beforeAll(async () => {
  if (none) return;
  folder = await openFolder();
  conversation = await writeAudioFile(
    join(folder.path, "Two people.wav"),
    joinSamples([
      await synthesizeSamples(
        "The harbour was quiet that morning. A single boat lay at the pier.",
        "nova",
      ),
      await synthesizeSamples(
        "You are early, said the keeper of the light. The tide does not wait for anybody.",
        "onyx",
      ),
    ]),
  );
  silence = await writeAudioFile(
    join(folder.path, "Lines.wav"),
    new Float32Array(8 * voiceSampleRateHz),
  );
  whole = await openAppWithWindow();
  await whole.call("changePreferences", { hasSeenWelcome: true });
  page = await whole.open({ path: "/transcribe" });
}, 180_000);
afterAll(async () => {
  await whole?.close();
  if (folder !== undefined) await rm(folder.path, { recursive: true, force: true });
});
beforeEach(() => {
  if (!none) page.pageErrors.length = 0;
});

/** Where the speaker changes. */
const margin = (): Promise<string[]> =>
  page.locator(".segment-margin .speaker-name").allTextContents();
const legend = (): Promise<string[]> =>
  page.locator(".speakers-legend .speaker-name").allTextContents();
const undo = (what: string): Promise<void> =>
  page.getByRole("button", { name: `Undo: ${what}` }).click();

async function chooseInLegend(speaker: string, item: string): Promise<void> {
  await page.getByRole("button", { name: `${speaker}: more`, exact: true }).click();
  await page.getByRole("menuitem", { name: item, exact: true }).click();
}

async function renameInLegend(speaker: string, name: string): Promise<void> {
  await chooseInLegend(speaker, "Rename everywhere");
  await page.keyboard.type(name);
  await page.keyboard.press("Enter");
}

/** Opens a transcript of four lines, two seconds each; without a speaker unless `speakers` names them. */
async function openLines(speakers: readonly string[] = []): Promise<void> {
  const uploaded = await whole.send("/app/uploads?name=Lines.wav", {
    method: "POST",
    body: await readFile(silence),
  });
  const { id } = await whole.waitUntilFinished(((await uploaded.json()) as Item).id);
  const { revision } = await whole.call("readDocument", {}, id);
  const lines = [0, 1, 2, 3].map((line) => `This is line ${line}`);
  const put = transcribedSegments(...lines).map((segment, line): DocumentSegment => {
    const speaker = speakers[line];
    return { ...segment, id: 3_000_000 + line, ...(speaker === undefined ? {} : { speaker }) };
  });
  await whole.call("changeDocument", { revision, put, remove: [] }, id);
  await page.goto(`${whole.pageUrl}#/transcribe/${id}`);
  await page.getByText("This is line 3").waitFor();
}

/** Clicks the middle of a word in a segment's text. */
async function clickWord(segmentIndex: number, word: string): Promise<void> {
  const text = page.locator(".segment-text").nth(segmentIndex);
  const place = await text.evaluate((element, wanted) => {
    const node = element.firstChild as Text;
    const from = node.data.indexOf(wanted);
    const range = new Range();
    range.setStart(node, from);
    range.setEnd(node, from + wanted.length);
    const [inner, outer] = [range.getBoundingClientRect(), element.getBoundingClientRect()];
    return {
      x: inner.x + inner.width / 2 - outer.x,
      y: inner.y + inner.height / 2 - outer.y,
    };
  }, word);
  await text.click({ position: place });
}

describe.skipIf(none)("speakers (needs Chromium)", () => {
  it("are told apart in a file if the options say so, and a sample of each is played", async () => {
    await page.getByRole("button", { name: /^Transcription options/ }).click();
    await page.getByRole("switch", { name: "Tell speakers apart" }).click();
    const count = page.getByLabel("Number of speakers");
    await count.fill("4-2");
    await count.blur();
    await page.getByText("Enter a number such as 2").waitFor();
    await count.fill("2-3");
    await expect
      .poll(async () => (await whole.call("readPreferences")).transcribe.speakers)
      .toEqual({ min: 2, max: 3 });
    await page.keyboard.press("Escape");
    await page.locator('input[type="file"]').first().setInputFiles(conversation);
    await expect.poll(legend).toEqual(["A", "B"]);
    expect(await margin()).toEqual(["A", "B"]);
    expect(await page.locator(".speaker-lane").count()).toBe(2);
    const entry = page.getByRole("button", { name: /^Play a sample of B/ });
    expect(await entry.textContent()).toMatch(/B0:0\d · \d\d%/);
    await entry.click();
    await page.locator(".player-speaker", { hasText: "B" }).waitFor();
    expect(page.pageErrors).toEqual([]);
  });

  it("are told apart again in a transcript that exists, as one step that is undone", async () => {
    const texts = await page.locator(".segment-text").allTextContents();
    const menuButton = page.getByRole("button", { name: "More for this transcript" });
    const openPanel = async (): Promise<void> => {
      await menuButton.click();
      await page.getByRole("menuitem", { name: "Tell speakers apart" }).click();
    };
    const panel = page.getByRole("region", { name: "Tell speakers apart" });
    await openPanel();
    await expect
      .poll(() => hasFocus(panel.getByRole("button", { name: "Tell speakers" })))
      .toBe(true);
    await page.keyboard.press("Escape");
    await expect.poll(() => hasFocus(menuButton)).toBe(true);
    await openPanel();
    await panel.getByLabel("Number of speakers").fill("1");
    await panel.getByRole("button", { name: "Tell speakers apart" }).click();
    await expect.poll(legend).toEqual(["A"]);
    expect(await page.locator(".segment-text").allTextContents()).toEqual(texts);
    await undo("tell speakers apart");
    await expect.poll(legend).toEqual(["A", "B"]);
    expect(page.pageErrors).toEqual([]);
  });

  it("whose voices are remembered on request are recognized in the next file, until a person confirms it", async () => {
    expect(await legend()).toEqual(["A", "B"]);
    await page.getByRole("button", { name: "B: more" }).click();
    await page.getByText("Name the speaker first.").waitFor();
    await page.keyboard.press("Escape");
    await renameInLegend("A", "Anna");
    await chooseInLegend("Anna", "Remember this voice");
    const dialog = page.getByRole("dialog", { name: "Remember this voice" });
    await dialog.getByText("personal data").waitFor();
    await dialog.getByRole("button", { name: "Remember this voice" }).click();
    await page.getByText("Hearsay now remembers the voice of Anna.").waitFor();
    expect((await whole.call("listPeople")).people.map(({ name }) => name)).toEqual(["Anna"]);

    await page.getByRole("button", { name: "Anna: more" }).click();
    await page.getByRole("menuitem", { name: "Rename everywhere" }).waitFor();
    expect(await page.getByRole("menuitem", { name: "Remember this voice" }).count()).toBe(0);
    await page.keyboard.press("Escape");

    const first = page.url();
    await page.goto(`${whole.pageUrl}#/transcribe`);
    await page.locator('input[type="file"]').first().setInputFiles(conversation);
    const recognized = page.getByText(/ · recognized, 99% sure/);
    await recognized.waitFor();
    expect(await legend()).toEqual(["Anna", "A"]);
    await chooseInLegend("Anna", "Yes, this is Anna");
    await recognized.waitFor({ state: "detached" });
    expect(await legend()).toEqual(["Anna", "A"]);
    await expect
      .poll(async () => (await whole.call("listPeople")).people[0]?.recordings.length)
      .toBe(2);

    await renameInLegend("A", "Ben");
    await chooseInLegend("Ben", "Remember this voice");
    await dialog.getByRole("button", { name: "Remember this voice" }).click();
    await page.getByText("Hearsay now remembers the voice of Ben.").waitFor();
    await page.goto(first);
    await expect.poll(legend).toEqual(["Anna", "B"]);
    // Was not recognized: whoever gives the name of a remembered person teaches the voice.
    await renameInLegend("B", "Ben");
    await expect
      .poll(async () =>
        (await whole.call("listPeople")).people.map(({ recordings }) => recordings.length),
      )
      .toEqual([2, 2]);
    // Whoever takes the name back has it forgotten again.
    await undo("rename speaker");
    await expect
      .poll(async () =>
        (await whole.call("listPeople")).people.map(({ recordings }) => recordings.length),
      )
      .toEqual([2, 1]);

    await page.goto(`${whole.pageUrl}#/settings`);
    await page.getByRole("button", { name: "Rename Ben" }).click();
    await page.keyboard.type("Benjamin");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Rename Benjamin" }).waitFor();
    expect((await whole.call("listPeople")).people.map(({ name }) => name)).toEqual([
      "Anna",
      "Benjamin",
    ]);
    expect(page.pageErrors).toEqual([]);
  });

  it("are named by hand, renamed everywhere, merged, and exported", async () => {
    await openLines();
    const firstText = page.locator(".segment-text").first();
    const textLeftPx = (await firstText.boundingBox())?.x;
    await page.locator(".segment").first().focus();
    await page.keyboard.press("s");
    await page.keyboard.type("Anna");
    await page.keyboard.press("Enter");
    await expect.poll(margin).toContain("Anna");
    expect((await firstText.boundingBox())?.x).toBe(textLeftPx);
    // The panel stays at its segment. Controls of another segment stay reachable, and focus does not move into a text
    // field.
    await page.locator(".segment").nth(2).hover();
    const more = page.locator(".segment").nth(2).getByRole("button", { name: "More" });
    await more.click();
    await page.getByRole("menuitem", { name: "Set speaker" }).waitFor();
    await page.keyboard.press("Escape");
    // A closed menu returns the focus to its button.
    await expect
      .poll(() => more.evaluate((button) => button === document.activeElement))
      .toBe(true);
    expect(await page.evaluate(() => document.activeElement instanceof HTMLInputElement)).toBe(
      false,
    );
    await page.locator(".segment").nth(2).focus();
    await page.keyboard.press("s");
    await page.keyboard.press("Escape");
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.getAttribute("aria-label")))
      .toBe("From 0:04");
    await page.keyboard.press("h");
    await page
      .getByRole("region", { name: "Transcribe again" })
      .getByRole("button", { name: "Transcribe", exact: true })
      .press("Escape");
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.getAttribute("aria-label")))
      .toBe("From 0:04");
    await page.keyboard.press("s");
    await page.getByLabel("Speaker from 0:04").fill("Ben");
    await page.keyboard.press("Enter");
    await expect.poll(margin).toEqual(["Anna", "Ben"]);
    // The other speakers are one click away.
    await page.getByRole("button", { name: "Speaker Ben: change" }).click();
    await page
      .getByRole("region", { name: "Speaker", exact: true })
      .getByRole("button", { name: "Anna" })
      .click();
    await expect.poll(margin).toEqual(["Anna"]);
    await undo("set speaker");
    await expect.poll(margin).toEqual(["Anna", "Ben"]);
    await renameInLegend("Anna", "Annabel");
    await expect.poll(margin).toEqual(["Annabel", "Ben"]);
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.textContent))
      .toContain("Annabel");
    const downloaded = page.waitForEvent("download");
    await page.getByRole("button", { name: "Export", exact: true }).click();
    await page.getByLabel("Format").selectOption("srt");
    await page.getByRole("button", { name: "Save file" }).click();
    const srt = await readFile(await (await downloaded).path(), "utf8");
    expect(srt.split("\n").filter((line) => line.includes("line"))).toEqual([
      "Annabel: This is line 0",
      "This is line 1",
      "Ben: This is line 2",
      "This is line 3",
    ]);
    await undo("rename speaker");
    await expect.poll(margin).toEqual(["Anna", "Ben"]);
    await chooseInLegend("Ben", "Merge into Anna");
    await expect.poll(legend).toEqual(["Anna"]);
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.closest("ul")?.textContent))
      .toContain("Anna");
    await undo("merge speakers");
    await expect.poll(margin).toEqual(["Anna", "Ben"]);
    expect(page.pageErrors).toEqual([]);
  });

  it("are divided from a word on, and a selected range is somebody else's", async () => {
    await openLines(["A", "A", "B", "A"]);
    await expect.poll(margin).toEqual(["A", "B", "A"]);
    // The word that is clicked is where somebody else begins.
    await clickWord(1, "line");
    await page.keyboard.press("Shift+S");
    await expect.poll(margin).toEqual(["A", "C", "B", "C"]);
    expect(await page.locator(".segment-text").allTextContents()).toEqual([
      "This is line 0",
      "This is",
      "line 1",
      "This is line 2",
      "This is line 3",
    ]);
    await undo("divide speaker");
    await expect.poll(margin).toEqual(["A", "B", "A"]);

    const wave = page.locator(".sound").getByRole("slider").first();
    await wave.focus();
    await page.keyboard.press("Home");
    await page.keyboard.press("Shift+ArrowRight");
    await page.locator(".sound-range").getByRole("button", { name: "Set speaker" }).click();
    expect(await page.getByLabel("Apply to").inputValue()).toBe("range");
    await page.getByLabel("Speaker from 0:00").fill("Anna");
    await page.keyboard.press("Enter");
    // Five seconds of it: the third line is cut in the middle.
    await expect.poll(margin).toEqual(["Anna", "B", "A"]);
    await expect.poll(() => page.locator(".segment").count()).toBe(5);
    await undo("set speaker");
    await expect.poll(margin).toEqual(["A", "B", "A"]);
    expect(page.pageErrors).toEqual([]);
  });

  it("get voices of their own in a script, and turns in an RTTM file", async () => {
    await openLines(["Anna", "Anna", "Ben", "Anna"]);
    await expect.poll(margin).toEqual(["Anna", "Ben", "Anna"]);
    const downloaded = page.waitForEvent("download");
    await page.getByRole("button", { name: "Export", exact: true }).click();
    await page.getByLabel("Format").selectOption("rttm");
    await page.getByRole("button", { name: "Save file" }).click();
    const rttm = await readFile(await (await downloaded).path(), "utf8");
    expect(rttm.split("\n").map((line) => line.split(" ")[7])).toEqual([
      "Anna",
      "Ben",
      "Anna",
      undefined,
    ]);
    await page.getByRole("button", { name: "Script with a voice for each speaker" }).click();
    await page.waitForURL(/#\/narrate\//);
    const narration = await whole.call(
      "readNarration",
      {},
      new URL(page.url()).hash.split("/").at(-1) ?? "",
    );
    expect(narration.script).toBe(
      "[Anna] This is line 0 This is line 1\n\n[Ben] This is line 2\n\n[Anna] This is line 3",
    );
    expect(narration.options.cast).toEqual([
      { name: "Anna", voice: "nova" },
      { name: "Ben", voice: "echo" },
    ]);
    expect([...new Set(narration.sentences.map(({ voice }) => voice))]).toEqual(["nova", "echo"]);
    expect(page.pageErrors).toEqual([]);
  });
});
