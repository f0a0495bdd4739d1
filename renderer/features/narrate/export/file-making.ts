// A narration's file as the app makes it and this machine saves it.

import { call } from "../../../api/client.ts";
import { makeNarrationFile, readCover } from "../../../api/raw.ts";
import { saveBlob } from "../../../bridge/bridge.ts";
import { t } from "../../../messages/messages.ts";
import { parseRoute } from "../../../stores/route.ts";
import { toast } from "../../../stores/toasts.ts";
import type { NarrationStore } from "../script/narration-store.ts";
import { type BookFile, createBookFile } from "./book-file.ts";

export function bookFileOf(itemId: string, store: NarrationStore): BookFile {
  const file = createBookFile({
    async read() {
      const { title, author, hasCover } = await call("readBookDetails", {}, itemId);
      return {
        title: title === "" ? undefined : title,
        author,
        cover: hasCover ? await dataAddress(await readCover(itemId)) : undefined,
      };
    },
    change: (details) => call("changeBookDetails", details, itemId),
    async make(options, signal) {
      await store.save();
      signal.throwIfAborted();
      const { saving, message } = store.getState();
      // The file would be of another script than the one that is shown.
      if (saving === "retrying" || saving === "stuck") throw new Error(message);
      const { blob, name } = await makeNarrationFile(itemId, options, signal);
      saveBlob(blob, name);
      return name;
    },
  });
  file.subscribe(({ making, savedName, error }, before) => {
    // Where it is shown it is said there.
    if (
      making !== undefined ||
      before.making === undefined ||
      parseRoute(location.hash).rest[0] === itemId
    )
      return;
    if (error !== undefined) toast({ tone: "bad", text: error });
    else if (savedName !== undefined)
      toast({ text: t("narrate.export.saved", { name: savedName }) });
  });
  return file;
}

export const dataAddress = (file: Blob): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener("load", () => resolve(String(reader.result)));
    reader.addEventListener("error", () =>
      reject(reader.error ?? new Error("the picture could not be read")),
    );
    reader.readAsDataURL(file);
  });
