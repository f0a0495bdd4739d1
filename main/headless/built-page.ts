// The window's page for a start of the app: as it was built, or built now where its sources are others.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { AppError } from '../contract/errors.ts';
import { builtPageDir, isPageBuilt } from './page-sources.ts';

/**
 * The folder of the page. `building` is called where that takes a few seconds.
 * @throws AppError where it cannot be built; the signal's reason
 */
export async function builtPage(building: () => void, signal: AbortSignal): Promise<string> {
  if (await isPageBuilt()) return builtPageDir;
  building();
  // The channel tells it when this process is gone, however it ended.
  const child = spawn(process.execPath, [join(import.meta.dirname, 'build-page.ts')], { env: { ...process.env, NO_COLOR: '1' }, stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
  const stop = (): void => void child.kill();
  signal.addEventListener('abort', stop);
  try {
    const [[code], said] = await Promise.all([once(child, 'exit') as Promise<[number | null]>, child.stderr === null ? '' : text(child.stderr)]);
    signal.throwIfAborted();
    if (code !== 0) throw new AppError('internal', said.replace(/^hearsay: /, '').trim() || "the window's page could not be built");
  } finally {
    signal.removeEventListener('abort', stop);
  }
  return builtPageDir;
}
