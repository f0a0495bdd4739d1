// Folders of dist/ that are made of sources: whether one is made of just what is there now, and how a new one takes its
// place. See build-page.ts and stage-desktop.ts for what goes into them.

import { createHash } from "node:crypto";
import { cp, mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join, resolve, sep } from "node:path";
import { createOwnedFolder, sweepOwnedFolders } from "../main/storage/owned-folder.ts";

export const projectDir = resolve(import.meta.dirname, "..");
export const distDir = join(projectDir, "dist");

export type BuiltFolder = {
  readonly dir: string;
  /** Folders and files the build reads, below the project's. */
  readonly sources: readonly string[];
  /** Of these what it does not read. */
  readonly excludedPaths?: readonly string[];
};

/** With a dot: no address of the window leads to it. */
const digestFileName = ".sources";

/** Of names and bytes: other for any change. About 10 ms. */
async function digestSources({ sources, excludedPaths = [] }: BuiltFolder): Promise<string> {
  const paths = (await Promise.all(sources.map(listFiles)))
    .flat()
    .filter((path) => !excludedPaths.some((one) => path === one || path.startsWith(one + sep)));
  const digest = createHash("sha256");
  for (const path of paths.sort())
    digest
      .update(`${path}\0`)
      .update(await readFile(join(projectDir, path)))
      .update("\0");
  return digest.digest("hex");
}

/** A folder's files, or the file itself. */
async function listFiles(path: string): Promise<string[]> {
  try {
    const entries = await readdir(join(projectDir, path), { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(projectDir.length + 1));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOTDIR") return [path];
    throw error;
  }
}

/** Is the folder there, and made of its sources as they are? */
export async function isBuilt(folder: BuiltFolder): Promise<boolean> {
  const storedDigest = await readFile(join(folder.dir, digestFileName), "utf8").catch(
    () => undefined,
  );
  return storedDigest !== undefined && storedDigest === (await digestSources(folder));
}

/** Fills a new folder and puts it in the old one's place. Rejects as `fill` does, and changes nothing then. */
export async function buildFolder(
  folder: BuiltFolder,
  fill: (draftDir: string) => Promise<void>,
): Promise<void> {
  const digest = await digestSources(folder);
  await mkdir(distDir, { recursive: true });
  // What builds left that were killed. Another build may be going on beside this one.
  sweepOwnedFolders(distDir, (name) => /^\.(?:draft|page)-/.test(name));
  const { path: draft, remove } = createOwnedFolder(distDir, ".draft-");
  try {
    await fill(draft);
    await writeFile(join(draft, digestFileName), digest);
    await swapFolder(folder.dir, draft);
  } finally {
    remove();
  }
}

/** Where two built at once, the later one's stays; nobody ever finds half a folder. */
async function swapFolder(target: string, draftDir: string): Promise<void> {
  const oldDir = `${draftDir}.old`;
  await rename(target, oldDir).catch(() => {});
  await rename(draftDir, target).catch(() =>
    cp(draftDir, target, { recursive: true, force: true }),
  );
  await rm(oldDir, { recursive: true, force: true });
}
