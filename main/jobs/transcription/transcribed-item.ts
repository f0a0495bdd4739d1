// The item into which the audio of an item is transcribed: itself, or a new one, since a finished transcript is never
// overwritten.

import { isDeepStrictEqual } from "node:util";
import { AppError } from "../../contract/errors.ts";
import type { Item } from "../../contract/library-item.ts";
import type { TranscribeOptions } from "../../contract/transcript-document.ts";
import type { Documents } from "../../library/documents.ts";
import type { Items } from "../../library/items.ts";
import { emptyTranscript } from "./empty-transcript.ts";
import type { Media } from "./media.ts";
import { withTracks } from "./tracks.ts";

export type TranscribedItemDeps = { items: Items; documents: Documents; media: Media };

/** @returns the item, which has a source and a transcript with these options */
export async function prepareTranscribedItem(
  { items, documents, media }: TranscribedItemDeps,
  itemId: string,
  requestedOptions: TranscribeOptions,
): Promise<Item> {
  const item = items.read(itemId);
  if (item.kind !== "transcript")
    throw new AppError("transcription.ofNarration", {}, { param: "id" });
  if (item.state === "recording")
    throw new AppError("transcription.recording", {}, { param: "id" });
  await media.source(itemId);
  const header = documents.has(itemId) ? documents.readHeader(itemId) : undefined;
  const options = withTracks(requestedOptions, header?.options.tracks);
  const isSame = header !== undefined && isDeepStrictEqual(header.options, dropUndefined(options));
  const isUntranscribed =
    header === undefined ||
    (header.segmentCount === 0 && item.state !== "done" && item.state !== "running");
  const notes = header?.notes && { notes: header.notes };
  if (isUntranscribed) {
    if (!isSame)
      documents.save(itemId, { ...emptyTranscript(options, item.durationSec), ...notes });
    return item;
  }
  if (isSame && item.state !== "done") return item;
  const { title, source, durationSec, hasMedia, tags } = item;
  return items.createWithFiles(
    { kind: "transcript", title, source, durationSec, hasMedia, tags },
    (folder) => media.linkToItem(itemId, folder),
    (id) => void documents.save(id, { ...emptyTranscript(options, durationSec), ...notes }),
  );
}

/** The form in which options are stored. */
const dropUndefined = (options: TranscribeOptions): unknown => JSON.parse(JSON.stringify(options));
