// The desktop app in the real Electron: what plain Node and a fake cannot show. Needs Electron's program (`npx --no
// install-electron`) and a screen. HEARSAY_PACKED_APP names a packaged program to test instead, made with `npm run
// package -- --dir --inspectable`.

import { spawn } from "node:child_process";
import { join, resolve } from "node:path";
import { _electron, type ElectronApplication, type Page } from "playwright";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findElectron } from "../../../main/cli/find-electron.ts";
import { ensureStagedDesktop } from "../../../build/staged-desktop.ts";
import { isAlive, neverAborted } from "../../support/app.ts";
import { waitUntilExited, waitForExit, shellEnv, waitUntil } from "../../support/command-line.ts";
import { dropFiles } from "../../support/drop-files.ts";
import {
  openFolder,
  normalizeWords,
  writeAudioFile,
  synthesizeSamples,
} from "../../support/test-data.ts";

const packed = process.env["HEARSAY_PACKED_APP"];
const electron =
  packed === undefined ? findElectron() : { isAvailable: true as const, path: resolve(packed) };
const skipped = electron.isAvailable ? "" : ` (skipped: ${electron.reason})`;
const dictationKeys = "CommandOrControl+Shift+H";
const dropped = "The harbour was quiet that morning.";
const handedOver = "A single boat lay at the pier.";

describe.skipIf(!electron.isAvailable)(`the desktop app in Electron${skipped}`, () => {
  let folder: Awaited<ReturnType<typeof openFolder>>;
  let args: string[];
  let env: Record<string, string>;
  let app: ElectronApplication;
  let page: Page;

  beforeAll(async () => {
    folder = await openFolder();
    // Chromium's sandbox does not work for root.
    const asRoot = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
    args =
      packed === undefined
        ? [...asRoot, await ensureStagedDesktop(() => {}, neverAborted())]
        : asRoot;
    env = shellEnv(join(folder.path, "data"), {
      HEARSAY_PORT: "0",
      HEARSAY_WORKERS: "1",
    }) as Record<string, string>;
    // Set explicitly, because otherwise Playwright resolves it through Electron's package, which downloads it.
    app = await _electron.launch({
      executablePath: electron.isAvailable ? electron.path : "",
      args,
      env,
    });
    page = await app.firstWindow();
  }, 180_000);
  afterAll(async () => {
    await app?.close().catch(() => {});
    await folder?.remove();
  });

  const transcribedWords = async (): Promise<string> =>
    normalizeWords((await page.locator(".segment-text").allTextContents()).join(" "));

  it("opens its window on the page, which has the bridge and nothing of Node", async () => {
    await page.waitForSelector("#root h1");
    expect(
      await page.evaluate(() => [
        typeof Reflect.get(globalThis, "hearsayDesktop"),
        typeof Reflect.get(globalThis, "require"),
        typeof Reflect.get(globalThis, "process"),
      ]),
    ).toEqual(["object", "undefined", "undefined"]);
  });

  it("transcribes a file that is dropped on the window", async () => {
    await page.goto(new URL("#/transcribe", page.url()).href);
    await page.waitForSelector("#root h1");
    await dropFiles(
      page,
      [await writeAudioFile(join(folder.path, "harbour.wav"), await synthesizeSamples(dropped))],
      { x: 400, y: 300 },
    );
    await expect.poll(transcribedWords).toContain(normalizeWords(dropped));
  });

  it("opens the files of a second start, which exits", async () => {
    const path = await writeAudioFile(
      join(folder.path, "pier.wav"),
      await synthesizeSamples(handedOver),
    );
    const second = spawn(electron.isAvailable ? electron.path : "", [...args, path], {
      env,
      stdio: "ignore",
    });
    expect(await waitForExit(second)).toBe(0);
    await expect.poll(transcribedWords).toContain(normalizeWords(handedOver));
  });

  it("registers the dictation shortcut, and opens the small window on a request to dictate", async () => {
    expect(
      await app.evaluate(
        ({ globalShortcut }, keys) => globalShortcut.isRegistered(keys),
        dictationKeys,
      ),
    ).toBe(true);
    const opened = app.waitForEvent("window");
    await app.evaluate(({ app: main }) =>
      main.emit("second-instance", {}, [], "", { paths: [], dictates: true, isHidden: false }),
    );
    const small = await opened;
    await waitUntil(() => new URL(small.url()).pathname.endsWith("/dictate"));
  });

  it("ends all its processes when it quits", async () => {
    const pids = await app.evaluate(({ app: main }) => main.getAppMetrics().map(({ pid }) => pid));
    expect(pids.filter(isAlive).length).toBeGreaterThan(2);
    await app.close();
    await waitUntilExited(pids);
  });
});
