// Opens an address in the person's browser, where there is one to see it. The address is a secret, and arguments of
// processes are seen by every user of the machine: the browser is given a file that leads there.

import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** Is somebody sitting at this machine's screen? Not in CI, not over a line without a display, not in a pipe. */
export function hasScreen(env: NodeJS.ProcessEnv = process.env, system: NodeJS.Platform = process.platform, isTerminal = process.stdout.isTTY): boolean {
  if (!isTerminal || (env['CI'] ?? '') !== '' || (env['SSH_CONNECTION'] ?? '') !== '') return false;
  return system === 'darwin' || system === 'win32' || (env['DISPLAY'] ?? '') !== '' || (env['WAYLAND_DISPLAY'] ?? '') !== '';
}

const openers: Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  // Takes a path as it is; `cmd /c start` would read some characters of it as its own.
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** Long enough for a browser that has to start first. */
const fileLivesMs = 60_000;
const fileName = /^hearsay-open-[\da-f]{16}\.html$/;

export type OpenBrowserOptions = {
  dataDir: string;
  system?: NodeJS.Platform;
  /** Starts the system's opener with the path of the file. */
  start?(command: string, args: readonly string[]): void;
  livesMs?: number;
};

/**
 * Whether it worked is for the person to see: an address is printed too.
 * @returns removes the file, which happens by itself after a minute
 */
export function openBrowser(url: string, { dataDir, system = process.platform, start = startDetached, livesMs = fileLivesMs }: OpenBrowserOptions): () => void {
  const folder = launchFolder(dataDir, system);
  const path = join(folder, `hearsay-open-${randomBytes(8).toString('hex')}.html`);
  try {
    removeLaunchFiles(folder);
    writeFileSync(path, launchPage(url), { mode: 0o600, flag: 'wx' });
  } catch {
    return () => {};
  }
  const [command, ...args] = openers[system] ?? ['xdg-open'];
  start(command, [...args, path]);
  const remove = (): void => rmSync(path, { force: true });
  const timer = setTimeout(remove, livesMs);
  timer.unref();
  return () => {
    clearTimeout(timer);
    remove();
  };
}

/** Browsers in a snap see neither hidden folders nor the system's temporary one. */
const launchFolder = (dataDir: string, system: NodeJS.Platform): string => (system === 'linux' && existsSync('/snap') ? homedir() : dataDir);

/** What a start that was killed left behind. */
function removeLaunchFiles(folder: string): void {
  for (const name of readdirSync(folder)) if (fileName.test(name)) rmSync(join(folder, name), { force: true });
}

/** @param url holds nothing that HTML reads */
const launchPage = (url: string): string => `<!doctype html>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url=${url}">
<title>Hearsay</title>
<p><a href="${url}">Open Hearsay</a></p>
`;

function startDetached(command: string, args: readonly string[]): void {
  const child = spawn(command, args, { stdio: 'ignore', detached: true, windowsHide: true });
  child.on('error', () => {});
  child.unref();
}
