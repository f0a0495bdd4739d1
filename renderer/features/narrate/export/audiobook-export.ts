// Connects a narration's audiobook store to the app and to the browser's downloads.

import { call } from "../../../api/client.ts";
import { exportNarrationFile, readCover } from "../../../api/binary.ts";
import { downloadBlob } from "../../../bridge/bridge.ts";
import { t } from "../../../messages/messages.ts";
import { isSaveFailed } from "../../../stores/autosave.ts";
import { parseRoute } from "../../../stores/route.ts";
import { toast } from "../../../stores/toasts.ts";
import type { NarrationStore } from "../script/narration-store.ts";
import { type AudiobookStore, createAudiobookStore } from "./audiobook-store.ts";

export function createNarrationAudiobook(itemId: string, store: NarrationStore): AudiobookStore {
  const audiobook = createAudiobookStore({
    async read() {
      const { title, author, hasCover } = await call("readBookDetails", {}, itemId);
      return {
        title: title === "" ? undefined : title,
        author,
        cover: hasCover ? await readAsDataUrl(await readCover(itemId)) : undefined,
      };
    },
    change: (details) => call("changeBookDetails", details, itemId),
    async exportFile(options, signal) {
      await store.save();
      signal.throwIfAborted();
      const { saving, message } = store.getState();
      // The app would export an older script than the one shown.
      if (isSaveFailed(saving)) throw new Error(message);
      const { blob, name } = await exportNarrationFile(itemId, options, signal);
      downloadBlob(blob, name);
      return name;
    },
  });
  audiobook.subscribe(({ exportProgress, savedName, error }, previous) => {
    // The narration's own page shows the outcome itself.
    if (
      exportProgress !== undefined ||
      previous.exportProgress === undefined ||
      parseRoute(location.hash).rest[0] === itemId
    )
      return;
    if (error !== undefined) toast({ tone: "bad", text: error });
    else if (savedName !== undefined)
      toast({ text: () => t("narrate.export.saved", { name: savedName }) });
  });
  return audiobook;
}

export const readAsDataUrl = (file: Blob): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener("load", () => resolve(String(reader.result)));
    reader.addEventListener("error", () =>
      reject(reader.error ?? new Error("the picture could not be read")),
    );
    reader.readAsDataURL(file);
  });
