// The dictionaries of eSpeak NG, by which the voices here read a text. They come with a package, as one file that
// holds many, and are unpacked once. The library reads them from the first folder it is given and keeps to it, so all
// models share one complete folder.

import { createRequire } from "node:module";
import { open, readFile, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { mkdir, rename, writeFile } from "../../storage/disk.ts";
import { partialPathOf } from "../../storage/partial-path.ts";

const packageName = "@echogarden/espeak-ng-emscripten";
/** Of the package: another version is another folder. */
const version = "0.3.5";
/** In the package's script: path below eSpeak's data folder, first byte, end. */
const entryPattern = /\{filename:"[^"]*\/espeak-ng-data\/([^"]+)",start:(\d+),end:(\d+)\}/g;
/** Voices of another synthesizer, which is not here. */
const isUseless = (path: string): boolean => path.startsWith("voices/mb/");

type DataFile = { readonly path: string; readonly startByte: number; readonly sizeBytes: number };

/**
 * The folder with the dictionaries; it is created if it is not there, or not as a whole.
 * @param supportDir folder of the app for what engines need
 */
export async function espeakDataDir(supportDir: string): Promise<string> {
  const dir = join(supportDir, `espeak-ng-data-${version}`);
  const script = createRequire(import.meta.url).resolve(packageName);
  const files = listFiles(await readFile(script, "utf8"));
  if (await isWhole(dir, files)) return dir;
  // Processes that start at the same time each unpack their own.
  const [partial, former] = [partialPathOf(dir), partialPathOf(dir)];
  try {
    await unpack(join(dirname(script), "espeak-ng.data"), files, partial);
    if (await isWhole(dir, files)) return dir;
    await rename(dir, former).catch(() => {});
    await rename(partial, dir).catch(async (error: unknown) => {
      if (!(await isWhole(dir, files))) throw error;
    });
  } finally {
    for (const path of [partial, former]) await rm(path, { recursive: true, force: true });
  }
  return dir;
}

const listFiles = (script: string): DataFile[] =>
  Array.from(script.matchAll(entryPattern), ([, path = "", start, end]) => ({
    path,
    startByte: Number(start),
    sizeBytes: Number(end) - Number(start),
  })).filter(({ path }) => !isUseless(path));

async function isWhole(dir: string, files: readonly DataFile[]): Promise<boolean> {
  for (const { path, sizeBytes } of files) {
    const stats = await stat(join(dir, path)).catch(() => undefined);
    if (stats?.size !== sizeBytes) return false;
  }
  return true;
}

async function unpack(dataPath: string, files: readonly DataFile[], dir: string): Promise<void> {
  const data = await open(dataPath, "r");
  try {
    for (const { path, startByte, sizeBytes } of files) {
      const { buffer } = await data.read(Buffer.alloc(sizeBytes), 0, sizeBytes, startByte);
      await mkdir(dirname(join(dir, path)), { recursive: true, mode: 0o700 });
      await writeFile(join(dir, path), buffer, { flush: true });
    }
  } finally {
    await data.close();
  }
}
