// Creates narrations: empty, from a text, or one for each file.

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

/**
 * Imports each file as a narration and opens the last one. `onFile` gets the name of the file being read.
 * @throws ApiError
 */
export async function importScriptFiles(
  files: readonly File[],
  signal: AbortSignal,
  onFile: (name: string) => void,
): Promise<void> {
  for (const file of files) {
    onFile(file.name);
    await createAndOpenNarration(await readScript(file, signal), signal);
  }
}
