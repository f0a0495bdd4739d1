// Saves a document automatically: shortly after a change, with retries, one request at a time. The document itself
// knows what is unsaved, and whether it was changed elsewhere.

import { ApiError, isPermanentError, messageOf } from "../api/error.ts";

/**
 * `stuck`: the app refused; no automatic retry. `conflict`: it was changed elsewhere, and the user has to choose a
 * version.
 */
export type SaveState = "saved" | "unsaved" | "retrying" | "stuck" | "conflict";

/** Whether the app has an older version than the one shown, after an attempt to save it. */
export const isSaveFailed = (saving: SaveState): boolean =>
  saving !== "saved" && saving !== "unsaved";

export type AutosaveDeps = {
  /** Whether there are unsaved changes that may be sent. */
  isDirty(): boolean;
  /**
   * Sends the changes and applies the response.
   * @throws ApiError; status 409 if it was changed elsewhere: `read` is called next
   */
  send(): Promise<void>;
  /** Reads the app's version; must show a failure itself. */
  read(): Promise<void>;
  /** Why it is not saved, as a message for the user. */
  onSaveError(saving: "retrying" | "stuck", message: string): void;
  /** Everything was sent, or a retry is scheduled. */
  onIdle(): void;
};

export type Autosave = {
  /** Call after a change. */
  markDirty(): void;
  /** Sends unsaved changes at once; resolves when they are accepted, refused, or scheduled for a retry. */
  save(): Promise<void>;
  /** Reads when no request is in progress, because a response that overtakes another would show an older state. */
  load(): Promise<void>;
  isSending(): boolean;
  /** Sends unsaved changes once more, then nothing. */
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
  /** A load that is scheduled but has not started. */
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

  /** @returns whether to continue at once */
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
