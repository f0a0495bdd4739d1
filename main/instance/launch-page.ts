// A file that leads a browser to the window. The window's address is a secret, and arguments of processes are seen by
// every user of the machine: whoever opens a browser gives it this file instead, which only its owner can read.

import { randomBytes } from "node:crypto";
import { existsSync, readdirSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { writeFileSync } from "../storage/disk.ts";

/** Long enough for a browser that has to start first. */
const defaultLifetimeMs = 60_000;
const fileName = /^hearsay-open-[\da-f]{16}\.html$/;

export type LaunchPage = {
  readonly path: string;
  /** Happens by itself after a minute, and at the next launch where this process ends before. */
  remove(): void;
};

/** @returns undefined where it cannot be written */
export function writeLaunchPage(
  url: string,
  {
    dataDir,
    system = process.platform,
    lifetimeMs = defaultLifetimeMs,
  }: { dataDir: string; system?: NodeJS.Platform; lifetimeMs?: number },
): LaunchPage | undefined {
  const folder = launchFolder(dataDir, system);
  const path = join(folder, `hearsay-open-${randomBytes(8).toString("hex")}.html`);
  try {
    removeLaunchPages(folder);
    writeFileSync(path, toLaunchHtml(url), { mode: 0o600, flag: "wx" });
  } catch {
    return undefined;
  }
  const remove = (): void => rmSync(path, { force: true });
  const timer = setTimeout(remove, lifetimeMs);
  timer.unref();
  return {
    path,
    remove() {
      clearTimeout(timer);
      remove();
    },
  };
}

/** Browsers in a snap see neither hidden folders nor the system's temporary one. */
const launchFolder = (dataDir: string, system: NodeJS.Platform): string =>
  system === "linux" && existsSync("/snap") ? homedir() : dataDir;

/** What a start that ended too soon left behind. */
function removeLaunchPages(folder: string): void {
  for (const name of readdirSync(folder))
    if (fileName.test(name)) rmSync(join(folder, name), { force: true });
}

/** @param url holds nothing that HTML reads */
const toLaunchHtml = (url: string): string => `<!doctype html>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url=${url}">
<title>Hearsay</title>
<p><a href="${url}">Open Hearsay</a></p>
`;
