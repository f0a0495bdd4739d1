// Creates narrations: empty, from a text, or one for each file.

import type { ImportedDocument } from "../../../../main/contract/documents.ts";
import { call } from "../../../api/client.ts";
import { readScript } from "../../../api/binary.ts";
import { storeItem, itemPath } from "../../../stores/items.ts";
import { usePreferences } from "../../../stores/preferences.ts";
import { go } from "../../../stores/route.ts";

/** As read from a file; `cover` is base64. */
type NarrationSource = {
  title?: string;
  script?: string;
  author?: string | undefined;
  cover?: string | undefined;
};

/** @throws ApiError */
export async function createAndOpenNarration(
  { title = "", script = "", author, cover }: NarrationSource = {},
  signal?: AbortSignal,
): Promise<void> {
  const item = await call(
    "createNarration",
    {
      title: title.slice(0, 300),
      script,
      options: usePreferences.getState().narrate,
      ...(author !== undefined && { author: author.slice(0, 200) }),
      ...(cover !== undefined && { cover }),
    },
    "",
    signal,
  );
  storeItem(item);
  go(itemPath(item));
}

type ImportSteps = {
  /** Gets the name of the file being read; undefined when it has been read. */
  onReading: (name: string | undefined) => void;
  /** Asks which chapters are wanted. @returns their script; undefined if none of the file is wanted */
  chooseChapters: (document: ImportedDocument, signal: AbortSignal) => Promise<string | undefined>;
};

/** Imports each file as a narration and opens the last one. @throws ApiError */
export async function importScriptFiles(
  files: readonly File[],
  signal: AbortSignal,
  { onReading, chooseChapters }: ImportSteps,
): Promise<void> {
  for (const file of files) {
    onReading(file.name);
    const document = await readScript(file, signal).finally(() => onReading(undefined));
    const script =
      document.chapters === undefined ? document.script : await chooseChapters(document, signal);
    if (script !== undefined) await createAndOpenNarration({ ...document, script }, signal);
  }
}
