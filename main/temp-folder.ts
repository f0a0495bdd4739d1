// The folder for what running jobs need: uploads and samples. One a process, gone with it; what a killed process
// left behind is swept away by the next one.

import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isAlive } from './process-alive.ts';

export type TempFolder = { readonly path: string; remove(): void };

/** Lies in the data folder: long recordings need its disk, not the system's small one. */
export function createTempFolder(dataDir: string): TempFolder {
  const parent = join(dataDir, 'tmp');
  mkdirSync(parent, { recursive: true, mode: 0o700 });
  for (const name of readdirSync(parent)) {
    const pid = Number.parseInt(name, 10);
    if (!Number.isNaN(pid) && isLeftOver(join(parent, name), pid)) rmSync(join(parent, name), { recursive: true, force: true });
  }
  const path = mkdtempSync(join(parent, `${process.pid}-`));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** In a container every process may have the same id: a folder older than this process is not its own. */
function isLeftOver(path: string, pid: number): boolean {
  return pid === process.pid ? (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0) < performance.timeOrigin : !isAlive(pid);
}
