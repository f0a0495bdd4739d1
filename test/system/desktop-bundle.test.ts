// The desktop app as staged for Electron and for packaging: the real bundle of the main process with a fake Electron,
// the real preload script, the real gateway and engines.

import { lstat, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { appInfo, type AppInfo } from "../../main/contract/window-api.ts";
import { desktopState } from "../../main/contract/desktop-bridge.ts";
import { isBuilt } from "../../build/built-folder.ts";
import { desktopFolder, ensureStagedDesktop } from "../../build/staged-desktop.ts";
import packageJson from "../../package.json" with { type: "json" };
import { isAlive, neverAborted } from "../support/app.ts";
import { type Bundle, startBundle } from "../support/bundle.ts";
import type { WindowSnapshot } from "../support/bundle-child.ts";
import { waitUntilExited, processTree } from "../support/command-line.ts";
import {
  openFolder,
  normalizeWords,
  writeAudioFile,
  synthesizeSamples,
} from "../support/test-data.ts";

const folder = await openFolder();
const sentence = "Good morning. How are you today?";
let appDir: string;
let recording: string;

beforeAll(async () => {
  appDir = await ensureStagedDesktop(() => {}, neverAborted());
  recording = await writeAudioFile(
    join(folder.path, "greeting.mp3"),
    await synthesizeSamples(sentence),
  );
});
afterAll(() => folder.remove());

const main = join(import.meta.dirname, "..", "..", "main");
/** Paths of the files with an extension, without it. */
const sourcesOf = async (dir: string, ending: string) =>
  (await readdir(dir, { recursive: true }))
    .filter((name) => name.endsWith(ending))
    .map((name) => name.slice(0, -ending.length).replaceAll("\\", "/"));

describe("the staged folder", () => {
  it("is not staged again while its sources are unchanged", async () => {
    expect(await isBuilt(desktopFolder)).toBe(true);
  });

  it("has every module of main/ except those of the command line, at the same paths", async () => {
    const sources = (await sourcesOf(main, ".ts")).filter(
      (name) => !name.startsWith("cli/") && name !== "electron/preload",
    );
    expect((await sourcesOf(join(appDir, "main"), ".js")).sort()).toEqual(sources.sort());
    expect(await sourcesOf(join(appDir, "main"), ".cjs")).toEqual(["electron/preload"]);
    expect(await sourcesOf(appDir, ".ts")).toEqual([]);
  });

  it("depends on the packages that its modules import, in the project's versions", async () => {
    const { dependencies } = JSON.parse(await readFile(join(appDir, "package.json"), "utf8")) as {
      dependencies: Record<string, string>;
    };
    expect(packageJson.dependencies).toMatchObject(dependencies);
    expect(Object.keys(dependencies)).toEqual(
      expect.arrayContaining(["hono", "node-av", "onnxruntime-node", "zod"]),
    );
    for (const name of ["vite", "react", "electron"]) expect(dependencies).not.toHaveProperty(name);
  });

  it("shares the weights and includes the list of licences", async () => {
    expect((await lstat(join(appDir, "main", "engines", "weights"))).isSymbolicLink()).toBe(true);
    const names = appInfo.shape.licences
      .parse(JSON.parse(await readFile(join(appDir, "licences.json"), "utf8")))
      .map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(["Electron", "FFmpeg", "Whisper base", "hono"]));
  });

  it("has a preload script that requires only Electron", async () => {
    const code = await readFile(join(appDir, "main", "electron", "preload.cjs"), "utf8");
    expect(Array.from(code.matchAll(/\brequire\(["']([^"']+)/g), ([, name]) => name)).toEqual([
      "electron",
    ]);
    expect(code).not.toMatch(/^\s*(import|export)\b/m);
  });
});

describe("the staged app", () => {
  let bundle: Bundle;
  let found: WindowSnapshot;
  let info: AppInfo;

  beforeAll(async () => {
    bundle = await startBundle(appDir, join(folder.path, "data"));
    found = await bundle.inspectWindow();
    info = appInfo.parse(found.info);
  });
  afterAll(() => bundle?.kill());

  it("opens its window on the built page, with the bridge from its preload script", async () => {
    expect(found.html).toBe(await readFile(join(appDir, "dist", "renderer", "index.html"), "utf8"));
    expect(found.bridge).toEqual(
      expect.arrayContaining(["dictated", "onCommand", "showItem", "state"]),
    );
    expect(() => desktopState.parse(found.state)).not.toThrow();
    expect(found.preferences).toMatchObject({
      preload: join(appDir, "main", "electron", "preload.cjs"),
      sandbox: true,
      contextIsolation: true,
    });
    expect(info.licences.map(({ name }) => name)).toContain("Electron");
  });

  it("serves a transcription, made in a child process", async () => {
    const form = new FormData();
    form.append("model", "whisper-1");
    form.append("file", new Blob([await readFile(recording)]), "greeting.mp3");
    const answer = await fetch(`${info.baseUrl}/audio/transcriptions`, {
      method: "POST",
      headers: { authorization: `Bearer ${info.apiKey}` },
      body: form,
    });
    expect(answer.status).toBe(200);
    expect(normalizeWords(((await answer.json()) as { text: string }).text)).toBe(
      normalizeWords(sentence),
    );
    expect((await bundle.inspectWindow()).engineModules).toEqual([
      join(appDir, "main", "engines", "pool", "child.js"),
    ]);
  });

  it("ends its child processes when it quits", async () => {
    const all = processTree(bundle.pid);
    expect(all.filter(isAlive).length).toBeGreaterThan(1);
    expect(await bundle.quit()).toBe(0);
    await waitUntilExited(all);
    await expect(fetch(`${info.baseUrl}/models`)).rejects.toThrow("fetch failed");
  });
});
