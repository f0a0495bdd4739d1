// Files that the library needs and a repository does not have, made once from those it has, in a folder of their own
// within the model's. They go with the model.

import { existsSync } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import type { InstalledModel } from "../../contract/models.ts";
import { appendFileSync, copyFile, mkdir, rename, writeFile } from "../../storage/disk.ts";
import { encodeOnnxMetadata } from "./onnx-metadata.ts";

export type PreparedFiles = {
  /** Path of a copy of the graph that has these properties too. */
  graph(path: string, properties: Readonly<Record<string, string | number>>): Promise<string>;
  /** Path of a file with this content. */
  write(name: string, content: () => Promise<string | Buffer>): Promise<string>;
};

export function preparedFiles({ dir }: InstalledModel): PreparedFiles {
  const preparedDir = join(dir, ".prepared");
  /** The file appears under its name when it is complete. */
  async function make(name: string, fill: (path: string) => Promise<void>): Promise<string> {
    const path = join(preparedDir, name);
    if (existsSync(path)) return path;
    const partial = `${path}.${process.pid}`;
    await mkdir(preparedDir, { recursive: true, mode: 0o700 });
    try {
      await fill(partial);
      await rename(partial, path);
    } finally {
      await rm(partial, { force: true });
    }
    return path;
  }
  return {
    graph: (path, properties) =>
      make(basename(path), async (copy) => {
        await copyFile(path, copy);
        appendFileSync(copy, encodeOnnxMetadata(properties));
      }),
    write: (name, content) => make(name, async (path) => writeFile(path, await content())),
  };
}

/** `tokens.txt` from a table of symbols. */
export const tokensText = (ids: Readonly<Record<string, number>>): string =>
  Object.entries(ids)
    .map(([symbol, id]) => `${symbol} ${id}\n`)
    .join("");

export const readJson = async (path: string): Promise<unknown> =>
  JSON.parse(await readFile(path, "utf8")) as unknown;
