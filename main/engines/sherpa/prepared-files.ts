// Files that the library needs and a repository does not have, made once from those it has, in a folder of their own
// within the model's. They go with the model.

import { readFile, rm, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { type InstalledModel, preparedFolderName } from "../../contract/models.ts";
import { copyFile, mkdir, openForWriting, rename, writeFile } from "../../storage/disk.ts";
import { partialPathOf } from "../../storage/partial-path.ts";
import { encodeOnnxMetadata } from "../../storage/onnx-metadata.ts";

export type PreparedFiles = {
  /** Path of a copy of the graph that has these properties too. */
  graph(path: string, properties: Readonly<Record<string, string | number>>): Promise<string>;
  /** Path of a file with this content. */
  write(name: string, content: string | Uint8Array): Promise<string>;
};

export function preparedFiles({ dir }: InstalledModel): PreparedFiles {
  const preparedDir = join(dir, preparedFolderName);
  /** The file appears under its name when it is complete and on the disk; one of another size is made again. */
  async function make(
    name: string,
    sizeBytes: number,
    fill: (path: string) => Promise<void>,
  ): Promise<string> {
    const path = join(preparedDir, name);
    if ((await sizeOf(path)) === sizeBytes) return path;
    const partial = partialPathOf(path);
    await mkdir(preparedDir, { recursive: true, mode: 0o700 });
    try {
      await fill(partial);
      // On Windows it fails while another process reads what it has made at the same time.
      await rename(partial, path).catch(async (error: unknown) => {
        if ((await sizeOf(path)) !== sizeBytes) throw error;
      });
    } finally {
      await rm(partial, { force: true });
    }
    return path;
  }
  return {
    async graph(path, properties) {
      const metadata = encodeOnnxMetadata(properties);
      const { size } = await stat(path);
      return make(basename(path), size + metadata.length, async (copy) => {
        await copyFile(path, copy);
        const file = await openForWriting(copy, "a");
        try {
          await file.appendFile(metadata);
          await file.sync();
        } finally {
          await file.close();
        }
      });
    },
    write(name, content) {
      const bytes = Buffer.from(content);
      return make(name, bytes.length, (path) => writeFile(path, bytes, { flush: true }));
    },
  };
}

/** Undefined if there is no such file. */
const sizeOf = (path: string): Promise<number | undefined> =>
  stat(path).then(
    ({ size }) => size,
    () => undefined,
  );

/** `tokens.txt` from a table of symbols. */
export const tokensText = (ids: Readonly<Record<string, number>>): string =>
  Object.entries(ids)
    .map(([symbol, id]) => `${symbol} ${id}\n`)
    .join("");

export const readJson = async (path: string): Promise<unknown> =>
  JSON.parse(await readFile(path, "utf8")) as unknown;
