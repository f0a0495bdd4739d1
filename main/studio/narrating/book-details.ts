// Author and cover of a narration, as they came with a book or were given when it was last saved as a file: two files
// in the item's folder.

import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { pictureKind } from '../../audio/picture.ts';

export type BookDetails = {
  read(itemId: string): Promise<{ author: string; /** Where the picture is. */ coverPath?: string; coverType?: 'image/jpeg' | 'image/png' }>;
  /** What is absent stays as it is; a cover that is no picture is passed over. */
  keep(itemId: string, details: { author?: string | undefined; cover?: Uint8Array | undefined }): Promise<void>;
};

const name = 'book.json';
const kept = z.object({ author: z.string() });
const covers = { 'cover.jpg': 'image/jpeg', 'cover.png': 'image/png' } as const;
type CoverName = keyof typeof covers;

export function createBookDetails(folder: (itemId: string) => string): BookDetails {
  async function put(itemId: string, file: string, content: string | Uint8Array): Promise<void> {
    const path = join(folder(itemId), file);
    await writeFile(`${path}.part`, content, { mode: 0o600, flush: true });
    await rename(`${path}.part`, path);
  }

  return {
    async read(itemId) {
      const files = await readdir(folder(itemId));
      const cover = files.find((file): file is CoverName => Object.hasOwn(covers, file));
      const { author } = files.includes(name) ? kept.parse(JSON.parse(await readFile(join(folder(itemId), name), 'utf8'))) : { author: '' };
      return { author, ...(cover === undefined ? {} : { coverPath: join(folder(itemId), cover), coverType: covers[cover] }) };
    },
    async keep(itemId, { author, cover }) {
      if (author !== undefined) await put(itemId, name, JSON.stringify({ author }));
      const kind = cover === undefined ? undefined : pictureKind(cover)?.type;
      if (cover === undefined || kind === undefined) return;
      const [file, other] = kind === 'jpeg' ? (['cover.jpg', 'cover.png'] as const) : (['cover.png', 'cover.jpg'] as const);
      await put(itemId, file, cover);
      await rm(join(folder(itemId), other), { force: true });
    },
  };
}
