// Files on their way to the app: two at a time, with progress, to be cancelled and tried again. Once the app has a file
// it is an item, and its work is the app's. Those that did not arrive are named again where the page was loaded anew.

import { create } from "zustand";
import type { TranscribeOptions } from "../../../../main/contract/studio.ts";
import { isAbort, messageOf } from "../../../api/error.ts";
import { uploadMedia } from "../../../api/raw.ts";
import { keepItem } from "../../../stores/items.ts";
import { type KeptUpload, openKeptUploads } from "./kept-uploads.ts";

export type Upload = KeptUpload & {
  readonly id: number;
  /** `lost`: the page was loaded anew before it arrived. Nothing but the file's name is left; it is to be given again. */
  readonly state: "waiting" | "sending" | "failed" | "lost";
  readonly sentBytes: number;
  /** Why it failed. */
  readonly message: string | undefined;
  /** Told the item's id once the app has it. */
  readonly onArrived: (itemId: string) => void;
};

const atOnce = 2;
let nextId = 1;
const aborts = new Map<number, AbortController>();

export const useUploads = create<{ uploads: readonly Upload[] }>(() => ({ uploads: [] }));

const change = (id: number, fields: Partial<Upload>): void =>
  useUploads.setState(({ uploads }) => ({
    uploads: uploads.map((upload) => (upload.id === id ? { ...upload, ...fields } : upload)),
  }));
const forget = (id: number): void =>
  useUploads.setState(({ uploads }) => ({ uploads: uploads.filter((upload) => upload.id !== id) }));
const fresh = { sentBytes: 0, message: undefined, onArrived: () => undefined };

const keep = openKeptUploads({
  storage: localStorage,
  locks: navigator.locks,
  onFound: (found) =>
    useUploads.setState(({ uploads }) => ({
      uploads: [
        ...uploads,
        ...found.map((upload): Upload => ({ ...fresh, ...upload, id: nextId++, state: "lost" })),
      ],
    })),
});
useUploads.subscribe(({ uploads }) => keep(uploads));

async function send({ id, file, options, onArrived }: Upload): Promise<void> {
  if (!(file instanceof File)) return;
  const abort = new AbortController();
  aborts.set(id, abort);
  change(id, { state: "sending", sentBytes: 0, message: undefined });
  try {
    const item = await uploadMedia(
      file,
      options,
      (sentBytes) => change(id, { sentBytes }),
      abort.signal,
    );
    keepItem(item);
    forget(id);
    onArrived(item.id);
  } catch (error) {
    if (isAbort(error)) forget(id);
    else change(id, { state: "failed", message: messageOf(error) });
  } finally {
    aborts.delete(id);
    pump();
  }
}

function pump(): void {
  const { uploads } = useUploads.getState();
  const free = atOnce - uploads.filter((upload) => upload.state === "sending").length;
  for (const upload of uploads
    .filter(({ state }) => state === "waiting")
    .slice(0, Math.max(0, free)))
    void send(upload);
}

export function addUploads(
  files: readonly File[],
  options: TranscribeOptions,
  onArrived: (itemId: string) => void,
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
      return [{ ...fresh, id: nextId++, file, options, state: "waiting", onArrived }];
    change(lost.id, { file, state: "waiting", onArrived });
    return [];
  });
  useUploads.setState(({ uploads }) => ({ uploads: [...uploads, ...added] }));
  pump();
}

/** A lost one is sent, to be heard as it was to be. */
export function giveAgain(id: number, file: File): void {
  change(id, { file, state: "waiting" });
  pump();
}

// Until the app has a file, it is nowhere but in this page.
addEventListener("beforeunload", (event) => {
  if (useUploads.getState().uploads.some(({ state }) => state === "waiting" || state === "sending"))
    event.preventDefault();
});

/** Stops it where it is under way; one that failed or is lost is put away. */
export function cancelUpload(id: number): void {
  const abort = aborts.get(id);
  if (abort === undefined) forget(id);
  else abort.abort();
}

export function retryUpload(id: number): void {
  change(id, { state: "waiting", message: undefined });
  pump();
}
