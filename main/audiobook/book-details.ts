// What the files of a narration say, as it came with a book or was given since: title and author in one file of the item's
// folder, the cover in another. What is taken away stays away: nothing asks the book again.

import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { pictureKind } from "../audio/codec/picture.ts";
import { AppError } from "../contract/errors.ts";
import { rename, writeFile } from "../storage/disk.ts";

export type BookDetails = {
  read(itemId: string): Promise<{
    /** Empty: the narration's own. */ title: string;
    author: string;
    /** Where the picture is. */ coverPath?: string;
    coverType?: "image/jpeg" | "image/png";
  }>;
  /** What is absent stays as it is; null: no cover. @throws AppError where that is no picture: then nothing is kept */
  keep(
    itemId: string,
    details: {
      title?: string | undefined;
      author?: string | undefined;
      cover?: Uint8Array | null | undefined;
    },
  ): Promise<void>;
};

/** What a cover is, by its bytes. @throws AppError where it is neither JPEG nor PNG */
export function coverKind(cover: Uint8Array): "jpeg" | "png" {
  const kind = pictureKind(cover)?.type;
  if (kind === undefined)
    throw new AppError("invalid_request", "A cover is a JPEG or PNG picture.", { param: "cover" });
  return kind;
}

const name = "book.json";
const kept = z.object({ title: z.string().default(""), author: z.string() });
const covers = { "cover.jpg": "image/jpeg", "cover.png": "image/png" } as const;
type CoverName = keyof typeof covers;

export function createBookDetails(folder: (itemId: string) => string): BookDetails {
  async function put(itemId: string, file: string, content: string | Uint8Array): Promise<void> {
    const path = join(folder(itemId), file);
    try {
      await writeFile(`${path}.part`, content, { mode: 0o600, flush: true });
      await rename(`${path}.part`, path);
    } catch (error) {
      await rm(`${path}.part`, { force: true });
      throw error;
    }
  }

  const words = async (itemId: string, files: readonly string[]): Promise<z.infer<typeof kept>> =>
    files.includes(name)
      ? kept.parse(JSON.parse(await readFile(join(folder(itemId), name), "utf8")))
      : { title: "", author: "" };

  async function keepNow(
    itemId: string,
    { title, author, cover }: Parameters<BookDetails["keep"]>[1],
  ): Promise<void> {
    const own =
      cover == null
        ? undefined
        : ({ jpeg: "cover.jpg", png: "cover.png" } as const)[coverKind(cover)];
    if (title !== undefined || author !== undefined) {
      const before = await words(itemId, await readdir(folder(itemId)));
      await put(
        itemId,
        name,
        JSON.stringify({ title: title ?? before.title, author: author ?? before.author }),
      );
    }
    if (cover === undefined) return;
    if (cover !== null && own !== undefined) await put(itemId, own, cover);
    for (const file of Object.keys(covers))
      if (file !== own) await rm(join(folder(itemId), file), { force: true });
  }

  /** One change after the other: what was asked for last is what stays. */
  let turn: Promise<void> = Promise.resolve();

  return {
    async read(itemId) {
      const files = await readdir(folder(itemId));
      const cover = files.find((file): file is CoverName => Object.hasOwn(covers, file));
      return {
        ...(await words(itemId, files)),
        ...(cover === undefined
          ? {}
          : { coverPath: join(folder(itemId), cover), coverType: covers[cover] }),
      };
    },
    keep: (itemId, details) =>
      (turn = turn.catch(() => undefined).then(() => keepNow(itemId, details))),
  };
}
