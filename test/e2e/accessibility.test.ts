// Every page with real content, in both themes: axe-core finds nothing, and the page complains of nothing.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumPath } from '../support/browser.ts';
import { type Content, fillApp } from '../support/filled-app.ts';
import { pagesOf, settled, themes } from '../support/pages.ts';
import { openWholeApp, type WholeApp } from '../support/whole-app.ts';

const none = chromiumPath === undefined;
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const names = Object.keys(pagesOf({ transcript: { id: '' }, narration: { id: '' } } as Content));
let whole: WholeApp;
let content: Content;

beforeAll(async () => {
  if (none) return;
  whole = await openWholeApp();
  content = await fillApp(whole);
}, 180_000);
afterAll(() => whole?.close());

describe.skipIf(none).each(themes)('in %s (needs Chromium)', (theme) => {
  it.each(names)('the page %s', async (name) => {
    const page = await whole.open({ theme, path: pagesOf(content)[name] ?? '', initScript: axe });
    await settled(page);
    const { violations } = await page.evaluate(() => (globalThis as unknown as { axe: { run(): Promise<AxeResults> } }).axe.run());
    expect(violations.map(({ id, help, nodes }) => `${id}: ${help} (${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')})`)).toEqual([]);
    expect(page.complaints).toEqual([]);
    await page.context().close();
  });
});

// A window of 1280 by 800 where all is twice as large.
describe.skipIf(none)('at 200 % (needs Chromium)', () => {
  it.each(names)('the page %s needs no scrolling sideways, and its main action is in sight', async (name) => {
    const page = await whole.open({ widthPx: 640, heightPx: 400, path: pagesOf(content)[name] ?? '' });
    await settled(page);
    const { isWide, hidden } = await page.evaluate(() => ({
      isWide: document.documentElement.scrollWidth > innerWidth,
      hidden: [...document.querySelectorAll('.page-header-actions > *')].map((action) => action.getBoundingClientRect()).filter(({ left, right, bottom }) => left < 0 || right > innerWidth || bottom > innerHeight).length,
    }));
    expect({ isWide, hidden }).toEqual({ isWide: false, hidden: 0 });
    await page.context().close();
  });

  it('leaves the text of a transcript the room for some lines', async () => {
    const page = await whole.open({ widthPx: 640, heightPx: 400, path: `/transcribe/${content.transcript.id}` });
    await settled(page);
    const { height, width } = await page.evaluate(() => document.querySelector('.segment-list')?.getBoundingClientRect() ?? new DOMRect());
    expect(height).toBeGreaterThan(120);
    expect(width).toBeGreaterThan(400);
    await page.context().close();
  });
});
