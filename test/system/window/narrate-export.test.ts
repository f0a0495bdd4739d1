// The export panel of a narration in a real browser: keyboard use, removing and setting the cover, exports that
// continue while other pages are shown.

import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { EpubCheck } from "@likecoin/epubcheck-ts";
import { strFromU8, unzipSync } from "fflate";
import type { Page } from "playwright";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chromiumPath } from "../../support/browser.ts";
import { openFolder, smallPicture } from "../../support/test-data.ts";
import { openAppWithWindow, type AppWithWindow } from "../../support/app-with-window.ts";
import { hibariForEnglish } from "../../support/local-models.ts";

const none = chromiumPath === undefined;
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

const panelOf = (page: Page) => page.getByRole("form", { name: "Export narration" });
const exportButton = (page: Page) => page.getByRole("button", { name: "Export", exact: true });
const hasFocus = (locator: ReturnType<Page["locator"]>): Promise<boolean> =>
  locator.evaluate((element) => element === document.activeElement);

/** Creates a generated narration and opens its page. */
async function openMade(title: string, cover?: Buffer) {
  const { id } = await whole.call("createNarration", {
    title,
    script: "The wind was fair.",
    ...(cover !== undefined && { cover: cover.toString("base64") }),
  });
  await whole.call("makeNarration", {}, id);
  await whole.waitUntilFinished(id);
  const page = await whole.open({ path: `/narrate/${id}` });
  await page.waitForSelector(".script-field");
  return { id, page };
}

async function saved(page: Page): Promise<Buffer> {
  const downloaded = page.waitForEvent("download");
  await panelOf(page).getByRole("button", { name: "Save file" }).click();
  return readFile(await (await downloaded).path());
}

async function choose(page: Page, command: string): Promise<void> {
  await page.keyboard.press("Control+k");
  await page.keyboard.type(command);
  await page.getByRole("option", { name: command }).first().waitFor();
  await page.keyboard.press("Enter");
}

describe.skipIf(none)("the export of a narration (needs Chromium)", () => {
  it("is a panel that takes the focus and returns it, and keeps everything typed", async () => {
    const { id, page } = await openMade("Wind");
    await page.keyboard.press("e");
    const panel = panelOf(page);
    await expect.poll(() => hasFocus(panel.getByLabel("Format"))).toBe(true);
    expect(await page.getByRole("dialog").count()).toBe(0);
    await panel.getByLabel("Title", { exact: true }).fill("Fair wind");
    await panel.getByLabel("Author").fill("Jane Doe");
    await panel.getByRole("button", { name: "Save file" }).focus();
    await page.keyboard.press("e");
    expect(await hasFocus(panel.getByLabel("Format"))).toBe(true);
    await page.keyboard.press("Escape");
    await panel.waitFor({ state: "detached" });
    expect(await hasFocus(exportButton(page))).toBe(true);
    await page.getByRole("radio", { name: "Voice" }).waitFor();

    await page.keyboard.press("Enter");
    expect(await panel.getByLabel("Title", { exact: true }).inputValue()).toBe("Fair wind");
    expect(await panel.getByLabel("Author").inputValue()).toBe("Jane Doe");
    // Typed immediately before the page is closed.
    await panel.getByLabel("Author").fill("Jane Roe");
    await page.reload();
    await expect
      .poll(async () => (await whole.call("readBookDetails", {}, id)).author)
      .toBe("Jane Roe");
    await page.waitForSelector(".script-field");
    await exportButton(page).click();
    await expect.poll(() => panel.getByLabel("Author").inputValue()).toBe("Jane Roe");
    // A title of its own applies to the file, and is dropped when it equals the narration's title again.
    const title = panel.getByLabel("Title", { exact: true });
    expect(await title.inputValue()).toBe("Fair wind");
    const named = page.waitForEvent("download");
    await panel.getByRole("button", { name: "Save file" }).click();
    expect((await named).suggestedFilename()).toBe("Fair wind.m4b");
    await title.fill("Wind");
    await page.reload();
    await expect.poll(async () => (await whole.call("readBookDetails", {}, id)).title).toBe("");
    expect(page.pageErrors).toEqual([]);
    await page.context().close();
  });

  it("keeps a typed author across a reload without asking, also with a cover that is too large to send while a page closes", async () => {
    const { id, page } = await openMade(
      "Large cover",
      Buffer.concat([smallPicture, Buffer.alloc(200_000)]),
    );
    const dialogs: string[] = [];
    page.on("dialog", (dialog) => {
      dialogs.push(dialog.type());
      void dialog.accept();
    });
    // The first request never arrives.
    let isFirst = true;
    const held = page.waitForRequest((request) => request.method() === "PATCH");
    await page.route(/\/book$/, async (route) => {
      const isLost = isFirst && route.request().method() === "PATCH";
      if (isLost) isFirst = false;
      else await route.continue();
    });
    await exportButton(page).click();
    const panel = panelOf(page);
    await panel.getByRole("img").waitFor();
    await panel.getByLabel("Author").fill("Jane Roe");
    await held;
    await page.reload();
    await expect
      .poll(async () => (await whole.call("readBookDetails", {}, id)).author)
      .toBe("Jane Roe");
    expect(dialogs).toEqual([]);
    expect((await whole.call("readBookDetails", {}, id)).hasCover).toBe(true);
    await page.context().close();
  });

  it("is a book to read along, with its cover, that is valid EPUB", async () => {
    const { page } = await openMade("Read along", smallPicture);
    await exportButton(page).click();
    await panelOf(page).getByLabel("Format").selectOption("epub");
    expect(await panelOf(page).getByLabel("Subtitles").count()).toBe(0);
    const book = await saved(page);
    const { messages } = await EpubCheck.validate(book);
    expect(messages.filter(({ severity }) => severity !== "usage")).toEqual([]);
    const files = unzipSync(book);
    expect(Object.keys(files)).toContain("EPUB/cover.png");
    expect(strFromU8(files["EPUB/chapter-1.xhtml"] ?? new Uint8Array())).toContain(
      '<span id="s1">The wind was fair.</span>',
    );
    expect(strFromU8(files["EPUB/chapter-1.smil"] ?? new Uint8Array())).toMatch(
      /chapter-1\.xhtml#s1"\/><audio src="audio\/chapter-1\.mp3" clipBegin="0\.000s" clipEnd="[1-9]/,
    );
    expect(files["EPUB/audio/chapter-1.mp3"]?.length).toBeGreaterThan(1000);
    expect(page.pageErrors).toEqual([]);
    await page.context().close();
  });

  it("omits a removed cover, after a reload and in the file, and accepts another", async () => {
    const { id, page } = await openMade("Cover", smallPicture);
    const panel = panelOf(page);
    const picture = panel.getByRole("img");
    await exportButton(page).click();
    await picture.waitFor();
    await panel.getByRole("button", { name: "Remove cover" }).press("Enter");
    await picture.waitFor({ state: "detached" });
    // The cover can be restored with the same key that removed it.
    expect(await hasFocus(panel.getByRole("button", { name: "Undo" }))).toBe(true);
    // Waits until the app has stored the removal.
    await panel.locator("[aria-busy]").waitFor({ state: "detached" });
    await page.keyboard.press("Enter");
    await picture.waitFor();
    await panel.getByRole("button", { name: "Remove cover" }).click();
    await picture.waitFor({ state: "detached" });

    await page.reload();
    await page.waitForSelector(".script-field");
    await expect
      .poll(async () => (await whole.call("readBookDetails", {}, id)).hasCover)
      .toBe(false);
    const read = page.waitForResponse(/\/book$/);
    await exportButton(page).click();
    await read;
    expect((await saved(page)).includes("covr")).toBe(false);
    expect(await picture.count()).toBe(0);

    // Through the palette, wherever the focus is. A file that is not an image is refused with a message.
    const file = join(folder.path, "cover.png");
    await page.keyboard.press("Escape");
    for (const content of [Buffer.from("no picture"), smallPicture]) {
      await writeFile(file, content);
      const chooser = page.waitForEvent("filechooser");
      await choose(page, "Choose cover");
      await (await chooser).setFiles(file);
      if (content !== smallPicture)
        await page.getByRole("alert").getByText("A cover is a JPEG or PNG picture.").waitFor();
      await expect.poll(() => picture.count()).toBe(content === smallPicture ? 1 : 0);
    }
    await page.getByRole("alert").waitFor({ state: "detached" });
    expect((await saved(page)).includes("covr")).toBe(true);

    // Simulates a file that became unreadable, for example on a removed disk.
    await page.evaluate(
      "FileReader.prototype.readAsDataURL = function () { setTimeout(() => this.dispatchEvent(new ProgressEvent('error'))); }",
    );
    const chooser = page.waitForEvent("filechooser");
    await panel.getByRole("button", { name: "Choose cover" }).click();
    await (await chooser).setFiles(file);
    await panel.getByRole("alert").getByText("The picture could not be read.").waitFor();
    expect(await picture.count()).toBe(1);
    // The refused upload is the only error.
    expect(page.pageErrors.filter((complaint) => !complaint.includes("400"))).toEqual([]);
    await page.context().close();
  });

  it("shows progress and a way to stop with the panel closed, asks before the page is left, and reports its end on another page", async () => {
    const { page } = await openMade("Long work");
    let held = Promise.withResolvers<void>();
    await page.route(/narration-file$/, async (route) => {
      await held.promise;
      await route.continue().catch(() => undefined);
    });
    const work = page.getByRole("progressbar", { name: "Exporting" });
    const begin = async (): Promise<void> => {
      await exportButton(page).click();
      const exportRequested = page.waitForRequest(/narration-file$/);
      await panelOf(page).getByRole("button", { name: "Save file" }).click();
      await exportRequested;
      await page.keyboard.press("Escape");
      await panelOf(page).waitFor({ state: "detached" });
      await work.waitFor();
    };
    await begin();
    // The progress is unknown, so the elapsed time is shown.
    expect(await work.getAttribute("aria-valuenow")).toBeNull();
    const timer = page.getByRole("timer");
    const early = await timer.textContent();
    await expect.poll(() => timer.textContent()).not.toBe(early);
    const dialogOpened = page.waitForEvent("dialog");
    await page.close({ runBeforeUnload: true });
    const dialog = await dialogOpened;
    expect(dialog.type()).toBe("beforeunload");
    await dialog.dismiss();
    await page.getByRole("button", { name: "Cancel export" }).press("Enter");
    await work.waitFor({ state: "detached" });
    await expect.poll(() => hasFocus(exportButton(page))).toBe(true);
    held.resolve();
    held = Promise.withResolvers();

    await begin();
    await page.keyboard.press("g");
    await page.keyboard.press("l");
    await page.getByRole("heading", { name: "Library" }).waitFor();
    const downloaded = page.waitForEvent("download");
    held.resolve();
    expect((await downloaded).suggestedFilename()).toBe("Long work.m4b");
    await page.getByText("Saved Long work.m4b").waitFor();
    expect(page.pageErrors).toEqual([]);
    await page.context().close();
  });

  it("adds a word from the palette and puts the caret into it", async () => {
    const { page } = await openMade("Words");
    await exportButton(page).click();
    await choose(page, "Add word");
    await expect.poll(() => hasFocus(page.getByLabel("Word", { exact: true }).first())).toBe(true);
    await page.keyboard.type("Leicester");
    await page.keyboard.press("Tab");
    await page.keyboard.type("Lester");
    await expect
      .poll(async () => (await whole.call("readVocabulary")).entries)
      .toEqual([{ word: "Leicester", says: "Lester", heard: "" }]);
    // This happens only once: later the focus is elsewhere.
    await page.getByRole("button", { name: "Listen", exact: true }).focus();
    await page.keyboard.press("e");
    await panelOf(page).waitFor();
    await page.keyboard.press("Escape");
    await page.getByLabel("Word", { exact: true }).first().waitFor();
    expect(await hasFocus(page.getByRole("button", { name: "Listen", exact: true }))).toBe(true);
    expect(page.pageErrors).toEqual([]);
    await page.context().close();
  });
});
