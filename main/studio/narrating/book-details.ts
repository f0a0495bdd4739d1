// Author and cover of a narration, as they came with a book or were given since: two files in the item's folder. What is
// taken away stays away: nothing asks the book again.

import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { pictureKind } from '../../audio/picture.ts';
import { AppError } from '../../contract/errors.ts';

export type BookDetails = {
  read(itemId: string): Promise<{ author: string; /** Where the picture is. */ coverPath?: string; coverType?: 'image/jpeg' | 'image/png' }>;
  /** What is absent stays as it is; null: no cover. @throws AppError where that is no picture: then nothing is kept */
  keep(itemId: string, details: { author?: string | undefined; cover?: Uint8Array | null | undefined }): Promise<void>;
};

/** What a cover is, by its bytes. @throws AppError where it is neither JPEG nor PNG */
export function coverKind(cover: Uint8Array): 'jpeg' | 'png' {
  const kind = pictureKind(cover)?.type;
  if (kind === undefined) throw new AppError('invalid_request', 'A cover is a JPEG or PNG picture.', { param: 'cover' });
  return kind;
}

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

  async function keepNow(itemId: string, { author, cover }: Parameters<BookDetails['keep']>[1]): Promise<void> {
    const own = cover == null ? undefined : ({ jpeg: 'cover.jpg', png: 'cover.png' } as const)[coverKind(cover)];
    if (author !== undefined) await put(itemId, name, JSON.stringify({ author }));
    if (cover === undefined) return;
    if (cover !== null && own !== undefined) await put(itemId, own, cover);
    for (const file of Object.keys(covers)) if (file !== own) await rm(join(folder(itemId), file), { force: true });
  }

  /** One change after the other: what was asked for last is what stays. */
  let turn: Promise<void> = Promise.resolve();

  return {
    async read(itemId) {
      const files = await readdir(folder(itemId));
      const cover = files.find((file): file is CoverName => Object.hasOwn(covers, file));
      const { author } = files.includes(name) ? kept.parse(JSON.parse(await readFile(join(folder(itemId), name), 'utf8'))) : { author: '' };
      return { author, ...(cover === undefined ? {} : { coverPath: join(folder(itemId), cover), coverType: covers[cover] }) };
    },
    keep: (itemId, details) => (turn = turn.catch(() => undefined).then(() => keepNow(itemId, details))),
  };
}
