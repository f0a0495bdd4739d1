// Lists by keyboard: a list is a single tab stop, arrow keys move through rows and controls, and the focus stays on its
// row while the list scrolls or rows are removed.

import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openDatabase } from "../../../main/storage/database.ts";
import { chromiumPath } from "../../support/browser.ts";
import { waitUntilSettled } from "../../support/pages.ts";
import { json, startUpstream, type TestUpstream } from "../../support/upstream.ts";
import {
  openAppWithWindow,
  type WatchedPage,
  type AppWithWindow,
} from "../../support/app-with-window.ts";

const none = chromiumPath === undefined;
let whole: AppWithWindow;

beforeAll(async () => {
  if (none) return;
  whole = await openAppWithWindow();
  const { sqlite, close } = openDatabase(join(whole.dataDir, "hearsay.sqlite"));
  sqlite.exec(`
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)
    INSERT INTO items (id, kind, title, source, created_at_ms, changed_at_ms, duration_sec, size_bytes, state, progress, is_partial, language, channels, tags, has_media)
    SELECT printf('%016x', i), 'transcript', printf('Talk %d', i), 'file', i * 60000, i * 60000, 60, 1000, 'done', 1, 0, 'en', '["local"]', '["board"]', 1 FROM n;
    INSERT INTO item_words (rowid, title, script) SELECT place, title, '' FROM items;`);
  close();
  for (const name of ["One", "Two", "Three"]) {
    await whole.call("addChannel", {
      name,
      prefix: name.toLowerCase(),
      baseUrl: "http://127.0.0.1:9/v1",
    });
    await whole.call("createKey", { name });
  }
}, 180_000);
afterAll(() => whole?.close());

async function opened(path: string): Promise<WatchedPage> {
  const page = await whole.open({ path });
  await waitUntilSettled(page);
  return page;
}

/** Number of tab stops in a list, counting all rows, since rows are created and removed while scrolling. */
const tabStops = (page: WatchedPage, list: string): Promise<number> =>
  page
    .locator(list)
    .evaluate(
      (element) =>
        [...element.querySelectorAll<HTMLElement>("[data-row] :is(a, button, input)")].filter(
          ({ tabIndex }) => tabIndex >= 0,
        ).length,
    );
/** Name of the focused element, or empty if there is none. */
const focused = (page: WatchedPage): Promise<string> =>
  page.evaluate(() => {
    const { activeElement, body } = document;
    if (activeElement === null || activeElement === body) return "";
    return (
      activeElement.getAttribute("aria-label") ??
      activeElement.querySelector("[class$=-title]")?.textContent ??
      activeElement.textContent
    );
  });
const press = async (page: WatchedPage, ...keys: string[]): Promise<void> => {
  for (const key of keys) await page.keyboard.press(key);
};

describe.skipIf(none)("lists (needs Chromium)", () => {
  it("are a single tab stop, however long they are", async () => {
    const library = await opened("/library");
    await library.getByLabel("Sort").focus();
    // Checkbox, title, tag, actions: those of a single row of 500.
    expect(await tabStops(library, ".virtual-list")).toBe(4);
    await press(library, "Tab", "Tab");
    expect(await focused(library)).toBe("Talk 500");
    await press(library, "Tab", "Tab", "Tab");
    expect(
      await library.evaluate(() => document.activeElement?.closest(".virtual-list") ?? null),
    ).toBeNull();
    await library.context().close();

    for (const [path, list, stops] of [
      ["/transcribe", ".queue-rows", 2],
      // The name, the source of the accuracy, and Measure.
      ["/models", ".models-table", 3],
      ["/channels", ".channels", 4],
      ["/server/keys", ".table:has([data-row])", 1],
    ] as const) {
      const page = await opened(path);
      await page.locator(list).waitFor();
      expect({ path, stops: await tabStops(page, list) }).toEqual({ path, stops });
      expect(page.pageErrors).toEqual([]);
      await page.context().close();
    }
  });

  it("are navigated by arrow keys, and the focus survives scrolling away", async () => {
    const page = await opened("/transcribe");
    await page.getByRole("link", { name: "Talk 500" }).focus();
    await press(page, "ArrowDown", "ArrowDown");
    expect(await focused(page)).toBe("Talk 498");
    await press(page, "ArrowRight");
    expect(await focused(page)).toBe("More for Talk 498");
    await press(page, "ArrowLeft", "End");
    await expect.poll(() => focused(page)).toBe("Talk 471");
    await expect
      .poll(() => page.getByRole("link", { name: "Talk 471 1:00", exact: true }).isVisible())
      .toBe(true);
    await page.locator(".queue-rows").evaluate((list) => list.scrollTo({ top: 0 }));
    await page.getByRole("link", { name: "Talk 500" }).waitFor();
    expect(await focused(page)).toBe("Talk 471");
    expect(await page.locator(".queue-row").count()).toBeLessThan(60);
    await press(page, "ArrowUp", "PageUp");
    await expect.poll(() => focused(page)).toBe("Talk 482");
    await press(page, "Home", "Enter");
    await page.waitForURL(new RegExp(`#/transcribe/${(500).toString(16).padStart(16, "0")}`));
    expect(page.pageErrors).toEqual([]);
    await page.context().close();
  });

  it("move the focus to the next row when one is removed", async () => {
    const page = await opened("/library");
    await page.getByRole("link", { name: "Talk 499" }).focus();
    await press(page, "Delete");
    await page.getByRole("link", { name: "Talk 499" }).waitFor({ state: "detached" });
    await expect.poll(() => focused(page)).toBe("Talk 498");
    await press(page, "ArrowUp");
    expect(await focused(page)).toBe("Talk 500");
    await page.context().close();

    const queue = await opened("/transcribe");
    await queue.getByRole("button", { name: "More for Talk 498" }).click();
    await queue.getByRole("menuitem", { name: "Remove" }).click();
    await queue.getByRole("link", { name: "Talk 498" }).waitFor({ state: "detached" });
    await expect.poll(() => focused(queue)).toBe("Talk 497");
    await queue.context().close();
  });

  it("open rows in place, and Tab reaches what was opened", async () => {
    const page = await opened("/channels");
    await page.getByRole("button", { name: /^One/ }).focus();
    await press(page, "ArrowDown");
    expect(await focused(page)).toBe("Two");
    await press(page, "Enter", "Tab", "Tab");
    expect(await focused(page)).toBe("Test");
    await press(page, "Shift+Tab", "Shift+Tab", "ArrowLeft");
    expect(await focused(page)).toBe("Two is on");
    await press(page, "End");
    expect(await focused(page)).toBe("Three");
    // Escape closes what was opened, and the row has the focus again.
    const test = page.getByRole("button", { name: "Test", exact: true });
    await test.focus();
    await press(page, "Escape");
    await test.waitFor({ state: "detached" });
    expect(await focused(page)).toBe("Two");
    expect(page.pageErrors).toEqual([]);
    await page.context().close();
  });

  it("get the focus at once when the focused row disappears by itself, without scrolling", async () => {
    const upstream = await newUpstream("Elsewhere");
    await expect
      .poll(async () => (await whole.call("listModels")).models.map(({ id }) => id))
      .toContain("elsewhere/accurate-model");
    const models = await opened("/models");
    const row = models.getByRole("button", { name: "accurate-model", exact: true });
    for (const leave of [
      () => press(models, "Escape"),
      () => models.locator(".model-price").getByRole("button", { name: "Cancel" }).press("Enter"),
    ]) {
      if ((await row.getAttribute("aria-expanded")) === "false") await row.click();
      await models.getByRole("button", { name: "Set price" }).press("Enter");
      await models.waitForSelector(".model-price input:focus");
      await leave();
      await models.locator(".model-price").waitFor({ state: "detached" });
      expect(await focused(models)).toBe("accurate-model");
    }
    expect(models.pageErrors).toEqual([]);
    await models.context().close();

    const answer = Promise.withResolvers<void>();
    upstream.setBehaviour(async ({ response }) => {
      await answer.promise;
      response.writeHead(500).end();
    }, "/models");
    const page = await whole.open({ path: "/channels", heightPx: 360 });
    await waitUntilSettled(page);
    await page.getByRole("button", { name: /^Elsewhere/ }).press("Enter");
    await page.getByRole("button", { name: "Test", exact: true }).press("Enter");
    await page.locator(".channel-testing").getByRole("button", { name: "Cancel" }).focus();
    const isInSight = (): Promise<boolean> =>
      page
        .getByRole("button", { name: /^Elsewhere/ })
        .evaluate(
          (name) =>
            name.getBoundingClientRect().bottom >
            (name.closest(".page-body")?.getBoundingClientRect().top ?? 0),
        );
    await page.locator(".page-body").evaluate((body) => body.scrollTo({ top: body.scrollHeight }));
    expect(await isInSight()).toBe(false);
    answer.resolve();
    await page.getByRole("region", { name: "Test result" }).waitFor();
    expect(await focused(page)).toBe("Elsewhere");
    expect(await isInSight()).toBe(false);
    expect(page.pageErrors).toEqual([]);
    await page.context().close();
  });

  it("do not take the focus from elsewhere when they change", async () => {
    const page = await opened("/channels");
    await page.getByRole("button", { name: /^One/ }).focus();
    await page.getByRole("heading", { level: 1 }).click();
    const { channels } = await whole.call("listChannels");
    await whole.call("removeChannel", {}, channels.find(({ name }) => name === "One")?.id);
    await page.getByRole("button", { name: /^One/ }).waitFor({ state: "detached" });
    expect(await focused(page)).toBe("");
    await page.context().close();
  });

  it("get the focus back after a confirmation of a removal", async () => {
    const page = await opened("/channels");
    const ask = async (name: string, verb: string): Promise<void> => {
      await page.getByRole("button", { name: `Actions for ${name}` }).focus();
      await press(page, "Enter");
      await page.getByRole("menuitem", { name: "Remove channel" }).press("Enter");
      await page
        .getByRole("dialog")
        .getByRole("button", { name: verb, exact: true })
        .press("Enter");
      await page.getByRole("dialog").waitFor({ state: "hidden" });
    };
    await ask("Three", "Cancel");
    await expect.poll(() => focused(page)).toBe("Three");
    await ask("Two", "Remove channel");
    await expect.poll(() => focused(page)).toBe("Three");
    await page.context().close();

    const keys = await opened("/server/keys");
    const revoke = async (name: string): Promise<void> => {
      await keys.getByRole("button", { name: `Revoke key ${name}` }).press("Enter");
      await keys
        .getByRole("dialog")
        .getByRole("button", { name: "Revoke key", exact: true })
        .press("Enter");
      await keys.getByRole("button", { name: `Revoke key ${name}` }).waitFor({ state: "detached" });
    };
    for (const [name, next] of [
      ["Two", "Revoke key Three"],
      ["Three", "Revoke key One"],
      ["One", "New key"],
    ] as const) {
      await revoke(name);
      await expect.poll(() => focused(keys)).toBe(next);
    }
    expect(keys.pageErrors).toEqual([]);
    await keys.context().close();
  });
});

/** A provider with one model, and a channel for it with this name. */
async function newUpstream(name: string): Promise<TestUpstream> {
  const upstream = await startUpstream();
  upstream.setBehaviour(
    json({
      object: "list",
      data: [{ id: "accurate-model", object: "model", created: 0, owned_by: "somebody" }],
    }),
    "/models",
  );
  await whole.call("addChannel", {
    name,
    prefix: name.toLowerCase(),
    baseUrl: upstream.baseUrl,
    paid: true,
  });
  return upstream;
}
