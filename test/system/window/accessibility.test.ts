// Every page with real content, and every panel in it, in both themes: axe-core finds no violations, and the page logs
// no errors.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { AxeResults } from "axe-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chromiumPath } from "../../support/browser.ts";
import { type SampleContent, fillApp } from "../../support/filled-app.ts";
import { modelScenes } from "../../support/models-app.ts";
import {
  openedScenes,
  pageScenes,
  type Scene,
  showTheme,
  openScene,
  themes,
  waitUntilSettled,
} from "../../support/pages.ts";
import {
  openAppWithWindow,
  type WatchedPage,
  type AppWithWindow,
} from "../../support/app-with-window.ts";

const none = chromiumPath === undefined;
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
let whole: AppWithWindow;
let content: SampleContent;
let opening: Promise<WatchedPage> | undefined;

beforeAll(async () => {
  if (none) return;
  whole = await openAppWithWindow();
  content = await fillApp(whole);
}, 180_000);
afterAll(() => whole?.close());

/** One page for all scenes, reloaded for each without stored state: a new browser window would take a second longer. */
async function loaded(scene: Scene, { widthPx = 1440, heightPx = 900 } = {}): Promise<WatchedPage> {
  const page = (opening ??= whole.open({ initScript: axe }));
  return openScene(scene, content, async (path) => {
    const shared = await page;
    const url = new URL(shared.url());
    url.hash = path;
    await shared.evaluate(() => {
      localStorage.clear();
      sessionStorage.clear();
    });
    await shared.goto("about:blank");
    await shared.emulateMedia({ colorScheme: "light" });
    await shared.setViewportSize({ width: widthPx, height: heightPx });
    shared.pageErrors.length = 0;
    await shared.goto(url.href);
    await shared.waitForSelector(".app");
    return shared;
  });
}

/** Violations found by axe-core. Themes differ only in colours, so only the contrast rules run in the second theme. */
async function violations(page: WatchedPage, theme: (typeof themes)[number]): Promise<string[]> {
  await showTheme(page, theme);
  const rules = theme === "light" ? {} : { runOnly: ["color-contrast", "link-in-text-block"] };
  const { violations: found } = await page.evaluate(
    (options) =>
      (globalThis as unknown as { axe: { run(options: object): Promise<AxeResults> } }).axe.run(
        options,
      ),
    rules,
  );
  return found.map(
    ({ id, help, nodes }) =>
      `${theme}: ${id}: ${help} (${nodes.map(({ html }) => html.slice(0, 160)).join(" | ")})`,
  );
}

describe.skipIf(none)("in both themes (needs Chromium)", () => {
  it.each([...pageScenes, ...openedScenes])("the page $name", async (scene) => {
    const page = await loaded(scene);
    const backgrounds: string[] = [];
    const found: string[] = [];
    for (const theme of themes) {
      found.push(...(await violations(page, theme)));
      backgrounds.push(await page.evaluate(() => getComputedStyle(document.body).backgroundColor));
    }
    expect([...found, ...page.pageErrors]).toEqual([]);
    expect(new Set(backgrounds).size).toBe(2);
  });
});

describe.skipIf(none)("the Models page in both themes (needs Chromium)", () => {
  it.each(modelScenes)("$name", async ({ path, openApp }) => {
    const app = await openApp();
    try {
      const page = await app.open({ path, initScript: axe });
      await waitUntilSettled(page);
      const found: string[] = [];
      for (const theme of themes) found.push(...(await violations(page, theme)));
      expect([...found, ...page.pageErrors]).toEqual([]);
    } finally {
      await app.close();
    }
  });
});

// 1280 by 800 pixels at 200 % zoom.
describe.skipIf(none)("at 200 % (needs Chromium)", () => {
  it.each(pageScenes)(
    "the page $name needs no horizontal scrolling, and its main action is visible",
    async (scene) => {
      const page = await loaded(scene, { widthPx: 640, heightPx: 400 });
      const { isWide, hidden } = await page.evaluate(() => ({
        isWide: document.documentElement.scrollWidth > innerWidth,
        hidden: [...document.querySelectorAll(".page-header-actions > *")]
          .map((action) => action.getBoundingClientRect())
          .filter(
            ({ left, right, bottom }) => left < 0 || right > innerWidth || bottom > innerHeight,
          ).length,
      }));
      expect({ isWide, hidden }).toEqual({ isWide: false, hidden: 0 });
    },
  );

  it("leaves room for several lines of a transcript", async () => {
    const page = await loaded(pageScenes.find(({ name }) => name === "transcript") as Scene, {
      widthPx: 640,
      heightPx: 400,
    });
    const { height, width } = await page.evaluate(
      () => document.querySelector(".segment-list")?.getBoundingClientRect() ?? new DOMRect(),
    );
    expect(height).toBeGreaterThan(120);
    expect(width).toBeGreaterThan(400);
  });
});
