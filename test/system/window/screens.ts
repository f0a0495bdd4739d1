// Screenshots of every page and panel with real content, in both themes and three sizes, for review by people: `npm run
// screens` writes test-results/screens/<page>-<theme>-<width>x<height>.png; `npm run screens -- library keys` only
// those.

import { mkdir, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import {
  openAppWithWindow,
  type PageOptions,
  type WatchedPage,
} from "../../support/app-with-window.ts";
import { chromiumPath } from "../../support/browser.ts";
import { fillApp } from "../../support/filled-app.ts";
import { startHearsay } from "../../support/hearsay-process.ts";
import { type ModelScene, modelScenes } from "../../support/models-app.ts";
import {
  openedScenes,
  openScene,
  pageScenes,
  type Scene,
  themes,
  waitUntilSettled,
} from "../../support/pages.ts";

const screensDir = resolve(import.meta.dirname, "..", "..", "..", "test-results", "screens");
const sizes = [
  { widthPx: 1440, heightPx: 900 },
  { widthPx: 900, heightPx: 700 },
  { widthPx: 480, heightPx: 800 },
];
const names = process.argv.slice(2);
const wanted = <One extends { name: string }>(scenes: readonly One[]): readonly One[] =>
  scenes.filter(({ name }) => names.length === 0 || names.includes(name));

const print = (text: string): void => void process.stdout.write(`${text}\n`);

async function takePictures(
  sceneName: string,
  open: (options: PageOptions) => Promise<WatchedPage>,
): Promise<void> {
  for (const theme of themes) {
    for (const { widthPx, heightPx } of sizes) {
      const page = await open({ theme, widthPx, heightPx });
      const name = `${sceneName}-${theme}-${widthPx}x${heightPx}`;
      await page.screenshot({ path: join(screensDir, `${name}.png`) });
      for (const complaint of page.pageErrors) print(`${name}: ${complaint}`);
      await page.context().close();
    }
  }
}

async function takeFilledPictures(scenes: readonly Scene[]): Promise<void> {
  if (scenes.length === 0) return;
  const other = await startHearsay();
  const whole = await openAppWithWindow();
  try {
    const content = await fillApp(whole, { baseUrl: other.baseUrl, key: other.key });
    await whole.call("changePreferences", { hasSeenWelcome: true });
    for (const scene of scenes)
      await takePictures(scene.name, (options) =>
        openScene(scene, content, (path) => whole.open({ ...options, path })),
      );
  } finally {
    await whole.close();
    await other.close();
  }
}

async function takeModelPictures({ name, path, openApp }: ModelScene): Promise<void> {
  const app = await openApp();
  try {
    await takePictures(name, async (options) => {
      const page = await app.open({ ...options, path });
      await waitUntilSettled(page);
      return page;
    });
  } finally {
    await app.close();
  }
}

if (chromiumPath === undefined) {
  print("There is no Chromium here: set CHROMIUM_PATH.");
  process.exit(1);
}
await rm(screensDir, { recursive: true, force: true });
await mkdir(screensDir, { recursive: true });
await takeFilledPictures(wanted([...pageScenes, ...openedScenes]));
for (const scene of wanted(modelScenes)) await takeModelPictures(scene);
print(`Look at them in ${screensDir}.`);
process.exit();
