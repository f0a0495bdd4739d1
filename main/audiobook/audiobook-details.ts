// Title, author and cover of a narration's files, in the item's folder: imported with a document or set by the user.
// What the user removed stays removed.

import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { parseImageHeader } from "../audio/codec/image-header.ts";
import { AppError } from "../contract/errors.ts";
import { rename, writeFile } from "../storage/disk.ts";

export type AudiobookDetails = {
  read(itemId: string): Promise<{
    /** Empty: the narration's own title. */ title: string;
    author: string;
    /** Path of the cover image. */ coverPath?: string;
    coverType?: "image/jpeg" | "image/png";
  }>;
  /**
   * Omitted fields stay unchanged; a `cover` of null removes it. @throws AppError if it is not an image: then nothing
   * is saved
   */
  save(
    itemId: string,
    details: {
      title?: string | undefined;
      author?: string | undefined;
      cover?: Uint8Array | null | undefined;
    },
  ): Promise<void>;
};

/** Detects the type from the content. @throws AppError if it is neither JPEG nor PNG */
export function detectCoverType(cover: Uint8Array): "jpeg" | "png" {
  const kind = parseImageHeader(cover)?.type;
  if (kind === undefined) throw new AppError("narration.coverFormat", {}, { param: "cover" });
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

  /** Saves run one after the other, so that the last one wins. */
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
