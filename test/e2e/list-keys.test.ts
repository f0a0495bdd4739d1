// Lists by keyboard: each is one stop of the Tab key, arrow keys go through its rows and through what is in one, and
// the focus stays where it was put, wherever the list is scrolled to and whatever is removed.

import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase } from '../../main/library/database.ts';
import { chromiumPath } from '../support/browser.ts';
import { settled } from '../support/pages.ts';
import { openWholeApp, type WatchedPage, type WholeApp } from '../support/whole-app.ts';

const none = chromiumPath === undefined;
let whole: WholeApp;

beforeAll(async () => {
  if (none) return;
  whole = await openWholeApp();
  const { sqlite, close } = openDatabase(join(whole.dataDir, 'hearsay.sqlite'));
  sqlite.exec(`
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)
    INSERT INTO items (id, kind, title, source, created_at_ms, changed_at_ms, duration_sec, size_bytes, state, progress, is_partial, language, channels, tags, has_media)
    SELECT printf('%016x', i), 'transcript', printf('Talk %d', i), 'file', i * 60000, i * 60000, 60, 1000, 'done', 1, 0, 'en', '["local"]', '["board"]', 1 FROM n;
    INSERT INTO item_words (rowid, title, script) SELECT place, title, '' FROM items;`);
  close();
  for (const name of ['One', 'Two', 'Three']) {
    await whole.call('addChannel', { name, prefix: name.toLowerCase(), baseUrl: 'http://127.0.0.1:9/v1' });
    await whole.call('createKey', { name });
  }
}, 180_000);
afterAll(() => whole?.close());

async function opened(path: string): Promise<WatchedPage> {
  const page = await whole.open({ path });
  await settled(page);
  return page;
}

/** What Tab stops at in a list: rows that come and go with scrolling are all counted. */
const tabStops = (page: WatchedPage, list: string): Promise<number> => page.locator(list).evaluate((element) => [...element.querySelectorAll<HTMLElement>('[data-row] :is(a, button, input)')].filter(({ tabIndex }) => tabIndex >= 0).length);
/** Name of what has the focus. */
const focused = (page: WatchedPage): Promise<string> => page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.querySelector('[class$=-title]')?.textContent ?? document.activeElement?.textContent ?? '');
const press = async (page: WatchedPage, ...keys: string[]): Promise<void> => {
  for (const key of keys) await page.keyboard.press(key);
};

describe.skipIf(none)('lists (needs Chromium)', () => {
  it('are one stop of the Tab key each, however long', async () => {
    const library = await opened('/library');
    await library.getByLabel('Order').focus();
    // Tick, title, tag, actions: of one row of 500.
    expect(await tabStops(library, '.virtual-list')).toBe(4);
    await press(library, 'Tab', 'Tab');
    expect(await focused(library)).toBe('Talk 500');
    await press(library, 'Tab', 'Tab', 'Tab');
    expect(await library.evaluate(() => document.activeElement?.closest('.virtual-list') ?? null)).toBeNull();
    await library.context().close();

    for (const [path, list, stops] of [['/transcribe', '.queue-rows', 2], ['/models', '.models-table', 1], ['/channels', '.channels', 4], ['/server/keys', '.table:has([data-row])', 1]] as const) {
      const page = await opened(path);
      await page.locator(list).waitFor();
      expect({ path, stops: await tabStops(page, list) }).toEqual({ path, stops });
      expect(page.complaints).toEqual([]);
      await page.context().close();
    }
  });

  it('are gone through by arrow keys, and the focus stays while the list is scrolled away', async () => {
    const page = await opened('/transcribe');
    await page.getByRole('link', { name: 'Talk 500' }).focus();
    await press(page, 'ArrowDown', 'ArrowDown');
    expect(await focused(page)).toBe('Talk 498');
    await press(page, 'ArrowRight');
    expect(await focused(page)).toBe('More for Talk 498');
    await press(page, 'ArrowLeft', 'End');
    await expect.poll(() => focused(page)).toBe('Talk 1');
    await expect.poll(() => page.getByRole('link', { name: 'Talk 1 1:00', exact: true }).isVisible()).toBe(true);
    await page.locator('.queue-rows').evaluate((list) => list.scrollTo({ top: 0 }));
    await page.getByRole('link', { name: 'Talk 500' }).waitFor();
    expect(await focused(page)).toBe('Talk 1');
    expect(await page.locator('.queue-row').count()).toBeLessThan(60);
    await press(page, 'ArrowUp', 'PageUp');
    await expect.poll(() => focused(page)).toBe('Talk 12');
    await press(page, 'Home', 'Enter');
    await page.waitForURL(new RegExp(`#/transcribe/${(500).toString(16).padStart(16, '0')}`));
    expect(page.complaints).toEqual([]);
    await page.context().close();
  });

  it('give the focus to the next row when one is removed', async () => {
    const page = await opened('/library');
    await page.getByRole('link', { name: 'Talk 499' }).focus();
    await press(page, 'Delete');
    await page.getByRole('link', { name: 'Talk 499' }).waitFor({ state: 'detached' });
    await expect.poll(() => focused(page)).toBe('Talk 498');
    await press(page, 'ArrowUp');
    expect(await focused(page)).toBe('Talk 500');
    await page.context().close();

    const queue = await opened('/transcribe');
    await queue.getByRole('button', { name: 'More for Talk 498' }).click();
    await queue.getByRole('menuitem', { name: 'Remove' }).click();
    await queue.getByRole('link', { name: 'Talk 498' }).waitFor({ state: 'detached' });
    await expect.poll(() => focused(queue)).toBe('Talk 497');
    await queue.context().close();
  });

  it('are opened where they are, and what was opened is reached by Tab', async () => {
    const page = await opened('/channels');
    await page.getByRole('button', { name: /^One/ }).focus();
    await press(page, 'ArrowDown');
    expect(await focused(page)).toBe('Two');
    await press(page, 'Enter', 'Tab', 'Tab');
    expect(await focused(page)).toBe('Test');
    await press(page, 'Shift+Tab', 'Shift+Tab', 'ArrowLeft');
    expect(await focused(page)).toBe('Two is on');
    await press(page, 'End');
    expect(await focused(page)).toBe('Three');
    // Escape backs out of what was opened, and the focus is on its row again.
    const test = page.getByRole('button', { name: 'Test', exact: true });
    await test.focus();
    await press(page, 'Escape');
    await test.waitFor({ state: 'detached' });
    expect(await focused(page)).toBe('Two');
    expect(page.complaints).toEqual([]);
    await page.context().close();
  });
});
