// New narrations: an empty one, one of a text, one of each file that is brought.

import { call } from "../../../api/client.ts";
import { readScript } from "../../../api/binary.ts";
import { storeItem, itemPath } from "../../../stores/items.ts";
import { usePreferences } from "../../../stores/preferences.ts";
import { go } from "../../../stores/route.ts";

/** As a file told it; `cover` is base64. */
type NarrationSource = {
  title?: string;
  script?: string;
  author?: string | undefined;
  cover?: string | undefined;
};

/** Made and opened. Throws ApiError. */
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

/** Each file becomes a narration; the last one is open at the end. `onFile` hears which one is being read. Throws ApiError. */
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
