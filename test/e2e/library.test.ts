// The library page: words are found again at their moment, items are named, tagged, removed and brought back, and a
// name is put right in all transcripts at once.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { unzipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Item } from '../../main/contract/studio.ts';
import { chromiumPath } from '../support/browser.ts';
import { settled } from '../support/pages.ts';
import { openFolder, soundFile, spokenSamples } from '../support/test-data.ts';
import { openWholeApp, type WatchedPage, type WholeApp } from '../support/whole-app.ts';

const none = chromiumPath === undefined;
let whole: WholeApp;
let ids: string[];

async function upload(name: string, text: string): Promise<string> {
  const folder = await openFolder();
  try {
    const path = await soundFile(join(folder.path, name), await spokenSamples(text));
    const { id } = (await (await whole.send(`/app/uploads?name=${encodeURIComponent(name)}`, { method: 'POST', body: await readFile(path) })).json()) as Item;
    return id;
  } finally {
    await folder.remove();
  }
}

beforeAll(async () => {
  if (none) return;
  whole = await openWholeApp();
  ids = [await upload('Kitchen.wav', 'The kettle would not stop whistling. We wrote down every word by hand.'), await upload('Garden.wav', 'Every word of the gardener was about roses.')];
  for (const id of ids) await whole.ended(id);
}, 180_000);
afterAll(() => whole?.close());

async function opened(): Promise<WatchedPage> {
  const page = await whole.open({ path: '/library' });
  await page.getByRole('link', { name: 'Kitchen' }).waitFor();
  return page;
}

const text = async (id: string | undefined) => (await whole.call('readDocument', {}, id)).segments.map((segment) => segment.text).join(' ');

describe.skipIf(none)('the library page (needs Chromium)', () => {
  it('finds what was said and opens it at its moment, by keyboard alone', async () => {
    const page = await opened();
    await page.keyboard.press('/');
    await page.keyboard.type('whistl');
    await page.locator('mark', { hasText: /whistling/i }).waitFor();
    expect(await page.locator('.library-hit').count()).toBe(1);
    await page.keyboard.press('Enter');
    await page.waitForURL(new RegExp(`#/transcribe/${ids[0]}\\?at=`));
    await page.getByText(/kettle would not stop/i).first().waitFor();
    expect(page.complaints).toEqual([]);
    await page.context().close();
  });

  it('says where the audio went, renames, tags and filters, and each can be taken back', async () => {
    const page = await opened();
    expect(await page.getByText('Stayed here').count()).toBe(2);
    await page.getByRole('link', { name: 'Garden' }).focus();
    await page.keyboard.press('F2');
    await page.keyboard.type('Rose garden');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'Rose garden' }).waitFor();
    await page.getByRole('button', { name: 'Actions for Rose garden' }).click();
    await page.getByRole('menuitem', { name: 'Tags' }).click();
    await page.keyboard.type('flowers, #summer');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Only with the tag flowers' }).click();
    await expect.poll(() => page.getByRole('link', { name: 'Kitchen' }).count()).toBe(0);
    expect(await whole.call('readItem', {}, ids[1])).toMatchObject({ title: 'Rose garden', tags: ['flowers', 'summer'] });
    await page.keyboard.press('Control+z');
    await page.keyboard.press('Control+z');
    await expect.poll(() => whole.call('readItem', {}, ids[1])).toMatchObject({ title: 'Garden', tags: [] });
    expect(page.complaints).toEqual([]);
    await page.context().close();
  });

  it('removes with a way back, also later', async () => {
    const page = await opened();
    await page.getByRole('link', { name: 'Garden' }).focus();
    await page.keyboard.press('Delete');
    await page.getByText('“Garden” was removed').waitFor();
    expect(await page.getByRole('link', { name: 'Garden' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Undo', exact: true }).click();
    await page.getByRole('link', { name: 'Garden' }).focus();
    await page.keyboard.press('Delete');
    await page.getByText('“Garden” was removed').waitFor();
    await page.getByRole('radio', { name: 'Removed' }).click();
    await page.getByRole('button', { name: 'Bring back Garden' }).click();
    await page.getByText('Nothing was removed').waitFor();
    await page.getByRole('radio', { name: 'All', exact: true }).click();
    await page.getByRole('link', { name: 'Garden' }).waitFor();
    await page.context().close();
  });

  it('replaces in the transcripts chosen, after a look, and takes it back', async () => {
    const page = await opened();
    await page.keyboard.press('h');
    await page.getByLabel('Find in all transcripts').fill('every word');
    await page.getByLabel('Replace by').fill('each sentence');
    await page.getByRole('button', { name: 'Preview' }).click();
    await page.getByRole('list', { name: 'What would change' }).waitFor();
    expect(await page.locator('ins').allTextContents()).toEqual(['each sentence', 'each sentence']);
    expect(await text(ids[0])).toMatch(/every word/i);
    await page.getByRole('checkbox', { name: 'Garden' }).uncheck();
    await page.getByRole('button', { name: 'Replace in 1 place' }).click();
    await page.getByText('Replaced in 1 place').waitFor();
    expect(await text(ids[0])).toContain('each sentence');
    expect(await text(ids[1])).toMatch(/every word/i);
    await page.getByRole('region', { name: 'Find and replace' }).getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => text(ids[0])).toMatch(/every word/i);
    expect(page.complaints).toEqual([]);
    await page.context().close();
  });

  it('gives everything out in one archive', async () => {
    const page = await opened();
    await settled(page);
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: 'Export all' }).click()]);
    expect(download.suggestedFilename()).toBe('Hearsay library.zip');
    const names = Object.keys(unzipSync(await readFile(await download.path())));
    expect(names.some((name) => name.includes('Kitchen')) && names.some((name) => name.includes('Garden'))).toBe(true);
    await page.context().close();
  });
});
