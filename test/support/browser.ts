// A real Chromium for tests: CHROMIUM_PATH, the one from npm (Linux on x64), or an installed one. Without any, tests
// that need one are skipped by name.

import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { type Browser, chromium, type LaunchOptions } from "playwright";

const cacheDir = resolve(
  import.meta.dirname,
  "..",
  "..",
  "node_modules",
  ".cache",
  "headless-chromium",
);
const defaultPaths = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-headless-shell",
  "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe",
];

/** Path of the program, unpacked if needed, or undefined if there is none. */
export const chromiumPath: string | undefined =
  process.env["CHROMIUM_PATH"] ??
  [unpackFromNpm(), ...defaultPaths].find(
    (path) => path !== undefined && existsSync(path) && isRunnable(path),
  );

export type BrowserOptions = {
  /** A WAV file that the page records as its microphone, without repetition. */
  microphone?: string;
  args?: readonly string[];
};

/** The caller has to close it. */
export function launchBrowser({ microphone, args = [] }: BrowserOptions = {}): Promise<Browser> {
  if (chromiumPath === undefined) throw new Error("there is no Chromium here");
  const audioArgs =
    microphone === undefined ? [] : [`--use-file-for-fake-audio-capture=${microphone}%noloop`];
  const options: LaunchOptions = {
    executablePath: chromiumPath,
    headless: true,
    // The sandbox does not work for root.
    chromiumSandbox: false,
    args: [
      "--use-fake-device-for-media-stream",
      "--use-fake-ui-for-media-stream",
      "--autoplay-policy=no-user-gesture-required",
      "--disable-gpu",
      ...audioArgs,
      ...args,
    ],
  };
  return chromium.launch(options);
}

let shared: Promise<Browser> | undefined;

/** One for all test files of this worker, since a start takes a second of processor time. It ends with the worker. */
export function sharedBrowser(): Promise<Browser> {
  if (shared === undefined) {
    const forget = (): void => void (shared = undefined);
    shared = launchBrowser();
    void shared.then((browser) => browser.once("disconnected", forget), forget);
  }
  return shared;
}

/** The program may lack system libraries. */
function isRunnable(path: string): boolean {
  // On Windows, Chrome opens a window even for --version.
  return (
    process.platform === "win32" ||
    spawnSync(path, ["--version", "--no-sandbox"], { stdio: "ignore" }).status === 0
  );
}

/**
 * The package unpacks into the temporary folder and accepts a partly unpacked program as complete. So it unpacks into a
 * new folder here, which is renamed when done. The package's own arguments for Chromium would hide policy violations.
 */
function unpackFromNpm(): string | undefined {
  if (process.platform !== "linux" || process.arch !== "x64") return undefined;
  let entry: string;
  try {
    entry = createRequire(import.meta.url).resolve("@sparticuz/chromium");
  } catch {
    return undefined;
  }
  const dir = join(cacheDir, packageVersion(entry));
  const program = join(dir, "chromium");
  if (existsSync(program)) return program;
  mkdirSync(cacheDir, { recursive: true });
  const unpackDir = mkdtempSync(join(cacheDir, ".unpacking-"));
  const unpack = `
    const { default: chromium } = await import(${JSON.stringify(pathToFileURL(entry).href)});
    chromium.setGraphicsMode = false;
    await chromium.executablePath();`;
  try {
    execFileSync(process.execPath, ["--input-type=module", "-e", unpack], {
      env: { ...process.env, TMPDIR: unpackDir },
      stdio: "ignore",
    });
    renameSync(unpackDir, dir);
  } catch {
    // Another process was first, or the package cannot be unpacked here.
    rmSync(unpackDir, { recursive: true, force: true });
  }
  return existsSync(program) ? program : undefined;
}

function packageVersion(entry: string): string {
  const nameIndex = entry.lastIndexOf(join("@sparticuz", "chromium"));
  const manifest = join(
    nameIndex < 0
      ? dirname(entry)
      : entry.slice(0, nameIndex + join("@sparticuz", "chromium").length),
    "package.json",
  );
  return (JSON.parse(readFileSync(manifest, "utf8")) as { version: string }).version;
}

/** A script: `lastTrack` is that of the microphone that was opened last. */
export const keepsTrack = `const { mediaDevices } = navigator;
  const ask = mediaDevices.getUserMedia.bind(mediaDevices);
  mediaDevices.getUserMedia = async (wanted) => {
    const stream = await ask(wanted);
    window.lastTrack = stream.getAudioTracks()[0];
    return stream;
  };`;
