// Opens an address in the person's browser, where there is one to see it.

import { spawn } from 'node:child_process';

/** Is somebody sitting at this machine's screen? Not in CI, not over a line without a display, not in a pipe. */
export function hasScreen(env: NodeJS.ProcessEnv = process.env, system: NodeJS.Platform = process.platform, isTerminal = process.stdout.isTTY): boolean {
  if (!isTerminal || (env['CI'] ?? '') !== '' || (env['SSH_CONNECTION'] ?? '') !== '') return false;
  return system === 'darwin' || system === 'win32' || (env['DISPLAY'] ?? '') !== '' || (env['WAYLAND_DISPLAY'] ?? '') !== '';
}

const openers: Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  // Its first quoted argument would be a title. The address holds nothing a shell reads.
  win32: ['cmd', '/c', 'start', '""'],
};

/** Whether it worked is for the person to see: the address is printed too. */
export function openBrowser(url: string, system: NodeJS.Platform = process.platform): void {
  const [command, ...args] = openers[system] ?? ['xdg-open'];
  const child = spawn(command, [...args, url], { stdio: 'ignore', detached: true, windowsHide: true });
  child.on('error', () => {});
  child.unref();
}
