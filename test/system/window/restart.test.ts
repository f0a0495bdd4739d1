// A page stays open while the app restarts: text typed meanwhile is saved once the app is back and the browser has a
// new session.

import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { type App, createApp } from "../../../main/app.ts";
import { ensureBuiltPage } from "../../../build/built-page.ts";
import { createNodePlatform } from "../../../main/cli/platform.ts";
import { readSettings } from "../../../main/storage/settings/settings.ts";
import { neverAborted, quietLog } from "../../support/app.ts";
import { chromiumPath, launchBrowser } from "../../support/browser.ts";
import { waitUntil } from "../../support/command-line.ts";
import { openFolder } from "../../support/test-data.ts";

it.skipIf(chromiumPath === undefined)(
  "a page that outlives the app continues with the next one, and loses nothing (needs Chromium)",
  async () => {
    const folder = await openFolder();
    const dataDir = join(folder.path, "data");
    const pageDir = await ensureBuiltPage(() => {}, neverAborted());
    const browser = await launchBrowser();
    const running = new Set<App>();
    onTestFinished(async () => {
      await browser.close();
      for (const app of running) await app.close();
      await folder.remove();
    });
    async function startApp(): Promise<{
      origin: string;
      pageUrl: string;
      launchUrl(): string;
      scripts(): Promise<string[]>;
      close(): Promise<void>;
    }> {
      const app = await createApp(
        createNodePlatform(dataDir),
        readSettings({ port: "0", workers: "1" }, {}, { dataDir }),
        quietLog,
      );
      running.add(app);
      const { baseUrl, apiKey } = await app.start();
      const ask = async (path: string): Promise<unknown> =>
        (
          await fetch(new URL(path, baseUrl), { headers: { authorization: `Bearer ${apiKey}` } })
        ).json();
      return {
        ...(await app.startWindow(pageDir)),
        async scripts() {
          const { items } = (await ask("/app/items")) as { items: { id: string }[] };
          return Promise.all(
            items.map(
              async ({ id }) =>
                ((await ask(`/app/items/${id}/narration`)) as { script: string }).script,
            ),
          );
        },
        async close() {
          running.delete(app);
          await app.close();
        },
      };
    }

    const first = await startApp();
    const context = await browser.newContext({ locale: "en-GB" });
    const page = await context.newPage();
    await page.goto(first.launchUrl());
    await page.goto(`${first.pageUrl}#/narrate`);
    await page.getByRole("button", { name: "New narration" }).first().click();
    await page.locator(".script-field").fill("Said before.");
    await waitUntil(async () => (await first.scripts()).includes("Said before."));
    await first.close();
    await page.locator(".script-field").fill("Said before. Written while nobody listened.");
    const notice = page.getByRole("status").filter({ hasText: "What you type is kept here" });
    await notice.filter({ hasText: "Hearsay is not responding." }).waitFor();

    const second = await startApp();
    expect(second.origin).toBe(first.origin);
    await notice
      .filter({ hasText: "npx hearsay window" })
      .filter({ hasText: "session has ended" })
      .waitFor();
    // Its old session is invalid until another tab of the same browser opens the new link.
    await (await context.newPage()).goto(second.launchUrl());
    await waitUntil(async () =>
      (await second.scripts()).includes("Said before. Written while nobody listened."),
    );
    await notice.waitFor({ state: "detached" });
  },
);
