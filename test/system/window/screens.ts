// Screenshots of every page and panel with real content, in both themes and two sizes, for review by people: `npm run
// screens` writes test-results/screens/<page>-<theme>-<width>x<height>.png.

import { mkdir, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { chromiumPath } from "../../support/browser.ts";
import { fillApp } from "../../support/filled-app.ts";
import { startHearsay } from "../../support/hearsay-process.ts";
import { openedScenes, pageScenes, openScene, themes } from "../../support/pages.ts";
import { openAppWithWindow } from "../../support/app-with-window.ts";

const screensDir = resolve(import.meta.dirname, "..", "..", "..", "test-results", "screens");
const sizes = [
  { widthPx: 1440, heightPx: 900 },
  { widthPx: 800, heightPx: 600 },
];

const say = (text: string): void => void process.stdout.write(`${text}\n`);

if (chromiumPath === undefined) {
  say("There is no Chromium here: set CHROMIUM_PATH.");
  process.exit(1);
}
const other = await startHearsay();
const whole = await openAppWithWindow();
try {
  const content = await fillApp(whole, { baseUrl: other.baseUrl, key: other.key });
  await whole.call("changePreferences", { hasSeenWelcome: true });
  await rm(screensDir, { recursive: true, force: true });
  await mkdir(screensDir, { recursive: true });
  for (const theme of themes) {
    for (const { widthPx, heightPx } of sizes) {
      for (const scene of [...pageScenes, ...openedScenes]) {
        const page = await openScene(scene, content, (path) =>
          whole.open({ theme, widthPx, heightPx, path }),
        );
        await page.screenshot({
          path: join(screensDir, `${scene.name}-${theme}-${widthPx}x${heightPx}.png`),
        });
        for (const complaint of page.pageErrors)
          say(`${scene.name} ${theme} ${widthPx}x${heightPx}: ${complaint}`);
        await page.context().close();
      }
    }
  }
  say(`Look at them in ${screensDir}.`);
} finally {
  await whole.close();
  await other.close();
}
process.exit();
