// What the window's page is made of, and whether the built one is made of just that.

import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';

export const projectDir = resolve(import.meta.dirname, '..', '..');
export const distDir = join(projectDir, 'dist');
export const builtPageDir = join(distDir, 'renderer');

/** Folders and files the build reads. */
const sources = ['renderer', join('main', 'contract'), join('main', 'headless', 'build-page.ts'), 'package-lock.json', 'vite.config.ts'];
/** With a dot: no address of the window leads to it. */
const digestFile = '.sources';

/** Of names and bytes: other for any change. About 10 ms. */
export async function sourcesDigest(): Promise<string> {
  const paths = await Promise.all(sources.map(filesOf));
  const digest = createHash('sha256');
  for (const path of paths.flat().sort()) digest.update(`${path}\0`).update(await readFile(join(projectDir, path))).update('\0');
  return digest.digest('hex');
}

/** A folder's files, or the file itself. */
async function filesOf(path: string): Promise<string[]> {
  try {
    const entries = await readdir(join(projectDir, path), { recursive: true, withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name).slice(projectDir.length + 1));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOTDIR') return [path];
    throw error;
  }
}

export const writeDigest = (pageDir: string, digest: string): Promise<void> => writeFile(join(pageDir, digestFile), digest);

/** Is the built page there, and made of these sources? */
export async function isPageBuilt(): Promise<boolean> {
  const built = await readFile(join(builtPageDir, digestFile), 'utf8').catch(() => undefined);
  return built !== undefined && built === (await sourcesDigest());
}
