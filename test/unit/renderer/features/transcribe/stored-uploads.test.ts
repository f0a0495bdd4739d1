// Unfinished uploads, remembered from one page to the next.

import { expect, it } from "vitest";
import { transcribeOptions } from "../../../../../main/contract/transcript-document.ts";
import {
  type StoredUpload,
  openStoredUploads,
} from "../../../../../renderer/features/transcribe/queue/stored-uploads.ts";

const talk: StoredUpload = {
  file: { name: "Talk.mp4", size: 3e9 },
  options: transcribeOptions.parse({ language: "de", prompt: "Hearsay" }),
};
const memo: StoredUpload = { ...talk, file: { name: "Memo.wav", size: 12 } };

/** Like the browser's: the stored values are its own keys. */
function newStorage({ maxLetters = Infinity } = {}): Storage {
  const methods = {
    getItem: (key: string): string | null => (storage[key] as string | undefined) ?? null,
    setItem(key: string, value: string): void {
      if (value.length > maxLetters) throw new DOMException("", "QuotaExceededError");
      storage[key] = value;
    },
    removeItem: (key: string): void => void delete storage[key],
  };
  const storage: Record<string, unknown> = Object.create(methods);
  return storage as unknown as Storage;
}

/** A page: what it stores, what it finds, and a promise for the end of its search. */
function openPage(storage: Storage, { isGone = false } = {}) {
  const found: StoredUpload[] = [];
  const answers: Promise<unknown>[] = [];
  // A closed page no longer holds its lock.
  const request = (...[name, ...rest]: [string, ...unknown[]]): Promise<unknown> => {
    const answer = isGone
      ? new Promise(() => {})
      : (navigator.locks.request as (...all: unknown[]) => Promise<unknown>)(name, ...rest);
    answers.push(answer);
    return answer;
  };
  const keep = openStoredUploads({
    storage,
    locks: { request } as LockManager,
    onFound: (uploads) => found.push(...uploads),
  });
  // The first request is for the page's own lock, which it holds until it closes.
  return { keep, found, settled: () => Promise.allSettled(answers.slice(1)) };
}

it("reports what a closed page left, with its options, to one page only", async () => {
  const storage = newStorage();
  openPage(storage, { isGone: true }).keep([talk, memo]);
  const [one, other] = [openPage(storage), openPage(storage)];
  await Promise.all([one.settled(), other.settled()]);
  expect([...one.found, ...other.found]).toEqual([talk, memo]);
  expect(Object.keys(storage)).toEqual([]);
});

it("ignores what another open page still sends", async () => {
  const storage = newStorage();
  const sending = openPage(storage);
  sending.keep([talk]);
  const other = openPage(storage);
  await other.settled();
  expect(other.found).toEqual([]);
  expect(Object.keys(storage)).toHaveLength(1);
});

it("stores the replacement of a lost file, and writes nothing when only the progress changes", () => {
  const storage = newStorage();
  const { keep } = openPage(storage, { isGone: true });
  keep([talk]);
  keep([{ ...talk, file: memo.file }]);
  const [[key = "", text = ""] = []] = Object.entries(storage) as [string, string][];
  expect(JSON.parse(text)).toEqual([memo]);
  storage.removeItem(key);
  keep([{ ...talk, file: memo.file }]);
  expect(Object.keys(storage)).toEqual([]);
});

it("keeps why an upload failed, also when that is known only later", async () => {
  const storage = newStorage();
  const failure = { message: "The file could not be decoded.", id: "file.undecodable" } as const;
  const gone = openPage(storage, { isGone: true });
  gone.keep([talk]);
  gone.keep([{ ...talk, failure }]);
  const next = openPage(storage);
  await next.settled();
  expect(next.found).toEqual([{ ...talk, failure }]);
});

it("reports nothing that arrived", async () => {
  const storage = newStorage();
  const gone = openPage(storage, { isGone: true });
  gone.keep([talk]);
  gone.keep([]);
  const next = openPage(storage);
  await next.settled();
  expect(next.found).toEqual([]);
  expect(Object.keys(storage)).toEqual([]);
});

it("stores the name and size of a real file, and works without space for them", async () => {
  const storage = newStorage();
  openPage(storage, { isGone: true }).keep([{ ...talk, file: new File(["sound"], "Note.wav") }]);
  const next = openPage(storage);
  await next.settled();
  expect(next.found).toEqual([{ ...talk, file: { name: "Note.wav", size: 5 } }]);
  const full = openPage(newStorage({ maxLetters: 10 }));
  expect(() => full.keep([talk])).not.toThrow();
});
