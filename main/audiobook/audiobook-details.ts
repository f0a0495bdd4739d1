// What the files of a narration say, as it came with a book or was given since: title and author in one file of the item's
// folder, the cover in another. What is taken away stays away: nothing asks the book again.

import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { parseImageHeader } from "../audio/codec/image-header.ts";
import { AppError } from "../contract/errors.ts";
import { rename, writeFile } from "../storage/disk.ts";

export type AudiobookDetails = {
  read(itemId: string): Promise<{
    /** Empty: the narration's own. */ title: string;
    author: string;
    /** Where the picture is. */ coverPath?: string;
    coverType?: "image/jpeg" | "image/png";
  }>;
  /** What is absent stays as it is; null: no cover. @throws AppError where that is no picture: then nothing is kept */
  save(
    itemId: string,
    details: {
      title?: string | undefined;
      author?: string | undefined;
      cover?: Uint8Array | null | undefined;
    },
  ): Promise<void>;
};

/** What a cover is, by its bytes. @throws AppError where it is neither JPEG nor PNG */
export function detectCoverType(cover: Uint8Array): "jpeg" | "png" {
  const kind = parseImageHeader(cover)?.type;
  if (kind === undefined)
    throw new AppError("invalid_request", "A cover is a JPEG or PNG picture.", { param: "cover" });
  return kind;
}

const detailsFileName = "book.json";
const detailsSchema = z.object({ title: z.string().default(""), author: z.string() });
const coverTypes = { "cover.jpg": "image/jpeg", "cover.png": "image/png" } as const;
type CoverName = keyof typeof coverTypes;

export function createAudiobookDetails(folder: (itemId: string) => string): AudiobookDetails {
  async function writeAtomically(
    itemId: string,
    file: string,
    content: string | Uint8Array,
  ): Promise<void> {
    const path = join(folder(itemId), file);
    try {
      await writeFile(`${path}.part`, content, { mode: 0o600, flush: true });
      await rename(`${path}.part`, path);
    } catch (error) {
      await rm(`${path}.part`, { force: true });
      throw error;
    }
  }

  const readDetails = async (
    itemId: string,
    files: readonly string[],
  ): Promise<z.infer<typeof detailsSchema>> =>
    files.includes(detailsFileName)
      ? detailsSchema.parse(
          JSON.parse(await readFile(join(folder(itemId), detailsFileName), "utf8")),
        )
      : { title: "", author: "" };

  async function saveNow(
    itemId: string,
    { title, author, cover }: Parameters<AudiobookDetails["save"]>[1],
  ): Promise<void> {
    const coverName =
      cover == null
        ? undefined
        : ({ jpeg: "cover.jpg", png: "cover.png" } as const)[detectCoverType(cover)];
    if (title !== undefined || author !== undefined) {
      const previous = await readDetails(itemId, await readdir(folder(itemId)));
      await writeAtomically(
        itemId,
        detailsFileName,
        JSON.stringify({ title: title ?? previous.title, author: author ?? previous.author }),
      );
    }
    if (cover === undefined) return;
    if (cover !== null && coverName !== undefined) await writeAtomically(itemId, coverName, cover);
    for (const file of Object.keys(coverTypes))
      if (file !== coverName) await rm(join(folder(itemId), file), { force: true });
  }

  /** One change after the other: what was asked for last is what stays. */
  let lastSave: Promise<void> = Promise.resolve();

  return {
    async read(itemId) {
      const files = await readdir(folder(itemId));
      const cover = files.find((file): file is CoverName => Object.hasOwn(coverTypes, file));
      return {
        ...(await readDetails(itemId, files)),
        ...(cover === undefined
          ? {}
          : { coverPath: join(folder(itemId), cover), coverType: coverTypes[cover] }),
      };
    },
    save: (itemId, details) =>
      (lastSave = lastSave.catch(() => undefined).then(() => saveNow(itemId, details))),
  };
}
