// Every page with real content, and every panel in it: axe-core finds no violations in both themes, the page logs no
// errors, and everything fits windows down to 400 px and at 200 % zoom.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { AxeResults } from "axe-core";
import type { Page } from "playwright";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chromiumPath } from "../../support/browser.ts";
import { type SampleContent, fillApp } from "../../support/filled-app.ts";
import { layoutFaults } from "../../support/layout-faults.ts";
import { modelScenes } from "../../support/models-app.ts";
import {
  openedScenes,
  pageScenes,
  type Scene,
  showTheme,
  openScene,
  themes,
  waitForTransitions,
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

let loads = 0;

/** One page for all scenes, reloaded for each without stored state: a new browser window would take a second longer. */
async function loaded(scene: Scene): Promise<WatchedPage> {
  const page = (opening ??= whole.open({ initScript: axe }));
  return openScene(scene, content, async (path) => {
    const shared = await page;
    const url = new URL(whole.pageUrl);
    // Another address, so that it is loaded, but of the same origin, whose process and compiled scripts are kept.
    loads += 1;
    url.search = String(loads);
    url.hash = path;
    await shared.evaluate(() => {
      localStorage.clear();
      sessionStorage.clear();
    });
    await shared.emulateMedia({ colorScheme: "light" });
    await shared.setViewportSize({ width: 1440, height: 900 });
    shared.pageErrors.length = 0;
    await shared.goto(url.href);
    await shared.waitForSelector(".app");
    return shared;
  });
}

/** Violations found by axe-core. Themes differ only in colours, so only the contrast rules run in the second theme. */
async function violations(page: Page, theme: (typeof themes)[number]): Promise<string[]> {
  await showTheme(page, theme);
  const rules = theme === "light" ? {} : { runOnly: ["color-contrast", "link-in-text-block"] };
  const found = await page.evaluate(
    async (options) => {
      const { axe: inPage } = globalThis as unknown as {
        axe: { run(options: object): Promise<AxeResults> };
      };
      return (await inPage.run(options)).violations;
    },
    // What passes is not described: that would take longer than the rules.
    { ...rules, resultTypes: ["violations"] },
  );
  return found.map(
    ({ id, help, nodes }) =>
      `${theme}: ${id}: ${help} (${nodes.map(({ html }) => html.slice(0, 160)).join(" | ")})`,
  );
}

/** Violations in both themes, and errors that the page logged. */
async function findings(page: WatchedPage): Promise<string[]> {
  const found: string[] = [];
  for (const theme of themes) found.push(...(await violations(page, theme)));
  return [...found, ...page.pageErrors];
}

/** As 1440 by 900 pixels are at 200 % zoom. */
const zoomedSize = { width: 720, height: 450 };
const narrowestSize = { width: 400, height: 800 };
const smallerSizes = [
  { width: 900, height: 700 },
  zoomedSize,
  { width: 480, height: 800 },
  narrowestSize,
];

/** What does not fit, as the page was opened and in other sizes. */
async function misfits(
  page: WatchedPage,
  sizes: readonly { width: number; height: number }[],
): Promise<string[]> {
  const found = await layoutFaults(page);
  for (const size of sizes) {
    await page.setViewportSize(size);
    await waitForTransitions(page);
    found.push(...(await layoutFaults(page)).map((fault) => `${size.width} px: ${fault}`));
  }
  return found;
}

describe.skipIf(none)("in both themes and in all sizes (needs Chromium)", () => {
  it.each(pageScenes)("the page $name", async (scene) => {
    const page = await loaded(scene);
    expect(await findings(page)).toEqual([]);
    expect(await misfits(page, smallerSizes)).toEqual([]);
  });

  it.each(openedScenes)("the page $name", async (scene) => {
    const page = await loaded(scene);
    expect(await findings(page)).toEqual([]);
    expect(await misfits(page, [narrowestSize])).toEqual([]);
  });

  it("the API's documentation", async () => {
    const window = await loaded(pageScenes[0] as Scene);
    const page = await window.context().newPage();
    await page.addInitScript(axe);
    await page.goto(new URL("/docs", whole.baseUrl).href);
    for (const theme of themes) expect(await violations(page, theme)).toEqual([]);
    await page.setViewportSize(narrowestSize);
    // Only tables and examples scroll sideways, each in itself.
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(
      narrowestSize.width,
    );
    await page.close();
  });

  it("differ in their background", async () => {
    const page = await loaded(pageScenes[0] as Scene);
    const backgrounds = new Set<string>();
    for (const theme of themes) {
      await showTheme(page, theme);
      backgrounds.add(await page.evaluate(() => getComputedStyle(document.body).backgroundColor));
    }
    expect(backgrounds.size).toBe(2);
  });

  it("leave room for several lines of a transcript at 200 %", async () => {
    const page = await loaded(pageScenes.find(({ name }) => name === "transcript") as Scene);
    await page.setViewportSize(zoomedSize);
    await waitUntilSettled(page);
    const { height, width } = await page.evaluate(
      () => document.querySelector(".segment-list")?.getBoundingClientRect() ?? new DOMRect(),
    );
    expect(height).toBeGreaterThan(120);
    expect(width).toBeGreaterThan(400);
  });
});

describe.skipIf(none)("the Models page in both themes (needs Chromium)", () => {
  it.each(modelScenes)("$name", async ({ path, openApp }) => {
    const app = await openApp();
    try {
      const page = await app.open({ path, initScript: axe });
      await waitUntilSettled(page);
      expect(await findings(page)).toEqual([]);
    } finally {
      await app.close();
    }
  });
});
