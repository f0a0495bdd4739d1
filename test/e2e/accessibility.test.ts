// Every page with real content, in both themes, and what opens in it in one of them: axe-core finds nothing, and the page complains of nothing.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumPath } from '../support/browser.ts';
import { type Content, fillApp } from '../support/filled-app.ts';
import { opened, pages, type Scene, show, themes } from '../support/pages.ts';
import { openWholeApp, type WholeApp } from '../support/whole-app.ts';

const none = chromiumPath === undefined;
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
let whole: WholeApp;
let content: Content;

beforeAll(async () => {
  if (none) return;
  whole = await openWholeApp();
  content = await fillApp(whole);
}, 180_000);
afterAll(() => whole?.close());

/** What axe-core finds and the page complains of. */
async function faults(scene: Scene, theme: (typeof themes)[number]): Promise<string[]> {
  const page = await show(scene, content, (path) => whole.open({ theme, path, initScript: axe }));
  const { violations } = await page.evaluate(() => (globalThis as unknown as { axe: { run(): Promise<AxeResults> } }).axe.run());
  await page.context().close();
  return [...violations.map(({ id, help, nodes }) => `${id}: ${help} (${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')})`), ...page.complaints];
}

describe.skipIf(none).each(themes)('in %s (needs Chromium)', (theme) => {
  it.each(pages)('the page $name', async (scene) => expect(await faults(scene, theme)).toEqual([]));
});

describe.skipIf(none)('opened (needs Chromium)', () => {
  it.each(opened.map((scene, at) => ({ ...scene, theme: themes[at % themes.length] ?? 'light' })))('$name in $theme', async (scene) => expect(await faults(scene, scene.theme)).toEqual([]));
});

// A window of 1280 by 800 where all is twice as large.
describe.skipIf(none)('at 200 % (needs Chromium)', () => {
  it.each(pages)('the page $name needs no scrolling sideways, and its main action is in sight', async (scene) => {
    const page = await show(scene, content, (path) => whole.open({ widthPx: 640, heightPx: 400, path }));
    const { isWide, hidden } = await page.evaluate(() => ({
      isWide: document.documentElement.scrollWidth > innerWidth,
      hidden: [...document.querySelectorAll('.page-header-actions > *')].map((action) => action.getBoundingClientRect()).filter(({ left, right, bottom }) => left < 0 || right > innerWidth || bottom > innerHeight).length,
    }));
    expect({ isWide, hidden }).toEqual({ isWide: false, hidden: 0 });
    await page.context().close();
  });

  it('leaves the text of a transcript the room for some lines', async () => {
    const page = await show(pages.find(({ name }) => name === 'transcript') as Scene, content, (path) => whole.open({ widthPx: 640, heightPx: 400, path }));
    const { height, width } = await page.evaluate(() => document.querySelector('.segment-list')?.getBoundingClientRect() ?? new DOMRect());
    expect(height).toBeGreaterThan(120);
    expect(width).toBeGreaterThan(400);
    await page.context().close();
  });
});
