// Reads the archive (asar) of a packaged app: its list of files and their contents.

import { mkdir, open, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { z } from "zod";

export type AsarFile = {
  /** With `/` as separator. */
  readonly path: string;
  readonly sizeBytes: number;
  /** Stored outside the archive, in its folder `.unpacked`. */
  readonly isUnpacked: boolean;
  bytes(): Promise<Buffer>;
};

type Entry = {
  files?: Record<string, Entry> | undefined;
  size?: number | undefined;
  offset?: string | undefined;
  unpacked?: boolean | undefined;
};
const entry: z.ZodType<Entry> = z.object({
  get files() {
    return z.record(z.string(), entry).optional();
  },
  size: z.number().optional(),
  offset: z.string().optional(),
  unpacked: z.boolean().optional(),
});

/**
 * An archive starts with two of Chromium's pickles: the first holds the second one's size, the second the length of a
 * JSON text and the text. The files follow.
 */
export async function readAsar(archive: string): Promise<AsarFile[]> {
  const file = await open(archive);
  try {
    const sizes = Buffer.alloc(16);
    await file.read(sizes, 0, 16, 0);
    const text = Buffer.alloc(sizes.readUInt32LE(12));
    await file.read(text, 0, text.length, 16);
    const contentOffset = 8 + sizes.readUInt32LE(4);
    return listFiles(archive, contentOffset, "", entry.parse(JSON.parse(text.toString())));
  } finally {
    await file.close();
  }
}

function listFiles(
  archive: string,
  contentOffset: number,
  path: string,
  { files, size: sizeBytes = 0, offset, unpacked: isUnpacked = false }: Entry,
): AsarFile[] {
  if (files !== undefined)
    return Object.entries(files).flatMap(([name, child]) =>
      listFiles(archive, contentOffset, path === "" ? name : `${path}/${name}`, child),
    );
  const bytes = async (): Promise<Buffer> => {
    if (isUnpacked) return readFile(join(`${archive}.unpacked`, path));
    const file = await open(archive);
    const content = Buffer.alloc(sizeBytes);
    await file
      .read(content, 0, sizeBytes, contentOffset + Number(offset))
      .finally(() => file.close());
    return content;
  };
  return [{ path, sizeBytes, isUnpacked, bytes }];
}

/** Writes the files of an archive to a folder. */
export async function extractAsar(files: readonly AsarFile[], dir: string): Promise<void> {
  for (const { path, bytes } of files) {
    await mkdir(dirname(join(dir, path)), { recursive: true });
    await writeFile(join(dir, path), await bytes());
  }
}
