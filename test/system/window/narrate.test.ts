// The Narrate page in a real browser with real engines: a long text is generated and played meanwhile, one sentence is
// generated again, the audiobook is exported with chapters; nothing typed is lost.

import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { strToU8, unzipSync, zipSync } from "fflate";
import { Demuxer } from "node-av/api";
import type { Page } from "playwright";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chromiumPath } from "../../support/browser.ts";
import { waitUntil } from "../../support/command-line.ts";
import { dropFiles } from "../../support/drop-files.ts";
import { tenSentences } from "../../support/english-texts.ts";
import { seedDocuments } from "../../support/hostile-documents.ts";
import { hasFocus } from "../../support/pages.ts";
import { openFolder, smallPicture } from "../../support/test-data.ts";
import { openAppWithWindow, type AppWithWindow } from "../../support/app-with-window.ts";
import { hibariForEnglish } from "../../support/local-models.ts";

const none = chromiumPath === undefined;
/** About 6,000 characters in two chapters. */
const longText = [
  "# The crossing",
  ...Array.from({ length: 3 }, () => tenSentences),
  "# The way home",
  ...Array.from({ length: 3 }, () => tenSentences),
].join("\n\n");
let whole: AppWithWindow;
let folder: Awaited<ReturnType<typeof openFolder>>;

beforeAll(async () => {
  if (none) return;
  folder = await openFolder();
  whole = await openAppWithWindow();
  await whole.call("changePreferences", { hasSeenWelcome: true, models: hibariForEnglish });
}, 180_000);
afterAll(async () => {
  await whole?.close();
  if (folder !== undefined) await rm(folder.path, { recursive: true, force: true });
});

const idOf = (page: Page): string => new URL(page.url()).hash.split("/").at(-1) ?? "";
const positionOf = async (page: Page): Promise<string> =>
  (await page.locator(".player-end > span").first().textContent())?.split(" / ")[0] ?? "";
/** A script that records the shown progress (`1 of 62`) when the first audio is scheduled. */
const noteFirstSound = `
  const start = AudioBufferSourceNode.prototype.start;
  AudioBufferSourceNode.prototype.start = function (...given) {
    globalThis.madeAtFirstSound ??= [...document.querySelectorAll('.narrate-figures dd')].map(({ textContent }) => textContent).find((text) => / of /.test(text));
    return start.apply(this, given);
  };`;
/** Indices of the script's lines in which sentences are marked that are not generated yet. */
const markedLines = (page: Page): Promise<number[]> =>
  page.evaluate(() => {
    const lines = [...document.querySelectorAll(".script-line")];
    return [...(CSS.highlights.get("narrate-pending") ?? [])].map(({ startContainer }) =>
      lines.findIndex((line) => line.contains(startContainer)),
    );
  });
const isSpoken = (page: Page): Promise<boolean> =>
  page.evaluate(() => CSS.highlights.has("narrate-spoken"));

describe.skipIf(none)("the Narrate page (needs Chromium)", () => {
  it(
    "generates and plays a long text at once, generates one sentence again, exports an audiobook with chapters, and marks what is not generated yet",
    { timeout: 600_000 },
    async () => {
      const file = join(folder.path, "The ferry.txt");
      await writeFile(file, longText);
      const page = await whole.open({ path: "/narrate", initScript: noteFirstSound });
      await page.getByRole("heading", { name: "Write, paste or drop a text" }).waitFor();
      await dropFiles(page, [file]);
      await page.waitForSelector(".script-field");
      expect(await page.locator(".script-field").inputValue()).toBe(longText);

      // What is not generated yet is marked, near the visible part only.
      await page.setViewportSize({ width: 1200, height: 400 });
      await waitUntil(async () => {
        const lines = await markedLines(page);
        return lines.includes(2) && !lines.includes(14);
      });
      await page.locator(".script").evaluate((view) => view.scrollTo(0, view.scrollHeight));
      await waitUntil(async () => {
        const lines = await markedLines(page);
        return lines.includes(14) && !lines.includes(2);
      });
      await page.locator(".script").evaluate((view) => view.scrollTo(0, 0));
      await page.setViewportSize({ width: 1440, height: 900 });

      // Plays while the rest is still being generated.
      await page.getByRole("button", { name: "Listen" }).click();
      await waitUntil(async () => (await positionOf(page)) >= "0:02");
      expect(await isSpoken(page)).toBe(true);
      const [made = NaN, all = NaN] = (
        await page.evaluate(
          () => (globalThis as { madeAtFirstSound?: string }).madeAtFirstSound ?? "",
        )
      )
        .split(" of ")
        .map(Number);
      expect(all).toBeGreaterThan(50);
      expect(made).toBeLessThan(all / 2);
      await page.keyboard.press("Space");
      await waitUntil(async () => (await whole.call("readItem", {}, idOf(page))).state === "done");
      await waitUntil(async () => (await markedLines(page)).length === 0);

      await page.locator(".script-field").focus();
      await page.keyboard.press("Control+Home");
      await page.getByRole("button", { name: "Sentence", exact: true }).click();
      await page.getByRole("button", { name: "Regenerate sentence" }).click();
      await page.getByRole("radio", { name: /^Take 2/ }).waitFor();
      expect(await page.getByRole("radio", { name: /^Take 2/ }).isChecked()).toBe(true);
      await page.getByRole("radio", { name: /^Take 1/ }).click();
      await waitUntil(async () => {
        const { takes, chosenTake } = (await whole.call("readNarration", {}, idOf(page)))
          .sentences[0] ?? { takes: [] };
        return takes.length === 2 && chosenTake === takes[0]?.id;
      });
      await page.keyboard.press("Escape");

      await whole.waitUntilFinished(idOf(page));
      await page.getByRole("button", { name: "Export", exact: true }).click();
      await page.getByLabel("Author").fill("Nobody");
      const downloaded = page.waitForEvent("download");
      await page.getByRole("button", { name: "Save file" }).click();
      const download = await downloaded;
      expect(download.suggestedFilename()).toBe("The ferry.m4b");
      const bytes = await readFile(await download.path());
      using book = await Demuxer.open(bytes);
      expect(book.duration).toBeCloseTo(
        (await whole.call("readItem", {}, idOf(page))).durationSec,
        -1,
      );
      // Nero's chapter list, found by its titles.
      const list = bytes.subarray(bytes.indexOf("chpl")).toString("utf8", 0, 200);
      expect(list).toContain("The crossing");
      expect(list).toContain("The way home");

      expect(page.pageErrors).toEqual([]);
      await page.context().close();
    },
  );

  it("says how many sentences were checked, and lists those that were not understood", async () => {
    const script = "The harbour was quiet. A boat lay at the pier.";
    const { id } = await whole.call("createNarration", { title: "Check", script });
    await whole.call("makeNarration", {}, id);
    await whole.waitUntilFinished(id);
    const page = await whole.open({ path: `/narrate/${id}` });
    // What is opened is in the player.
    await page.locator(".player-title", { hasText: "Check" }).waitFor();
    await page.getByRole("radio", { name: "Check", exact: true }).click();
    await page.getByRole("button", { name: "Check speech" }).click();
    await page.getByText("All 2 sentences were understood.").waitFor();
    await page.locator(".script-field").fill(`${script} The wind was fair.`);
    await page.getByText("2 of 3 checked, none wrong so far.").waitFor();
    expect(page.pageErrors).toEqual([]);
    await page.context().close();
  });

  it("undoes typing in runs, not letter by letter", async () => {
    const page = await whole.open({ path: "/narrate" });
    await page.getByRole("button", { name: "New narration" }).click();
    const field = page.locator(".script-field");
    await field.fill("The boat was small.\n\n");
    await field.press("Control+End");
    await page.keyboard.type("The wind was fair", { delay: 20 });
    await page.keyboard.press("Control+z");
    expect(await field.inputValue()).toBe("The boat was small.\n\n");
    await page.keyboard.press("Control+Shift+z");
    expect(await field.inputValue()).toBe("The boat was small.\n\nThe wind was fair");
    await waitUntil(
      async () =>
        (await whole.call("readNarration", {}, idOf(page))).script ===
        "The boat was small.\n\nThe wind was fair",
    );
    expect(page.pageErrors).toEqual([]);
    await page.context().close();
  });

  it("imports a Word document and a PDF that are dropped", async () => {
    const paths: string[] = [];
    for (const { name, bytes } of seedDocuments.filter((each) =>
      /\.(?:docx|pdf)$/.test(each.name),
    )) {
      paths.push(join(folder.path, name));
      await writeFile(join(folder.path, name), bytes);
    }
    const page = await whole.open({ path: "/narrate" });
    await page.getByRole("heading", { name: "Write, paste or drop a text" }).waitFor();
    await dropFiles(page, paths);
    await page.getByRole("heading", { name: "page", exact: true }).waitFor();
    expect(await page.locator(".script-field").inputValue()).toBe("Hello there.");
    const { items } = await whole.call("listItems");
    expect(items.map(({ title, kind }) => `${kind} ${title}`)).toContain("narration letter");
    expect(page.pageErrors).toEqual([]);
    await page.context().close();
  });

  it("exports one file per chapter of an EPUB, with its cover, author and subtitles", async () => {
    const file = join(folder.path, "Ferry.epub");
    await writeFile(file, electronicBook());
    const page = await whole.open({ path: "/narrate" });
    await page.getByRole("heading", { name: "Write, paste or drop a text" }).waitFor();
    await dropFiles(page, [file]);
    const parts = page.getByRole("form", { name: "Which parts of “The ferry & I”?" });
    await parts.getByLabel("The crossing").waitFor();
    expect(await parts.getByRole("checkbox", { checked: false }).count()).toBe(1);
    expect(await parts.getByLabel("Copyright").isChecked()).toBe(false);
    await parts.getByRole("button", { name: "Import 2 parts" }).click();
    await page.waitForSelector(".script-field");
    expect(await page.locator(".script-field").inputValue()).toBe(
      "# The boat\n\nIt was small.\n\n# The crossing\n\nThe wind was fair.",
    );
    // What is generated is in the player, with its waveform, and Space plays it.
    const drawn = page.waitForResponse(/narration-peaks/);
    await page.getByRole("button", { name: "Generate", exact: true }).click();
    expect((await whole.waitUntilFinished(idOf(page))).state).toBe("done");
    expect((await drawn).status()).toBe(200);
    await page.locator(".player-title", { hasText: "The ferry & I" }).waitFor();
    await page.getByRole("button", { name: "Listen" }).click();
    await page.keyboard.press("Space");

    await page.getByRole("button", { name: "Export", exact: true }).click();
    const panel = page.getByRole("form", { name: "Export narration" });
    await expect.poll(() => panel.getByLabel("Author").inputValue()).toBe("Jane Doe");
    expect(await panel.getByLabel("Title", { exact: true }).inputValue()).toBe("The ferry & I");
    await panel.getByRole("img").waitFor();
    await panel.getByLabel("Format").selectOption("mp3");
    await panel.getByLabel("Subtitles").selectOption("srt");
    await panel.getByLabel("One file per chapter (2)").check();
    const downloaded = page.waitForEvent("download");
    await panel.getByRole("button", { name: "Save file" }).click();
    const files = unzipSync(await readFile(await (await downloaded).path()));
    expect(Object.keys(files)).toEqual([
      "1 The boat.mp3",
      "1 The boat.srt",
      "2 The crossing.mp3",
      "2 The crossing.srt",
    ]);
    expect(Buffer.from(files["2 The crossing.srt"] ?? []).toString()).toContain(
      "The wind was fair.",
    );
    for (const name of ["1 The boat.mp3", "2 The crossing.mp3"]) {
      const tag = Buffer.from(files[name] ?? []).toString("latin1", 0, 2000);
      for (const part of ["APIC", "Jane Doe", "The ferry & I", name.slice(2, -4)])
        expect(tag).toContain(part);
    }
    await panel.getByText("Saved The ferry & I.zip").waitFor();
    await panel.getByLabel("One file per chapter (2)").uncheck();
    const one = page.waitForEvent("download");
    await panel.getByRole("button", { name: "Save file" }).click();
    const names = Object.keys(unzipSync(await readFile(await (await one).path())));
    expect(names).toEqual(["The ferry & I.mp3", "The ferry & I.srt"]);
    expect(page.pageErrors).toEqual([]);
    await page.context().close();
  });

  it("loses nothing typed, and marks sentences that a new pronunciation made stale", async () => {
    const page = await whole.open({ path: "/narrate" });
    await page.getByRole("button", { name: "New narration" }).waitFor();
    await page.keyboard.press("n");
    await page.waitForSelector(".script-field:focus");
    await page.keyboard.type("We went to Leicester. Zarnathor rained.");
    await page.reload();
    await page.waitForSelector(".script-field");
    // What is sent while the page closes may arrive after the new page has read the script.
    await expect
      .poll(() => page.locator(".script-field").inputValue())
      .toBe("We went to Leicester. Zarnathor rained.");

    await page.getByRole("button", { name: "Generate", exact: true }).click();
    await waitUntil(async () => (await whole.call("readItem", {}, idOf(page))).state === "done");
    await page.getByRole("radio", { name: "Pronunciation" }).click();
    await page.getByRole("button", { name: "Add word", exact: true }).click();
    await page.keyboard.type("Leicester");
    await page.keyboard.press("Tab");
    await page.keyboard.type("Lester");
    await page.getByText("One sentence out of date.").waitFor();
    const { sentences } = await whole.call("readNarration", {}, idOf(page));
    expect(sentences.map(({ text, takes }) => [text, takes.length])).toEqual([
      ["We went to Lester.", 0],
      ["Zarnathor rained.", 1],
    ]);

    const unknown = page.getByRole("region", { name: "In no dictionary" });
    await unknown.getByText("Zarnathor").waitFor();
    const heard = page.waitForResponse(/audio\/speech/);
    await unknown.getByRole("button", { name: "Play Zarnathor" }).click();
    expect((await heard).status()).toBe(200);
    await unknown.getByRole("button", { name: "Set pronunciation of Zarnathor" }).click();
    await page.keyboard.type("Zar nay thor");
    await waitUntil(async () => {
      const { entries } = await whole.call("readVocabulary");
      return entries.some(({ word, says }) => word === "Zarnathor" && says === "Zar nay thor");
    });
    await unknown.waitFor({ state: "detached" });

    const { entries } = await whole.call("readVocabulary");
    await page.getByRole("button", { name: "Add word to this narration" }).click();
    await page.keyboard.type("leicester");
    await page.keyboard.press("Tab");
    await page.keyboard.type("Lie sester");
    await waitUntil(async () => {
      const narration = await whole.call("readNarration", {}, idOf(page));
      return narration.sentences[0]?.text === "We went to Lie sester.";
    });
    expect((await whole.call("readVocabulary")).entries).toEqual(entries);

    await page.setViewportSize({ width: 480, height: 800 });
    await page.keyboard.press("Escape");
    const panelButton = page.locator(".narration-header-sheet");
    await expect.poll(() => hasFocus(panelButton)).toBe(true);
    await page.keyboard.press("Enter");
    await expect
      .poll(() => hasFocus(page.getByRole("radio", { name: "Pronunciation" })))
      .toBe(true);
    await page.keyboard.press("Escape");
    await expect.poll(() => hasFocus(panelButton)).toBe(true);
    await page.getByRole("radio", { name: "Pronunciation" }).waitFor({ state: "hidden" });
    expect(page.pageErrors).toEqual([]);
    await page.context().close();
  });
});

const chapter = (heading: string, text: string): Uint8Array =>
  strToU8(
    `<html xmlns="http://www.w3.org/1999/xhtml"><body><h1>${heading}</h1><p>${text}</p></body></html>`,
  );

/** An EPUB with an imprint, two chapters, an author, and a cover of 4 × 4 pixels. */
function electronicBook(): Uint8Array {
  return zipSync({
    mimetype: strToU8("application/epub+zip"),
    "META-INF/container.xml": strToU8(
      '<container><rootfiles><rootfile full-path="book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>',
    ),
    "book.opf":
      strToU8(`<package xmlns:dc="http://purl.org/dc/elements/1.1/"><metadata><dc:title>The ferry &amp; I</dc:title><dc:creator>Jane Doe</dc:creator></metadata>
      <manifest><item id="legal" href="legal.xhtml"/><item id="one" href="one.xhtml"/><item id="two" href="two.xhtml"/><item id="img" href="cover.png" properties="cover-image"/></manifest>
      <spine><itemref idref="legal"/><itemref idref="one"/><itemref idref="two"/></spine></package>`),
    "legal.xhtml": chapter("Copyright", "All rights reserved."),
    "one.xhtml": chapter("The boat", "It was small."),
    "two.xhtml": chapter("The crossing", "The wind was fair."),
    "cover.png": smallPicture,
  });
}
