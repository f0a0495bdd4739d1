// Uploads files to the app, two at a time, with progress, cancel and retry. After its upload a file is an item, and the
// app does the rest. Files whose upload was interrupted by a reload are listed, so that the user can choose them again.

import { create } from "zustand";
import type { TranscribeOptions } from "../../../../main/contract/transcript-document.ts";
import { isAbort, sentMessageOf } from "../../../api/error.ts";
import { uploadMedia } from "../../../api/binary.ts";
import { storeItem } from "../../../stores/items.ts";
import { type StoredUpload, openStoredUploads } from "./stored-uploads.ts";

export type Upload = StoredUpload & {
  readonly id: number;
  /**
   * `lost`: the page was reloaded before the upload ended. Only the file's name is left; the user must choose it again.
   */
  readonly state: "waiting" | "sending" | "failed" | "lost";
  readonly sentBytes: number;
  /** Called with the item's id after the upload. */
  readonly onUploaded: (itemId: string) => void;
};

const maxConcurrent = 2;
let nextId = 1;
const abortControllers = new Map<number, AbortController>();

export const useUploads = create<{ uploads: readonly Upload[] }>(() => ({ uploads: [] }));

const updateUpload = (id: number, fields: Partial<Upload>): void =>
  useUploads.setState(({ uploads }) => ({
    uploads: uploads.map((upload) => (upload.id === id ? { ...upload, ...fields } : upload)),
  }));
const removeUpload = (id: number): void =>
  useUploads.setState(({ uploads }) => ({ uploads: uploads.filter((upload) => upload.id !== id) }));
const initialUpload = { sentBytes: 0, failure: undefined, onUploaded: () => undefined };

const storeUploads = openStoredUploads({
  storage: localStorage,
  locks: navigator.locks,
  onFound: (lostUploads) =>
    useUploads.setState(({ uploads }) => ({
      uploads: [
        ...uploads,
        ...lostUploads.map((upload): Upload => ({
          ...initialUpload,
          ...upload,
          id: nextId++,
          state: "lost",
        })),
      ],
    })),
});
useUploads.subscribe(({ uploads }) => storeUploads(uploads));

async function send({ id, file, options, onUploaded }: Upload): Promise<void> {
  if (!(file instanceof File)) return;
  const abort = new AbortController();
  abortControllers.set(id, abort);
  updateUpload(id, { state: "sending", sentBytes: 0, failure: undefined });
  try {
    const item = await uploadMedia(
      file,
      options,
      (sentBytes) => updateUpload(id, { sentBytes }),
      abort.signal,
    );
    storeItem(item);
    removeUpload(id);
    onUploaded(item.id);
  } catch (error) {
    if (isAbort(error)) removeUpload(id);
    else updateUpload(id, { state: "failed", failure: sentMessageOf(error) });
  } finally {
    abortControllers.delete(id);
    startWaiting();
  }
}

function startWaiting(): void {
  const { uploads } = useUploads.getState();
  const freeSlots = maxConcurrent - uploads.filter((upload) => upload.state === "sending").length;
  for (const upload of uploads
    .filter(({ state }) => state === "waiting")
    .slice(0, Math.max(0, freeSlots)))
    void send(upload);
}

export function addUploads(
  files: readonly File[],
  options: TranscribeOptions,
  onUploaded: (itemId: string) => void,
): void {
  const added = files.flatMap((file): Upload[] => {
    const lost = useUploads
      .getState()
      .uploads.find(
        (upload) =>
          upload.state === "lost" &&
          upload.file.name === file.name &&
          upload.file.size === file.size,
      );
    if (lost === undefined)
      return [{ ...initialUpload, id: nextId++, file, options, state: "waiting", onUploaded }];
    updateUpload(lost.id, { file, state: "waiting", failure: undefined, onUploaded });
    return [];
  });
  useUploads.setState(({ uploads }) => ({ uploads: [...uploads, ...added] }));
  startWaiting();
}

/** Uploads a lost file with its original options. */
export function resendUpload(id: number, file: File): void {
  updateUpload(id, { file, state: "waiting", failure: undefined });
  startWaiting();
}

// Until its upload ends, a file exists only in this page.
addEventListener("beforeunload", (event) => {
  if (useUploads.getState().uploads.some(({ state }) => state === "waiting" || state === "sending"))
    event.preventDefault();
});

/** Cancels an upload; removes a failed or lost one from the list. */
export function cancelUpload(id: number): void {
  const abort = abortControllers.get(id);
  if (abort === undefined) removeUpload(id);
  else abort.abort();
}

export function retryUpload(id: number): void {
  updateUpload(id, { state: "waiting", failure: undefined });
  startWaiting();
}
