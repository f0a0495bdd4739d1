// The Transcribe page in a real browser with real engines: a file is dropped, transcribed, corrected and exported, by
// mouse and by keyboard; a recording from a microphone; a transcript of two hours that stays responsive.

import { existsSync } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Download, Page } from "playwright";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Item } from "../../../main/contract/library-item.ts";
import type { DocumentSegment } from "../../../main/contract/transcript-document.ts";
import { openDatabase } from "../../../main/storage/database.ts";
import { chromiumPath } from "../../support/browser.ts";
import { waitUntil } from "../../support/command-line.ts";
import { hasFocus, maxFrameMs, waitUntilSettled } from "../../support/pages.ts";
import {
  openFolder,
  openTestFolder,
  normalizeWords,
  writeAudioFile,
  synthesizeSamples,
} from "../../support/test-data.ts";
import { openAppWithWindow, type AppWithWindow } from "../../support/app-with-window.ts";

const none = chromiumPath === undefined;
const jfk = resolve(import.meta.dirname, "..", "..", "..", "..", "shared", "audio", "jfk.wav");
const spoken = "The harbour was quiet that morning. A single boat lay at the pier.";
let whole: AppWithWindow;
let folder: Awaited<ReturnType<typeof openFolder>>;
let speech: string;

beforeAll(async () => {
  if (none) return;
  folder = await openFolder();
  speech = await writeAudioFile(
    join(folder.path, "The harbour.wav"),
    await synthesizeSamples(spoken),
  );
  whole = await openAppWithWindow({ microphone: speech });
  await whole.call("changePreferences", { hasSeenWelcome: true });
}, 180_000);
afterAll(async () => {
  await whole?.close();
  if (folder !== undefined) await rm(folder.path, { recursive: true, force: true });
});

const texts = (page: Page): Promise<string[]> => page.locator(".segment-text").allTextContents();
const idOf = (page: Page): string => new URL(page.url()).hash.split("/").at(-1) ?? "";
const savedTexts = async (id: string): Promise<string[]> =>
  (await whole.call("readDocument", {}, id)).segments.map(({ text }) => text);
const textOf = async (download: Download): Promise<string> =>
  readFile(await download.path(), "utf8");

/** Drops a file on the window, as a user does. */
async function drop(page: Page, path: string, name: string): Promise<void> {
  const bytes = (await readFile(path)).toString("base64");
  await page.evaluate(
    ([base64 = "", fileName = ""]) => {
      const transfer = new DataTransfer();
      transfer.items.add(
        new File([Uint8Array.from(atob(base64), (sign) => sign.charCodeAt(0))], fileName),
      );
      for (const type of ["dragenter", "dragover", "drop"])
        document.body.dispatchEvent(
          new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer: transfer }),
        );
    },
    [bytes, name],
  );
}

/** A transcribed item, created through the API. */
async function transcribe(path: string, name: string): Promise<Item> {
  const item = (await (
    await whole.send(`/app/uploads?name=${encodeURIComponent(name)}`, {
      method: "POST",
      body: await readFile(path),
    })
  ).json()) as Item;
  return whole.waitUntilFinished(item.id);
}

describe.skipIf(none)("the Transcribe page (needs Chromium)", () => {
  it.skipIf(!existsSync(jfk))(
    "transcribes a dropped file, and exports the corrections made to it (needs ../shared/audio)",
    async () => {
      const page = await whole.open({ path: "/library" });
      await drop(page, jfk, "jfk.wav");
      await page.waitForSelector(".segment");
      await whole.waitUntilFinished(idOf(page));
      await waitUntil(async () => (await texts(page)).join(" ").toLowerCase().includes("ask not"));

      await page.locator(".segment-text", { hasText: "fellow" }).dblclick();
      await page.keyboard.press("End");
      await page.keyboard.type(" Everywhere.");
      await page.keyboard.press("Escape");
      const downloaded = page.waitForEvent("download");
      await page.getByRole("button", { name: "Export", exact: true }).click();
      const panel = page.getByRole("region", { name: "Export" });
      await panel.getByLabel("Format").selectOption("srt");
      await panel.getByRole("button", { name: "Save file" }).click();
      const srt = await textOf(await downloaded);
      const shown = await texts(page);
      expect(shown[0]).toMatch(/ Everywhere\.$/);
      // The cue may be broken into lines.
      const cues = srt
        .trim()
        .split(/\n\n+/)
        .map((cue) => cue.split("\n").slice(2).join(" "));
      expect(cues.join(" ")).toBe(shown.join(" "));
      await page.reload();
      await page.waitForSelector(".segment");
      expect(await texts(page)).toEqual(shown);
      expect(page.pageErrors).toEqual([]);
      await page.context().close();
    },
  );

  it("exports with the last choices and a preview, and a web page that plays clicked words", async () => {
    const item = await transcribe(speech, "Exported.wav");
    const page = await whole.open({ path: `/transcribe/${item.id}` });
    await page.waitForSelector(".segment");
    const exportButton = page.getByRole("button", { name: "Export", exact: true });
    const openPanel = () => exportButton.click();
    const panel = page.getByRole("region", { name: "Export", exact: true });
    const preview = panel.getByRole("region", { name: "Preview" });
    await openPanel();
    await panel.getByLabel("Format").selectOption("srt");
    await panel.getByLabel("Characters per line").fill("20");
    await panel.getByLabel("Lines per subtitle").selectOption("1");
    await expect
      .poll(async () =>
        Math.max(...(await preview.innerText()).split("\n").map((line) => line.length)),
      )
      .toBe("00:00:00,000 --> 00:00:00,000".length);
    expect(await preview.innerText()).toMatch(/The harbou?r was\n/);
    await waitUntil(
      async () => (await whole.call("readPreferences", {})).transcriptExport.maxCueLines === 1,
    );
    await page.reload();
    await page.waitForSelector(".segment");
    await openPanel();
    expect(await panel.getByLabel("Characters per line").inputValue()).toBe("20");
    await panel.getByLabel("Format").selectOption("txt");
    await page.keyboard.press("Escape");
    await expect.poll(() => hasFocus(exportButton)).toBe(true);
    await dragOver(page, "was quiet");
    await openPanel();
    await expect.poll(async () => (await preview.innerText()).trim()).toBe("was quiet");
    await panel.getByLabel("Only the selection").uncheck();
    await expect.poll(() => preview.innerText()).toContain("boat");
    await panel.getByLabel("Format").selectOption("html");
    const saved = page.waitForEvent("download");
    await panel.getByRole("button", { name: "Save file" }).click();
    const htmlPath = join(await openTestFolder(), "talk.html");
    await (await saved).saveAs(htmlPath);
    const reader = await page.context().newPage();
    await reader.goto(pathToFileURL(htmlPath).href);
    await reader.locator("main span", { hasText: "boat" }).first().click();
    await reader.waitForFunction(() => document.querySelector("audio")!.currentTime > 0);
    await reader.waitForSelector(".now");
    expect(page.pageErrors).toEqual([]);
    await page.context().close();
  });

  it("works by keyboard alone: go to the text, edit, split, merge, undo, play", async () => {
    const item = await transcribe(speech, "By keys.wav");
    const page = await whole.open({ path: `/transcribe/${item.id}` });
    await page.waitForSelector(".segment");
    const before = await texts(page);
    await page.keyboard.press("e");
    await page.keyboard.press("Enter");
    for (let step = 0; step < 3; step += 1) await page.keyboard.press("Control+ArrowRight");
    await page.keyboard.press("Control+Enter");
    expect(await texts(page)).toHaveLength(before.length + 1);
    await page.keyboard.press("Backspace");
    expect(await texts(page)).toEqual(before);
    await page.keyboard.type("X");
    await page.keyboard.press("Escape");
    expect(await texts(page)).not.toEqual(before);
    for (let step = 0; step < 3; step += 1) await page.keyboard.press("Control+z");
    expect(await texts(page)).toEqual(before);
    await waitUntil(
      async () => JSON.stringify(await savedTexts(item.id)) === JSON.stringify(before),
    );
    await page.keyboard.press("p");
    await page.waitForSelector(".segment[aria-current]");
    await waitUntil(() => page.evaluate(() => CSS.highlights.has("transcribe-spoken")));
    await page.keyboard.press("Space");
    // The last letters are saved although the page is closed while they are typed.
    await page.locator(".segment").first().focus();
    await page.keyboard.press("Enter");
    await page.keyboard.type("Zebra ");
    await page.reload();
    await waitUntil(async () => (await savedTexts(item.id))[0]?.startsWith("Zebra ") === true);
    expect(page.pageErrors).toEqual([]);
    await page.context().close();
  });

  it("seeks to a clicked word, selects it on a double click, and splits there", async () => {
    const item = await transcribe(existsSync(jfk) ? jfk : speech, "By words.wav");
    const page = await whole.open({ path: `/transcribe/${item.id}` });
    await page.waitForSelector(".segment");
    // Another font would move the words.
    await waitUntilSettled(page);
    const before = await texts(page);
    const words = (before[0] ?? "").split(" ").slice(0, 9);
    // The player reports its position only after seeking, and only that position counts.
    await page.evaluate(() => {
      const own = Object.getOwnPropertyDescriptor(HTMLMediaElement.prototype, "currentTime");
      let arrivals = 0;
      Object.defineProperty(HTMLMediaElement.prototype, "currentTime", {
        ...own,
        set(this: HTMLMediaElement, sec: number) {
          this.addEventListener(
            "seeked",
            () => (document.documentElement.dataset["arrivals"] = `${(arrivals += 1)}`),
            { once: true },
          );
          own?.set?.call(this, sec);
        },
      });
    });
    const placeOf = (index: number) =>
      page.evaluate((at) => {
        const node = document.querySelector(".segment-text")?.firstChild;
        const match = [...(node?.textContent ?? "").matchAll(/\S+/g)][at];
        if (node == null || match === undefined) throw new Error("no such word");
        const range = new Range();
        range.setStart(node, match.index);
        range.setEnd(node, match.index + match[0].length);
        const { x, y, width, height } = range.getBoundingClientRect();
        return { x: x + width / 2, y: y + height / 2 };
      }, index);
    const spokenWord = () =>
      page.evaluate(() => [...(CSS.highlights.get("transcribe-spoken") ?? [])].join(" "));
    for (const [index, word] of words.entries()) {
      const { x, y } = await placeOf(index);
      await page.mouse.click(x, y);
      await page.waitForSelector(`[data-arrivals="${index + 1}"]`, { state: "attached" });
      expect(await spokenWord()).toBe(word);
    }
    const third = await placeOf(2);
    await page.mouse.dblclick(third.x, third.y);
    await page.waitForSelector(".segment-text-open");
    expect(await page.evaluate(() => getSelection()?.toString())).toBe(
      words[2]?.replace(/\W+$/, ""),
    );
    await page.keyboard.press("Escape");
    await page.mouse.click(third.x, third.y);
    await page.locator(".segment").first().getByRole("button", { name: "More" }).click();
    await page.getByRole("menuitem", { name: "Split here" }).click();
    expect(await texts(page)).toEqual([
      words.slice(0, 2).join(" "),
      (before[0] ?? "").split(" ").slice(2).join(" "),
      ...before.slice(1),
    ]);
    expect(page.pageErrors).toEqual([]);
    await page.context().close();
  });

  it("finds and replaces, corrects a low-confidence word everywhere, and retranscribes a range", async () => {
    const item = await transcribe(speech, "Doubts.wav");
    const { revision, segments } = await whole.call("readDocument", {}, item.id);
    const [first] = segments;
    if (first === undefined) throw new Error("nothing was transcribed");
    const wrong: DocumentSegment[] = ["The habor was quiet", "A boat lay in the habor"].map(
      (text, index) => ({
        ...first,
        id: 2_000_000 + index,
        startSec: index * 2,
        endSec: index * 2 + 2,
        text,
        words: text.split(" ").map((word, at) => ({
          word,
          startSec: index * 2 + at * 0.3,
          endSec: index * 2 + at * 0.3 + 0.3,
          probability: word === "habor" && index === 0 ? 0.2 : 0.95,
        })),
      }),
    );
    await whole.call(
      "changeDocument",
      { revision, put: wrong, remove: segments.map(({ id }) => id) },
      item.id,
    );
    const page = await whole.open({ path: `/transcribe/${item.id}` });
    await page.waitForSelector(".segment");
    await page.keyboard.press("d");
    await page.getByLabel("Correct word").fill("harbour");
    await page.getByRole("button", { name: "Correct all 2" }).click();
    expect(await texts(page)).toEqual(["The harbour was quiet", "A boat lay in the harbour"]);
    await page.keyboard.press("Escape");
    await page.keyboard.press("Control+f");
    await page.keyboard.type("boat");
    await page.getByPlaceholder("Replace with").fill("ship");
    await page.getByRole("button", { name: "Replace all 1" }).click();
    expect(await texts(page)).toEqual(["The harbour was quiet", "A ship lay in the harbour"]);
    // The button has nothing to do any more, but keeps the focus, so that Escape reaches the panel.
    const findPanel = page.getByRole("region", { name: "Find and replace" });
    expect(await page.evaluate(() => document.activeElement?.textContent)).toContain("Replace all");
    await page.keyboard.press("Escape");
    await findPanel.waitFor({ state: "detached" });
    await page.locator(".segment").first().focus();
    await page.keyboard.press("h");
    // Waiting time and progress are shown until the response arrives.
    const answer = Promise.withResolvers<void>();
    await page.route("**/hear-again", async (route) => {
      const response = await route.fetch();
      await answer.promise;
      await route.fulfill({ response });
    });
    await page.getByRole("button", { name: "Transcribe", exact: true }).click();
    const panel = page.getByRole("region", { name: "Transcribe again" });
    await panel.getByText(/^Transcribing for 0:0[1-9], 100 % done$/).waitFor();
    await panel.getByRole("button", { name: "Cancel" }).waitFor();
    answer.resolve();
    await page.getByRole("button", { name: "Use this" }).click();
    await waitUntil(async () => (await texts(page))[0] !== "The harbour was quiet");
    await page.getByRole("button", { name: /^Undo/ }).click();
    expect((await texts(page))[0]).toBe("The harbour was quiet");
    await waitUntil(
      async () =>
        (await savedTexts(item.id)).join("|") === "The harbour was quiet|A ship lay in the harbour",
    );
    expect(page.pageErrors).toEqual([]);
    await page.context().close();
  });

  it("adds a corrected word to the vocabulary, which later transcripts use until it is taken back", async () => {
    const item = await transcribe(speech, "Names.wav");
    const { revision, segments } = await whole.call("readDocument", {}, item.id);
    const put = segments
      .slice(0, 1)
      .map((first) => ({ ...first, text: "Ask Jurgensen.", words: [] }));
    await whole.call("changeDocument", { revision, put, remove: [] }, item.id);
    const page = await whole.open({ path: `/transcribe/${item.id}` });
    const row = page.locator(".segment").first();
    await row.getByText("Ask Jurgensen.").waitFor();
    await row.focus();
    await page.keyboard.press("Enter");
    await page.locator("[contenteditable]:focus").waitFor();
    await page.keyboard.press("Control+a");
    await page.keyboard.type("Ask Jørgensen.");
    await page.keyboard.press("Escape");
    await row.getByRole("button", { name: "Always write “Jørgensen”" }).click();
    await row.getByText("Jørgensen is in the vocabulary.").waitFor();
    const { entries } = await whole.call("readVocabulary");
    expect(entries).toEqual([{ word: "Jørgensen", says: "", heard: "Jurgensen" }]);

    const word = segments[0]?.words[1]?.word.trim().replace(/\W+$/, "") ?? "";
    await whole.call("changeVocabulary", {
      entries: [{ word: "Zarnathor", heard: word, says: "" }],
    });
    const later = await transcribe(speech, "Later.wav");
    await whole.call("changeVocabulary", { entries: [] });
    const [before = ""] = await savedTexts(later.id);
    expect(before.split(" ")[1]).toMatch(/^Zarnathor/);
    await page.goto(page.url().replace(item.id, later.id));
    await row.getByText(before).waitFor();
    await row.hover();
    await row.getByRole("button", { name: "More" }).click();
    await page.getByRole("menuitem", { name: /^Write “.*” as recognized$/ }).click();
    await waitUntil(async () => (await savedTexts(later.id))[0] === segments[0]?.text);
    expect(page.pageErrors).toEqual([]);
    await page.context().close();
  });

  it("lists uploads that a reload interrupted, and transcribes the files with their options when they are added again", async () => {
    const before = await whole.call("readPreferences");
    await whole.call("changePreferences", {
      ...before,
      transcribe: { ...before.transcribe, prompt: "harbour, pier" },
    });
    const page = await whole.open({ path: "/transcribe" });
    await page.getByRole("button", { name: "Record", exact: true }).waitFor();
    // One upload fails, one never ends, two wait.
    await page.route("**/app/uploads?**", (route) =>
      route.request().url().includes("First") ? route.abort() : undefined,
    );
    for (const name of ["First.wav", "Second.wav", "Third.wav", "Fourth.wav"])
      await drop(page, speech, name);
    await page.getByRole("button", { name: "Try First.wav again" }).waitFor();
    const other = await whole.open({ path: "/transcribe" });
    await page.reload();
    await page.unroute("**/app/uploads?**");
    const lost = page.locator('.queue-row[data-state="lost"]');
    const lostNames = async (names: string[]): Promise<void> => {
      await expect.poll(() => lost.locator(".queue-title").allTextContents()).toEqual(names);
    };
    await lostNames(["First.wav", "Second.wav", "Third.wav", "Fourth.wav"]);
    // A failure keeps its reason.
    await lost.first().getByText("Hearsay is not responding.").waitFor();
    await lost.nth(1).getByText("Upload interrupted. Drop or choose the file again.").waitFor();
    // Other windows do not list them.
    expect(await other.locator('.queue-row[data-state="lost"]').count()).toBe(0);
    await other.context().close();

    await whole.call("changePreferences", before);
    const choose = async (name: string): Promise<void> => {
      const choosing = page.waitForEvent("filechooser");
      await page.getByRole("button", { name: `Choose ${name} again` }).click();
      await (await choosing).setFiles(speech);
    };
    // A different file than before: if its upload is also interrupted, that file is requested.
    await page.route("**/app/uploads?**", () => undefined);
    await choose("First.wav");
    await page.reload();
    await page.unroute("**/app/uploads?**");
    await lostNames(["The harbour.wav", "Second.wav", "Third.wav", "Fourth.wav"]);
    let uploadedCount = 0;
    page.on("requestfinished", (request) => {
      if (request.url().includes("/app/uploads?")) uploadedCount += 1;
    });
    await choose("The harbour.wav");
    await drop(page, speech, "Second.wav");
    await page.getByRole("button", { name: "Dismiss Third.wav" }).click();
    await lostNames(["Fourth.wav"]);
    // A reload before the page knows that they have arrived would interrupt them again.
    await expect.poll(() => uploadedCount).toBe(2);
    for (const title of ["The harbour", "Second"])
      await page.locator("a.queue-link", { hasText: title }).waitFor();
    await page.reload();
    await lostNames(["Fourth.wav"]);
    await page.getByRole("button", { name: "Dismiss Fourth.wav" }).click();
    await lost.waitFor({ state: "detached" });
    const { items } = await whole.call("listItems");
    for (const title of ["The harbour", "Second"]) {
      const { id } = items.find((item) => item.title === title) as Item;
      expect((await whole.call("readDocument", {}, id)).options.prompt).toBe("harbour, pier");
      expect((await whole.waitUntilFinished(id)).state).toBe("done");
    }
    await page.context().close();
  });

  it("shows every language, what was translated, and who speaks at the player's position", async () => {
    const item = await transcribe(speech, "Two languages.wav");
    const { revision, segments, options } = await whole.call("readDocument", {}, item.id);
    const [one, two] = manySegments(2) as [DocumentSegment, DocumentSegment];
    const put = [
      { ...one, startSec: 0.4, speaker: "Anna" },
      { ...two, endSec: two.endSec - 1, language: "de", speaker: "Ben" },
    ];
    await whole.call(
      "changeDocument",
      { revision, put, remove: segments.map(({ id }) => id) },
      item.id,
    );
    const page = await whole.open({ path: `/transcribe/${item.id}` });
    const facts = (hasText: string | RegExp): Promise<void> =>
      page.locator(".transcript-facts", { hasText }).waitFor();
    await facts(/^0:0\d · English and German · on this machine/);
    const { sqlite, close } = openDatabase(join(whole.dataDir, "hearsay.sqlite"));
    sqlite
      .prepare("UPDATE documents SET options = ? WHERE item_id = ?")
      .run(JSON.stringify({ ...options, translate: true }), item.id);
    close();
    await page.reload();
    await facts("English and German · translated into English");

    const waitForSpeaker = (hasText: string): Promise<void> =>
      page.locator(".player-speaker", { hasText }).waitFor();
    await waitForSpeaker("Anna");
    await page.goto(`${whole.pageUrl}#/transcribe/${item.id}?at=3`);
    await waitForSpeaker("Ben");
    await page.goto(`${whole.pageUrl}#/library`);
    await page.keyboard.press(",");
    await waitForSpeaker("Anna");
    expect(page.pageErrors).toEqual([]);
    await page.context().close();
  });

  it("pauses the queue, reorders it, and resumes it", async () => {
    const page = await whole.open({ path: "/transcribe" });
    await whole.call("changeQueue", { isPaused: true });
    await page
      .locator("input[type=file]")
      .first()
      .setInputFiles([
        { name: "Queued one.wav", mimeType: "audio/wav", buffer: await readFile(speech) },
        { name: "Queued two.wav", mimeType: "audio/wav", buffer: await readFile(speech) },
      ]);
    await expect.poll(async () => (await whole.call("readQueue")).itemIds.length).toBe(2);
    await page.getByText("Paused", { exact: true }).waitFor();
    const [first, second] = (await whole.call("readQueue")).itemIds as [string, string];
    const { title } = await whole.call("readItem", {}, second);
    await page.getByRole("button", { name: `More for ${title}` }).click();
    await page.getByRole("menuitem", { name: "Transcribe next" }).click();
    await expect.poll(async () => (await whole.call("readQueue")).itemIds).toEqual([second, first]);
    await page.getByRole("button", { name: "Resume queue" }).click();
    for (const id of [second, first]) await whole.waitUntilFinished(id);
    await page.context().close();
  });

  it("says what of an interrupted transcription is missing, and resumes it", async () => {
    const item = await transcribe(speech, "Interrupted.wav");
    const { revision, segments } = await whole.call("readDocument", {}, item.id);
    const [first] = segments;
    if (first === undefined) throw new Error("nothing was transcribed");
    const words = first.words.slice(0, 3);
    const endSec = words.at(-1)?.endSec ?? NaN;
    const half = { ...first, words, endSec, text: words.map(({ word }) => word).join("") };
    const remove = segments.slice(1).map(({ id }) => id);
    await whole.call("changeDocument", { revision, put: [half], remove }, item.id);
    // The state after a cancel in the middle.
    const { sqlite, close } = openDatabase(join(whole.dataDir, "hearsay.sqlite"));
    sqlite
      .prepare("UPDATE items SET state = 'cancelled', is_partial = 1 WHERE id = ?")
      .run(item.id);
    close();
    const page = await whole.open({ path: `/transcribe/${item.id}` });
    await page.getByText(/^0:0[1-9] not transcribed$/).waitFor();
    await page.getByRole("button", { name: "Resume", exact: true }).click();
    await waitUntil(async () => (await whole.call("readItem", {}, item.id)).state === "done");
    await waitUntil(async () =>
      normalizeWords((await texts(page)).join(" ")).endsWith("lay at the pier"),
    );
    expect(page.pageErrors).toEqual([]);
    await page.context().close();
  });

  it("shows no language when there was no speech", async () => {
    const item = await transcribe(
      await writeAudioFile(join(folder.path, "Kettle.wav"), new Float32Array(48_000)),
      "Kettle.wav",
    );
    const page = await whole.open({ path: `/transcribe/${item.id}` });
    await page.getByText("No speech found.").waitFor();
    expect(await page.locator(".transcript-facts").textContent()).toBe("0:02 · on this machine");
    // Of what failed, nothing is known yet.
    const { sqlite, close } = openDatabase(join(whole.dataDir, "hearsay.sqlite"));
    sqlite.prepare("UPDATE items SET state = 'failed' WHERE id = ?").run(item.id);
    close();
    await page.reload();
    await page.getByRole("button", { name: "Try again", exact: true }).waitFor();
    expect(await page.getByText("No speech found.").count()).toBe(0);
    await page.context().close();
  });

  it("offers both versions of a text that was changed elsewhere, and loses neither", async () => {
    const item = await transcribe(speech, "Two editors.wav");
    const page = await whole.open({ path: `/transcribe/${item.id}` });
    await page.waitForSelector(".segment");
    const others = (await texts(page)).slice(1);
    const notice = page.getByText("This transcript was also changed elsewhere.");

    /** Types into the first segment, while the page's save arrives after a change by another client. */
    async function editInBothPlaces(mine: string, other: string): Promise<void> {
      const { resolve: letPass, promise: isFree } = Promise.withResolvers<void>();
      await page.route("**/app/items/*/document", async (route) => {
        if (route.request().method() === "PATCH") await isFree;
        await route.continue();
      });
      const saving = page.waitForRequest((request) => request.method() === "PATCH");
      await page.locator(".segment-text").first().dblclick();
      await page.keyboard.press("Control+a");
      await page.keyboard.type(mine);
      await page.keyboard.press("Escape");
      await saving;
      const { revision, segments } = await whole.call("readDocument", {}, item.id);
      await whole.call(
        "changeDocument",
        {
          revision,
          put: segments.slice(0, 1).map((each) => ({ ...each, text: other })),
          remove: [],
        },
        item.id,
      );
      letPass();
      await notice.waitFor();
      await page.unroute("**/app/items/*/document");
      // Nothing is decided yet: the page shows one version, the app has the other.
      expect(await texts(page)).toEqual([mine, ...others]);
      expect(await savedTexts(item.id)).toEqual([other, ...others]);
      await page.getByText("not saved, changed elsewhere").waitFor();
    }

    await editInBothPlaces("Mine, first.", "Theirs, first.");
    await page.getByRole("button", { name: "Load the other" }).click();
    await expect.poll(() => texts(page)).toEqual(["Theirs, first.", ...others]);
    await notice.waitFor({ state: "detached" });
    expect(await savedTexts(item.id)).toEqual(["Theirs, first.", ...others]);
    await page.keyboard.press("Control+z");
    await expect.poll(() => texts(page)).toEqual(["Mine, first.", ...others]);
    await expect.poll(() => savedTexts(item.id)).toEqual(["Mine, first.", ...others]);

    await editInBothPlaces("Mine, second.", "Theirs, second.");
    await page.getByRole("button", { name: "Keep mine" }).click();
    await notice.waitFor({ state: "detached" });
    await expect.poll(() => savedTexts(item.id)).toEqual(["Mine, second.", ...others]);
    expect(await texts(page)).toEqual(["Mine, second.", ...others]);
    // The console names refused requests.
    expect(page.pageErrors.filter((error) => !error.includes("409 (Conflict)"))).toEqual([]);
    await page.context().close();
  });

  it("retranscribes failed ranges, and selects a range by keyboard", async () => {
    const item = await transcribe(speech, "In part.wav");
    const { revision, segments } = await whole.call("readDocument", {}, item.id);
    const [first, ...others] = segments;
    const last = first?.words.findIndex(({ word }) => word.includes("morning")) ?? -1;
    if (first === undefined || last < 0) throw new Error("the first sentence is wanted");
    const words = first.words.slice(0, last + 1);
    const half: DocumentSegment = {
      ...first,
      words,
      text: words.map(({ word }) => word.trim()).join(" "),
      endSec: words.at(-1)?.endSec ?? 0,
    };
    await whole.call(
      "changeDocument",
      { revision, put: [half], remove: others.map(({ id }) => id) },
      item.id,
    );
    // The state after an engine has crashed twice.
    const { sqlite, close } = openDatabase(join(whole.dataDir, "hearsay.sqlite"));
    const failed = [
      { startSec: half.endSec, endSec: item.durationSec, message: "The engine failed twice." },
    ];
    sqlite
      .prepare("UPDATE documents SET failed = ? WHERE item_id = ?")
      .run(JSON.stringify(failed), item.id);
    sqlite.prepare("UPDATE items SET is_partial = 1 WHERE id = ?").run(item.id);
    close();
    const page = await whole.open({ path: `/transcribe/${item.id}` });
    await page.getByText("could not be transcribed").waitFor();
    await page.getByRole("button", { name: "Transcribe it again" }).click();
    await page.getByText("could not be transcribed").waitFor({ state: "detached" });
    await expect
      .poll(async () => normalizeWords((await texts(page)).join(" ")))
      .toBe(normalizeWords(segments.map(({ text }) => text).join(" ")));
    await expect
      .poll(() => whole.call("readItem", {}, item.id))
      .toMatchObject({ state: "done", isPartial: false });

    await page.locator(".sound").getByRole("slider", { name: "Position in In part" }).focus();
    await page.keyboard.press("Home");
    await page.keyboard.press("Shift+ArrowRight");
    await page.getByRole("slider", { name: "End of the selection" }).focus();
    for (const key of ["Home", "Shift+ArrowRight", "Shift+ArrowRight"])
      await page.keyboard.press(key);
    await page.getByRole("slider", { name: "Start of the selection" }).focus();
    await page.keyboard.press("Shift+ArrowRight");
    await page.getByText("0:01 to 0:02").waitFor();
    expect(page.pageErrors).toEqual([]);
    await page.context().close();
  });

  it("records from the microphone, pauses, and transcribes the recording", async () => {
    const page = await whole.open({ path: "/transcribe" });
    await page.getByRole("button", { name: "Record", exact: true }).waitFor();
    await page.keyboard.press("r");
    await page.waitForSelector('.record-bar-lamp[data-phase="recording"]');
    await waitUntil(async () => (await page.locator(".record-bar-time").textContent()) === "0:05");
    const bar = page.locator(".record-bar");
    // Only the recording bar shows its duration.
    expect(await page.locator(".transcript-facts").textContent()).not.toContain("0:00");
    await bar.getByRole("button", { name: "Pause" }).click();
    const paused = await bar.locator(".record-bar-time").textContent();
    await bar.getByRole("button", { name: "Resume" }).click();
    await waitUntil(async () => (await bar.locator(".record-bar-time").textContent()) !== paused);
    await bar.getByRole("button", { name: "Stop" }).click();
    await bar.waitFor({ state: "detached" });
    const item = await whole.waitUntilFinished(idOf(page));
    expect(item).toMatchObject({ state: "done", source: "recording" });
    expect(item.durationSec).toBeGreaterThan(5);
    await page.waitForSelector(".segment");
    expect(normalizeWords((await texts(page)).join(" "))).toContain("quiet that morning");
    expect(page.pageErrors).toEqual([]);
    await page.context().close();
  });

  it("shows text during a recording, warns of silence, and loses nothing when the app ends the recording by itself", async () => {
    const page = await whole.open({ path: "/transcribe" });
    await page.getByRole("button", { name: "Record", exact: true }).click();
    await page.waitForSelector('.record-bar-lamp[data-phase="recording"]');
    // A busy machine makes no drafts, so the first text may already be settled.
    await page.locator(".draft-text p, .segment").first().waitFor();
    await page.locator(".segment").first().waitFor();
    // The end of the fake microphone's file is silence.
    await page.getByText("No sound from “Fake Default Audio Input” for 10 s.").waitFor();
    await page.getByRole("status").getByRole("button", { name: "Change input" }).waitFor();
    const first = idOf(page);
    const { durationSec } = (await (
      await whole.send(`/app/recordings/${first}/end`, { method: "POST" })
    ).json()) as Item;
    // Audio from here on can no longer be added to the first recording.
    const bar = page.locator(".record-bar");
    await waitUntil(async () => idOf(page) !== first);
    const recorded = await bar.locator(".record-bar-time").textContent();
    await bar.getByRole("button", { name: "Stop" }).click();
    await bar.waitFor({ state: "detached" });
    const rest = await whole.waitUntilFinished(idOf(page));
    expect(rest.title).toMatch(/, continued$/);
    expect(durationSec + rest.durationSec).toBeGreaterThanOrEqual(
      Number(recorded?.split(":").at(-1)),
    );
    await page.context().close();
  });

  it("scrolls, plays and accepts typing in a transcript of 3,000 segments without long delays", async () => {
    const item = await transcribe(speech, "Two hours.wav");
    const { revision } = await whole.call("readDocument", {}, item.id);
    const put = manySegments(3000).map((segment, at) => ({ ...segment, speaker: `S${at % 5}` }));
    await whole.call("changeDocument", { revision, put, remove: [] }, item.id);
    const { sqlite, close } = openDatabase(join(whole.dataDir, "hearsay.sqlite"));
    sqlite.prepare("UPDATE items SET duration_sec = 7500 WHERE id = ?").run(item.id);
    close();
    const page = await whole.open({ path: `/transcribe/${item.id}` });
    await page.waitForSelector(".segment");
    await page.evaluate(() => document.fonts.ready);
    await zoomAndScroll(page);
    await page.locator(".segment").nth(2).focus();
    await page.keyboard.press("p");
    const worstMs = await maxFrameMs(page, async () => {
      await page.locator(".segment").nth(2).hover();
      for (let step = 0; step < 40; step += 1) await page.mouse.wheel(0, 500);
      await page.locator(".segment").nth(5).focus();
      await page.keyboard.press("Enter");
      await page.keyboard.type("typed while it plays ");
      await page.keyboard.press("Escape");
    });
    expect(await page.locator(".segment").count()).toBeLessThan(60);
    // A long frame would drop key presses. The bound leaves room for a busy machine with two cores.
    expect(worstMs).toBeLessThan(1000);
    await page.locator(".segment").nth(5).focus();
    await page.keyboard.press("End");
    await page.getByText("Number 2999,").waitFor();
    // The keyboard focus stays where it is while the list is scrolled.
    await page.locator(".segment-list-rows").evaluate((list) => list.scrollTo({ top: 0 }));
    await page.getByText("Number 1,").waitFor();
    expect(await page.evaluate(() => document.activeElement?.textContent)).toContain(
      "Number 2999,",
    );
    expect(page.pageErrors).toEqual([]);
    await page.context().close();
  });
});

describe.skipIf(none)("options of a transcription (needs Chromium)", () => {
  it("offers nothing that the model cannot do, and says why", async () => {
    const preferences = await whole.call("readPreferences");
    const chosen = {
      ...preferences.transcribe,
      model: "moonshine-base",
      language: "fr",
      prompt: "Élise",
    };
    await whole.call("changePreferences", { transcribe: chosen });
    const page = await whole.open({ path: "/transcribe" });
    await page.getByRole("button", { name: /^Transcription options/ }).click();
    const options = page.locator(".options");
    const [translate, prompt, language] = [
      options.getByRole("switch", { name: "Translate to English" }),
      options.getByLabel("Names and terms"),
      options.getByLabel("Language", { exact: true }),
    ];
    const helpOf = (field: typeof prompt): Promise<string> =>
      field.evaluate((element) =>
        (element.getAttribute("aria-describedby") ?? "")
          .split(" ")
          .map((id) => document.getElementById(id)?.textContent)
          .join(" "),
      );
    expect(await helpOf(translate)).toBe("Moonshine base does not translate.");
    await translate.click({ force: true });
    expect(await translate.getAttribute("aria-checked")).toBe("false");
    expect(await helpOf(prompt)).toContain("Moonshine base takes none");
    expect(await prompt.getAttribute("readonly")).not.toBeNull();
    expect(await helpOf(language)).toContain("Moonshine base does not know this language.");
    const offered = language.locator("option:not([disabled])");
    expect(await offered.allTextContents()).toEqual(["Any language", "English"]);

    await options.getByLabel("Model", { exact: true }).selectOption("whisper-base");
    await expect.poll(() => offered.count()).toBeGreaterThan(90);
    expect(await helpOf(language)).not.toContain("does not know");
    expect(await prompt.getAttribute("readonly")).toBeNull();
    await translate.click();
    await expect.poll(() => translate.getAttribute("aria-checked")).toBe("true");
    expect(page.pageErrors).toEqual([]);
    await page.context().close();
    await whole.call("changePreferences", { transcribe });
  });
});

/** Of the tallest column of a waveform. */
/** Selects a text of the transcript with the mouse. */
async function dragOver(page: Page, text: string): Promise<void> {
  const box = await page
    .locator(".segment-text", { hasText: text })
    .first()
    .evaluate((element, part) => {
      const start = element.textContent.indexOf(part);
      const range = new Range();
      range.setStart(element.firstChild!, start);
      range.setEnd(element.firstChild!, start + part.length);
      const { left, right, top, height } = range.getBoundingClientRect();
      return { left, right, y: top + height / 2 };
    }, text);
  await page.mouse.move(box.left + 1, box.y);
  await page.mouse.down();
  await page.mouse.move(box.right - 1, box.y, { steps: 4 });
  await page.mouse.up();
}

const drawnHeightPx = (page: Page, selector: string): Promise<number> =>
  page.locator(selector).evaluate((element) => {
    if (!(element instanceof HTMLCanvasElement)) throw new TypeError("not a canvas");
    const { width, height } = element;
    const { data } = element.getContext("2d")?.getImageData(0, 0, width, height) ?? { data: [] };
    const heights = Array.from({ length: width }, () => 0);
    for (let pixel = 0; pixel < width * height; pixel += 1)
      if ((data[pixel * 4 + 3] ?? 0) > 0)
        heights[pixel % width] = (heights[pixel % width] ?? 0) + 1;
    return Math.max(...heights);
  });

/**
 * Zooms the waveform of a recording of 7500 s by keys, by the wheel and by its scroll bar, and shows all of it again.
 */
async function zoomAndScroll(page: Page): Promise<void> {
  const all = "0 0 7500";
  const part = page.getByRole("slider", { name: "Part shown" });
  const zoomOut = page.getByRole("button", { name: "Zoom out" });
  /** What the strips below the waveform show. */
  const shown = (): Promise<(string | undefined)[]> =>
    page
      .locator(".speakers-strip, .coverage-bar")
      .evaluateAll((strips) =>
        strips.map((strip) => strip.getAttribute("viewBox")?.split(" ").slice(0, 3).join(" ")),
      );
  await expect.poll(shown).toEqual([all, all]);
  // The player has the same audio, but does not show its waveform once more.
  await expect.poll(() => drawnHeightPx(page, ".sound-wave canvas")).toBeGreaterThan(10);
  expect(await drawnHeightPx(page, ".player-strip canvas")).toBeLessThanOrEqual(2);
  for (let presses = 0; presses < 3; presses += 1) await page.keyboard.press("+");
  await expect.poll(shown).toEqual(["0 0 937.5", "0 0 937.5"]);
  expect(await part.getAttribute("aria-valuetext")).toBe("0:00 to 15:37");
  await part.press("End");
  await expect.poll(shown).toEqual(["6562.5 0 937.5", "6562.5 0 937.5"]);
  expect(await part.getAttribute("aria-valuetext")).toBe("1:49:22 to 2:05:00");
  // A selection has its place in what is shown: here the middle half.
  const waveform = page.locator(".sound-wave .waveform");
  const { x, y, width } = (await waveform.boundingBox()) ?? { x: 0, y: 0, width: 0 };
  await page.mouse.move(x + width / 4, y + 5);
  await page.mouse.down();
  await page.mouse.move(x + (width * 3) / 4, y + 5);
  await page.mouse.up();
  await page.getByText("1:53:16 to 2:01:05").waitFor();
  await page.getByRole("button", { name: "Clear selection" }).click();
  await page.mouse.move(x + width / 2, y + 5);
  await page.mouse.wheel(0, -200);
  await expect.poll(shown).not.toContain("6562.5 0 937.5");
  await page.keyboard.press("0");
  await expect.poll(shown).toEqual([all, all]);
  expect(await zoomOut.getAttribute("aria-disabled")).toBe("true");
}

/** Numbered sentences of 2.5 s each. */
const manySegments = (count: number): DocumentSegment[] =>
  Array.from({ length: count }, (_, index) => {
    const words =
      `Number ${index}, a sentence that somebody said about the harbour and the boats in it`.split(
        " ",
      );
    const startSec = index * 2.5;
    return {
      id: 3_000_000 + index,
      startSec,
      endSec: startSec + 2.4,
      text: words.join(" "),
      words: words.map((word, at) => ({
        word,
        startSec: startSec + at * 0.15,
        endSec: startSec + at * 0.15 + 0.15,
        probability: (index * 7 + at * 3) % 20 === 0 ? 0.4 : 0.97,
      })),
      language: "en",
      avgLogprob: -0.2,
      noSpeechProb: 0.01,
      compressionRatio: 1.2,
      isEdited: false,
    };
  });
