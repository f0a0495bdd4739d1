// A file that redirects a browser to the window. The window's address is a secret, but process arguments are visible to
// all users, so the browser gets the path of this file, which only its owner can read.

import { randomBytes } from "node:crypto";
import { existsSync, readdirSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { writeFileSync } from "../storage/disk.ts";

/** Long enough for a browser to start. */
const defaultLifetimeMs = 60_000;
const fileName = /^hearsay-open-[\da-f]{16}\.html$/;

export type LaunchPage = {
  readonly path: string;
  /** Also runs after a minute, or at the next launch if this process exits before. */
  remove(): void;
};

/** @returns undefined if it cannot be written */
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

/** Browsers installed as snaps can read neither hidden folders nor the system's temporary folder. */
const launchFolder = (dataDir: string, system: NodeJS.Platform): string =>
  system === "linux" && existsSync("/snap") ? homedir() : dataDir;

/** Deletes files of processes that exited before they deleted them. */
function removeLaunchPages(folder: string): void {
  for (const name of readdirSync(folder))
    if (fileName.test(name)) rmSync(join(folder, name), { force: true });
}

/** @param url contains no HTML special characters */
const toLaunchHtml = (url: string): string => `<!doctype html>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url=${url}">
<title>Hearsay</title>
<p><a href="${url}">Open Hearsay</a></p>
`;
