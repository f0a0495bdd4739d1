// Which of the processes that share a data folder goes on with what was left there: one alone, told by a lock that the
// system takes back however its holder ends.

import { isBusy } from './database.ts';

/**
 * @param path of a file for the lock, made where there is none; a library was opened before
 * @returns what lets go of it, or undefined where another process has it
 */
export function claimSoleUse(path: string): (() => void) | undefined {
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
  const lock = new DatabaseSync(path, { timeout: 0 });
  try {
    lock.exec('BEGIN EXCLUSIVE');
    return () => lock.close();
  } catch (error) {
    lock.close();
    if (isBusy(error)) return undefined;
    throw error;
  }
}
