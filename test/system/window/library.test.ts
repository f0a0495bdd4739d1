// The library page: search leads to the moment of a word; items are renamed, tagged, removed and restored; a name is
// replaced in all transcripts at once.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { unzipSync } from "fflate";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Item } from "../../../main/contract/library-item.ts";
import { openDatabase } from "../../../main/storage/database.ts";
import { chromiumPath } from "../../support/browser.ts";
import { waitUntilSettled, maxFrameMs } from "../../support/pages.ts";
import { openFolder, writeAudioFile, synthesizeSamples } from "../../support/test-data.ts";
import {
  openAppWithWindow,
  type WatchedPage,
  type AppWithWindow,
} from "../../support/app-with-window.ts";

const none = chromiumPath === undefined;
let whole: AppWithWindow;
let ids: string[];

async function upload(name: string, text: string): Promise<string> {
  const folder = await openFolder();
  try {
    const path = await writeAudioFile(join(folder.path, name), await synthesizeSamples(text));
    const { id } = (await (
      await whole.send(`/app/uploads?name=${encodeURIComponent(name)}`, {
        method: "POST",
        body: await readFile(path),
      })
    ).json()) as Item;
    return id;
  } finally {
    await folder.remove();
  }
}

beforeAll(async () => {
  if (none) return;
  whole = await openAppWithWindow();
  ids = [
    await upload(
      "Kitchen.wav",
      "The kettle would not stop whistling. We wrote down every word by hand.",
    ),
    await upload("Garden.wav", "Every word of the gardener was about roses."),
  ];
  for (const id of ids) await whole.waitUntilFinished(id);
}, 180_000);
afterAll(() => whole?.close());

async function opened(): Promise<WatchedPage> {
  const page = await whole.open({ path: "/library" });
  await page.getByRole("link", { name: "Kitchen" }).waitFor();
  return page;
}

const text = async (id: string | undefined) =>
  (await whole.call("readDocument", {}, id)).segments.map((segment) => segment.text).join(" ");

describe.skipIf(none)("the library page (needs Chromium)", () => {
  it("finds spoken words and opens them at their moment, by keyboard alone", async () => {
    const page = await opened();
    await page.keyboard.press("/");
    await page.keyboard.type("whistl");
    await page.locator("mark", { hasText: /whistling/i }).waitFor();
    expect(await page.locator(".library-hit").count()).toBe(1);
    await page.getByText("1 match in 1 item").waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL(new RegExp(`#/transcribe/${ids[0]}\\?at=`));
    await page
      .getByText(/kettle would not stop/i)
      .first()
      .waitFor();
    await expect
      .poll(() =>
        page.evaluate(() => Array.from(CSS.highlights.get("transcribe-found") ?? [], String)),
      )
      .toEqual(["whistl"]);
    // Going back shows the search results.
    await page.goBack();
    await page.locator("mark", { hasText: /whistling/i }).waitFor();
    expect(await page.getByRole("searchbox").inputValue()).toBe("whistl");
    expect(page.pageErrors).toEqual([]);
    await page.context().close();
  });

  it("shows where the audio was sent, renames, tags and filters, and each change can be undone", async () => {
    const page = await opened();
    expect(await page.getByText("On this machine").count()).toBe(2);
    await page.locator(".library-words", { hasText: /^The kettle would not stop/i }).waitFor();
    expect(await page.locator(".library-day").count()).toBe(1);
    await page.getByRole("link", { name: "Garden" }).focus();
    await page.keyboard.press("F2");
    await page.keyboard.type("Rose garden");
    await page.keyboard.press("Enter");
    await page.getByRole("link", { name: "Rose garden" }).waitFor();
    await page.getByRole("button", { name: "Actions for Rose garden" }).click();
    await page.getByRole("menuitem", { name: "Tags" }).click();
    await page.keyboard.type("flowers, #summer");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Only items tagged flowers" }).click();
    await expect.poll(() => page.getByRole("link", { name: "Kitchen" }).count()).toBe(0);
    expect(await whole.call("readItem", {}, ids[1])).toMatchObject({
      title: "Rose garden",
      tags: ["flowers", "summer"],
    });
    await page.keyboard.press("Control+z");
    await page.keyboard.press("Control+z");
    await expect
      .poll(() => whole.call("readItem", {}, ids[1]))
      .toMatchObject({ title: "Garden", tags: [] });
    expect(page.pageErrors).toEqual([]);
    await page.context().close();
  });

  it("undoes only its own removal, and no longer offers it once done", async () => {
    const page = await opened();
    await page.getByRole("link", { name: "Garden" }).focus();
    await page.keyboard.press("Delete");
    const note = page.getByText("“Garden” was removed");
    await note.waitFor();
    // A later change: undoing the removal does not undo this one.
    await page.keyboard.press("h");
    await page.getByLabel("Find in all transcripts").fill("kettle");
    await page.getByLabel("Replace with").fill("pot");
    await page.getByRole("button", { name: "Preview" }).click();
    await page.getByRole("button", { name: "Replace 1 match" }).click();
    const replaced = page.getByText("Replaced 1 match");
    await replaced.waitFor();
    await page.locator(".library-note").getByRole("button", { name: "Undo" }).click();
    await page.getByRole("link", { name: "Garden" }).waitFor();
    await note.waitFor({ state: "detached" });
    expect(await replaced.isVisible()).toBe(true);
    expect(await text(ids[0])).toContain("pot");
    // By keyboard: the notification that offered to undo disappears, too.
    await page.getByRole("link", { name: "Garden" }).focus();
    await page.keyboard.press("Control+z");
    await replaced.waitFor({ state: "detached" });
    await expect.poll(() => text(ids[0])).toContain("kettle");
    expect(page.pageErrors).toEqual([]);
    await page.context().close();
  });

  it("removes items with undo, also later", async () => {
    const page = await opened();
    await page.getByRole("link", { name: "Garden" }).focus();
    await page.keyboard.press("Delete");
    await page.getByText("“Garden” was removed").waitFor();
    expect(await page.getByRole("link", { name: "Garden" }).count()).toBe(0);
    await page.getByRole("button", { name: "Undo", exact: true }).click();
    await page.getByRole("link", { name: "Garden" }).focus();
    await page.keyboard.press("Delete");
    await page.getByText("“Garden” was removed").waitFor();
    await page.getByRole("radio", { name: "Removed" }).click();
    await page.getByRole("button", { name: "Restore Garden" }).click();
    await page.getByText("No removed items").waitFor();
    await page.getByRole("radio", { name: "All", exact: true }).click();
    await page.getByRole("link", { name: "Garden" }).waitFor();
    await page.context().close();
  });

  it("transcribes what appears in the watched folder, and says so in Settings", async () => {
    const folder = await openFolder();
    const page = await whole.open({ path: "/settings" });
    const field = page.getByRole("textbox", { name: "Folder", exact: true });
    await field.fill(folder.path);
    await field.press("Enter");
    await page.getByText("Nothing has been transcribed from this folder yet.").waitFor();
    await writeAudioFile(join(folder.path, "Memo.wav"), await synthesizeSamples("Buy some milk."));
    await page.getByText("Transcribed", { exact: true }).waitFor();
    expect(await readFile(join(folder.path, "Memo.txt"), "utf8")).toMatch(/milk/i);
    await field.fill("");
    await field.press("Enter");
    const [memo] = (await whole.call("listItems")).items;
    await whole.call("removeItem", {}, memo?.id);
    await whole.call("deleteItems");
    await page.context().close();
    await folder.remove();
  });

  it("deletes removed items permanently, after asking", async () => {
    const { id } = await whole.call("createNarration", { title: "Draft" });
    await whole.call("removeItem", {}, id);
    const page = await opened();
    await page.getByRole("radio", { name: "Removed" }).click();
    await page.getByRole("checkbox", { name: "Select Draft" }).click();
    await page.getByRole("button", { name: "Delete permanently", exact: true }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete permanently" }).click();
    await page.getByText("No removed items").waitFor();
    expect((await whole.call("listItems", { isDeleted: true })).items).toEqual([]);
    await page.context().close();
  });

  it("replaces in the selected transcripts after a preview, and undoes it", async () => {
    const page = await opened();
    await page.keyboard.press("h");
    await page.getByLabel("Find in all transcripts").fill("every word");
    await page.getByLabel("Replace with").fill("each sentence");
    await page.getByRole("button", { name: "Preview" }).click();
    await page.getByRole("list", { name: "Preview of changes" }).waitFor();
    expect(await page.locator("ins").allTextContents()).toEqual(["each sentence", "each sentence"]);
    expect(await text(ids[0])).toMatch(/every word/i);
    await page.getByRole("checkbox", { name: "Garden", exact: true }).uncheck();
    await page.getByRole("button", { name: "Replace 1 match" }).click();
    await page.getByText("Replaced 1 match").waitFor();
    expect(await text(ids[0])).toContain("each sentence");
    expect(await text(ids[1])).toMatch(/every word/i);
    await page
      .getByRole("region", { name: "Find and replace" })
      .getByRole("button", { name: "Undo" })
      .click();
    await expect.poll(() => text(ids[0])).toMatch(/every word/i);
    expect(page.pageErrors).toEqual([]);
    await page.context().close();
  });

  it("tags, exports and removes several items at once, by keyboard and mouse", async () => {
    const page = await opened();
    await page.getByRole("link", { name: "Garden" }).focus();
    await page.keyboard.press("Shift+ArrowDown");
    await page.getByText("2 selected").waitFor();
    await page.keyboard.press("Escape");
    await page.getByText("2 selected").waitFor({ state: "detached" });
    await page.getByRole("checkbox", { name: "Select Garden" }).click();
    await page.getByRole("checkbox", { name: "Select Kitchen" }).click({ modifiers: ["Shift"] });
    await page.getByRole("button", { name: "Tags", exact: true }).click();
    await page.getByLabel("Add tags").fill("words, #home");
    await page.keyboard.press("Enter");
    await expect
      .poll(async () =>
        (await Promise.all(ids.map((id) => whole.call("readItem", {}, id)))).map(
          ({ tags }) => tags,
        ),
      )
      .toEqual([
        ["words", "home"],
        ["words", "home"],
      ]);
    await page.getByRole("button", { name: "Export", exact: true }).click();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("menuitem", { name: "Transcripts as .srt" }).click(),
    ]);
    expect(Object.keys(unzipSync(await readFile(await download.path()))).sort()).toEqual([
      "Garden.srt",
      "Kitchen.srt",
    ]);
    await page.getByRole("link", { name: "Kitchen" }).focus();
    await page.keyboard.press("Delete");
    await page.getByText("2 items were removed").waitFor();
    await page.getByText("The library is empty").waitFor();
    await page.keyboard.press("Control+z");
    await page.getByRole("link", { name: "Kitchen" }).waitFor();
    await page.keyboard.press("Control+z");
    await expect.poll(() => whole.call("readItem", {}, ids[0])).toMatchObject({ tags: [] });
    expect(page.pageErrors).toEqual([]);
    await page.context().close();
  });

  it("exports everything in one archive, which restores what is missing", async () => {
    const page = await opened();
    await waitUntilSettled(page);
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("link", { name: "Export all" }).click(),
    ]);
    expect(download.suggestedFilename()).toBe("Hearsay library.zip");
    const names = Object.keys(unzipSync(await readFile(await download.path())));
    expect(
      names.some((name) => name.includes("Kitchen")) &&
        names.some((name) => name.includes("Garden")),
    ).toBe(true);
    await whole.call("removeItem", {}, ids[1]);
    await whole.call("deleteItems", { itemIds: [ids[1] ?? ""] });
    await page.getByRole("link", { name: "Garden" }).waitFor({ state: "detached" });
    const choosing = page.waitForEvent("filechooser");
    await page.getByRole("button", { name: "Restore from archive…" }).click();
    await (await choosing).setFiles(await download.path());
    await page.getByText("1 item restored. 1 was already in the library.").waitFor();
    await page.getByRole("link", { name: "Garden" }).waitFor();
    expect(await text(ids[1])).toContain("roses");
    await page.context().close();
  });

  it("scrolls, filters and accepts typing in a library of 5,000 items without long delays", async () => {
    manyItems(5000);
    const page = await whole.open({ path: "/library" });
    await page.locator(".library-storage", { hasText: "5,002 items" }).waitFor();
    await waitUntilSettled(page);
    const worstMs = await maxFrameMs(page, async () => {
      await page.locator(".library-row").nth(3).hover();
      for (let step = 0; step < 40; step += 1) await page.mouse.wheel(0, 2000);
      await page.getByLabel("Sort").selectOption("title");
      // Sends progress events of other work meanwhile.
      for (const id of ids) await whole.call("changeItem", { tags: ["busy"] }, id);
      await page.keyboard.press("/");
      await page.keyboard.type("meeting 4321", { delay: 30 });
      await page.locator("mark").first().waitFor();
      await page.keyboard.press("Escape");
      await page.keyboard.press("Shift+Tab");
      await page.locator(".library-row").first().waitFor();
    });
    expect(await page.locator(".library-row").count()).toBeLessThan(60);
    // Drawing every row would take seconds per frame. The bound leaves room for a busy machine with two cores.
    expect(worstMs).toBeLessThan(1000);
    await page.keyboard.press("Control+a");
    await page.getByText("5,002 selected").waitFor();
    await page.getByRole("button", { name: "Remove", exact: true }).click();
    await page.getByText("5,002 items were removed").waitFor();
    await page.keyboard.press("Control+z");
    await page.locator(".library-storage", { hasText: "5,002 items" }).waitFor();
    expect(page.pageErrors).toEqual([]);
    await page.context().close();
  });
});

/** Writes items directly to the database, since the app creates only one at a time. */
function manyItems(count: number): void {
  const { sqlite, close } = openDatabase(join(whole.dataDir, "hearsay.sqlite"));
  sqlite.exec(`
    BEGIN;
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
    INSERT INTO items (id, kind, title, source, created_at_ms, changed_at_ms, duration_sec, size_bytes, state, progress, is_partial, language, channels, tags, has_media)
    SELECT printf('%016x', i), iif(i % 5, 'transcript', 'narration'), printf('Meeting %d of the harbour board', i), 'file', i * 60000, i * 60000, i % 4000, i * 1000, 'done', 1, 0, 'en', iif(i % 7, '["local"]', '["cloud"]'), iif(i % 3, '[]', '["board"]'), 1 FROM n;
    INSERT INTO item_words (rowid, title, script) SELECT place, title, '' FROM items WHERE title LIKE 'Meeting %';
    COMMIT;`);
  close();
}
