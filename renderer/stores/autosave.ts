// Saves a document behind the person's back: a moment after a change, again until it is taken, one request at a time.
// What is unsaved, and how it is put on top of what the app has, is the document's own matter.

import { ApiError, isPermanentError, messageOf } from "../api/error.ts";

/** `stuck`: the app refused; nothing is tried again unasked. */
export type SaveState = "saved" | "unsaved" | "retrying" | "stuck";

export type AutosaveDeps = {
  /** There is something the app does not have. */
  isDirty(): boolean;
  /** Sends that and takes in the answer. Throws ApiError; status 409 where somebody else changed it: `read` comes next. */
  send(): Promise<void>;
  /** Reads what the app has; a failure is for it to show. */
  read(): Promise<void>;
  /** Why it is not saved, in a sentence. */
  onSaveError(saving: "retrying" | "stuck", message: string): void;
  /** Everything was sent, or is to be tried later. */
  onIdle(): void;
};

export type Autosave = {
  /** Something was changed. */
  markDirty(): void;
  /** Sends what is unsaved at once; settles when it is taken, refused, or to be tried again later. */
  save(): Promise<void>;
  /** Reads once nothing is on its way: an answer that overtook another would show what was before. */
  load(): Promise<void>;
  isSending(): boolean;
  /** What is unsaved is sent once more, nothing later. */
  close(): void;
};

const saveDelayMs = 400;
const retryDelaysMs = [1000, 2000, 5000, 10_000, 30_000] as const;

export function createAutosave({
  isDirty,
  send,
  read,
  onSaveError,
  onIdle,
}: AutosaveDeps): Autosave {
  let lastOperation: Promise<void> = Promise.resolve();
  let sending: Promise<void> | undefined;
  /** Asked for, and not begun. */
  let loading: Promise<void> | undefined;
  let tries = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isClosed = false;

  const enqueue = (work: () => Promise<void>): Promise<void> =>
    (lastOperation = lastOperation.catch(() => undefined).then(work));

  function scheduleSave(ms: number): void {
    clearTimeout(timer);
    if (!isClosed) timer = setTimeout(() => void save(), ms);
  }

  /** Answers whether to go on at once. */
  async function sendOnce(): Promise<boolean> {
    try {
      await send();
      tries = 0;
      return true;
    } catch (error) {
      if (error instanceof ApiError && error.status === 409 && tries < retryDelaysMs.length) {
        tries += 1;
        await read();
        return true;
      }
      if (isPermanentError(error)) {
        onSaveError("stuck", messageOf(error));
        return false;
      }
      onSaveError("retrying", messageOf(error));
      scheduleSave(retryDelaysMs[Math.min(tries, retryDelaysMs.length - 1)] ?? 0);
      tries += 1;
      return false;
    }
  }

  async function sendAll(): Promise<void> {
    while (isDirty() && (await sendOnce()));
    sending = undefined;
    onIdle();
  }

  function save(): Promise<void> {
    clearTimeout(timer);
    if (!isDirty()) return sending ?? Promise.resolve();
    sending ??= enqueue(sendAll);
    return sending;
  }

  return {
    markDirty() {
      tries = 0;
      scheduleSave(saveDelayMs);
    },
    save,
    load() {
      loading ??= enqueue(() => {
        loading = undefined;
        return read();
      });
      return loading;
    },
    isSending: () => sending !== undefined,
    close() {
      void save();
      isClosed = true;
      clearTimeout(timer);
    },
  };
}
