// The Narrate page in a real browser with real engines: a long text made and played while it is being made, one
// sentence made again, the book taken out with its chapters; nothing typed is lost.

import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Demuxer } from 'node-av/api';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumPath } from '../support/browser.ts';
import { until } from '../support/command-line.ts';
import { dropFiles } from '../support/drop-files.ts';
import { tenSentences } from '../support/english-texts.ts';
import { openFolder } from '../support/test-data.ts';
import { openWholeApp, type WholeApp } from '../support/whole-app.ts';

const none = chromiumPath === undefined;
/** About six thousand characters in two chapters. */
const longText = ['# The crossing', ...Array.from({ length: 3 }, () => tenSentences), '# The way home', ...Array.from({ length: 3 }, () => tenSentences)].join('\n\n');
let whole: WholeApp;
let folder: Awaited<ReturnType<typeof openFolder>>;

beforeAll(async () => {
  if (none) return;
  folder = await openFolder();
  whole = await openWholeApp();
  await whole.call('changePreferences', { ...(await whole.call('readPreferences')), hasSeenWelcome: true });
}, 180_000);
afterAll(async () => {
  await whole?.close();
  if (folder !== undefined) await rm(folder.path, { recursive: true, force: true });
});

const idOf = (page: Page): string => new URL(page.url()).hash.split('/').at(-1) ?? '';
const positionOf = async (page: Page): Promise<string> => (await page.locator('.player-end > span').first().textContent())?.split(' / ')[0] ?? '';
/** Notes what the page says is made (`1 of 62`) as the first sound is put on the audio clock. */
const noteFirstSound = `
  const start = AudioBufferSourceNode.prototype.start;
  AudioBufferSourceNode.prototype.start = function (...given) {
    globalThis.madeAtFirstSound ??= [...document.querySelectorAll('.narrate-figures dd')].map(({ textContent }) => textContent).find((text) => / of /.test(text));
    return start.apply(this, given);
  };`;
const isSpoken = (page: Page): Promise<boolean> => page.evaluate(() => CSS.highlights.has('narrate-spoken'));

describe.skipIf(none)('the Narrate page (needs Chromium)', () => {
  it('makes and plays a long text at once, makes one sentence again, and takes it out as a book with chapters', { timeout: 600_000 }, async () => {
    const file = join(folder.path, 'The ferry.txt');
    await writeFile(file, longText);
    const page = await whole.open({ path: '/narrate', initScript: noteFirstSound });
    await page.getByRole('heading', { name: 'Write, paste or drop a text' }).waitFor();
    await dropFiles(page, [file]);
    await page.waitForSelector('.script-field');
    expect(await page.locator('.script-field').inputValue()).toBe(longText);

    // It sounds while the rest is still being made.
    await page.getByRole('button', { name: 'Listen' }).click();
    await until(async () => (await positionOf(page)) >= '0:02');
    expect(await isSpoken(page)).toBe(true);
    const [made = NaN, all = NaN] = (await page.evaluate(() => (globalThis as { madeAtFirstSound?: string }).madeAtFirstSound ?? '')).split(' of ').map(Number);
    expect(all).toBeGreaterThan(50);
    expect(made).toBeLessThan(all / 2);
    await page.keyboard.press('Space');
    await until(async () => (await whole.call('readItem', {}, idOf(page))).state === 'done');

    await page.locator('.script-field').focus();
    await page.keyboard.press('Control+Home');
    await page.getByRole('button', { name: 'This sentence' }).click();
    await page.getByRole('button', { name: 'Re-make sentence' }).click();
    await page.getByRole('radio', { name: /^Take 2/ }).waitFor({ timeout: 60_000 });
    expect(await page.getByRole('radio', { name: /^Take 2/ }).isChecked()).toBe(true);
    await page.getByRole('radio', { name: /^Take 1/ }).click();
    await until(async () => {
      const { takes, chosenTake } = (await whole.call('readNarration', {}, idOf(page))).sentences[0] ?? { takes: [] };
      return takes.length === 2 && chosenTake === takes[0]?.id;
    });
    await page.keyboard.press('Escape');

    await whole.ended(idOf(page));
    await page.getByRole('button', { name: 'Export' }).click();
    await page.getByLabel('Author').fill('Nobody');
    const downloaded = page.waitForEvent('download', { timeout: 120_000 });
    await page.getByRole('button', { name: 'Save file' }).click();
    const download = await downloaded;
    expect(download.suggestedFilename()).toBe('The ferry.m4b');
    const bytes = await readFile(await download.path());
    using book = await Demuxer.open(bytes);
    expect(book.duration).toBeCloseTo((await whole.call('readItem', {}, idOf(page))).durationSec, -1);
    // Nero's list of chapters, by its titles.
    const list = bytes.subarray(bytes.indexOf('chpl')).toString('utf8', 0, 200);
    expect(list).toContain('The crossing');
    expect(list).toContain('The way home');
    expect(page.complaints).toEqual([]);
    await page.context().close();
  });

  it('loses nothing that was typed, and marks what a pronunciation made stale', { timeout: 180_000 }, async () => {
    const page = await whole.open({ path: '/narrate' });
    await page.getByRole('button', { name: 'New narration' }).waitFor();
    await page.keyboard.press('n');
    await page.waitForSelector('.script-field:focus');
    await page.keyboard.type('We went to Leicester. It rained.');
    await page.reload();
    await page.waitForSelector('.script-field');
    expect(await page.locator('.script-field').inputValue()).toBe('We went to Leicester. It rained.');

    await page.getByRole('button', { name: 'Make', exact: true }).click();
    await until(async () => (await whole.call('readItem', {}, idOf(page))).state === 'done');
    await page.getByRole('radio', { name: 'Words' }).click();
    await page.getByRole('button', { name: 'Add a word' }).click();
    await page.keyboard.type('Leicester');
    await page.keyboard.press('Tab');
    await page.keyboard.type('Lester');
    await page.getByText('One sentence changed since made.').waitFor({ timeout: 20_000 });
    const { sentences } = await whole.call('readNarration', {}, idOf(page));
    expect(sentences.map(({ text, takes }) => [text, takes.length])).toEqual([['We went to Lester.', 0], ['It rained.', 1]]);
    expect(page.complaints).toEqual([]);
    await page.context().close();
  });
});
