// The dictionaries of eSpeak NG, by which the voices here read a text. They come with a package, as one file that
// holds many, and are unpacked once. The library reads them from the first folder it is given and keeps to it, so all
// models share one complete folder.

import { createRequire } from "node:module";
import { existsSync } from "node:fs";
import { open, readFile, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { mkdir, rename, writeFile } from "../../storage/disk.ts";

const packageName = "@echogarden/espeak-ng-emscripten";
/** Of the package: another version is another folder. */
const version = "0.3.5";
/** In the package's script: path below eSpeak's data folder, first byte, end. */
const entryPattern = /\{filename:"[^"]*\/espeak-ng-data\/([^"]+)",start:(\d+),end:(\d+)\}/g;
/** Voices of another synthesizer, which is not here. */
const isUseless = (path: string): boolean => path.startsWith("voices/mb/");

/**
 * The folder with the dictionaries; it is created if it is not there.
 * @param supportDir folder of the app for what engines need
 */
export async function espeakDataDir(supportDir: string): Promise<string> {
  const dir = join(supportDir, `espeak-ng-data-${version}`);
  if (existsSync(dir)) return dir;
  // Processes that start at the same time each unpack their own.
  const partial = `${dir}.${process.pid}`;
  await unpack(partial);
  await rename(partial, dir).catch(async (error: unknown) => {
    await rm(partial, { recursive: true, force: true });
    if (!existsSync(dir)) throw error;
  });
  return dir;
}

async function unpack(dir: string): Promise<void> {
  const script = createRequire(import.meta.url).resolve(packageName);
  const entries = Array.from((await readFile(script, "utf8")).matchAll(entryPattern));
  const data = await open(join(dirname(script), "espeak-ng.data"), "r");
  try {
    for (const [, path = "", start, end] of entries) {
      if (isUseless(path)) continue;
      const length = Number(end) - Number(start);
      const { buffer } = await data.read(Buffer.alloc(length), 0, length, Number(start));
      await mkdir(dirname(join(dir, path)), { recursive: true, mode: 0o700 });
      await writeFile(join(dir, path), buffer);
    }
  } finally {
    await data.close();
  }
}
