// One pass through the operations of a user and API clients. Every change is retried until it succeeds; at the end
// everything must exist.

import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { floatToPcm } from "../../../main/audio/codec/pcm.ts";
import type { Item } from "../../../main/contract/library-item.ts";
import type { Narration } from "../../../main/contract/narration.ts";
import type { TranscriptDocument } from "../../../main/contract/transcript-document.ts";
import { hum } from "../../support/test-audio.ts";
import type { AppProcess } from "./app-process.ts";

const clipPath = resolve(
  import.meta.dirname,
  "..",
  "..",
  "..",
  "main",
  "channels",
  "config",
  "test-clip.mp3",
);
/** That the session sends to `/v1`. */
const minRequests = 5;
/** More than the delay of the second write. */
const usageTimeoutMs = 15_000;
const jobTimeoutMs = 180_000;
const pollIntervalMs = 200;
/** Nothing listens there. The channel is stored nevertheless. */
const unreachableUrl = "http://127.0.0.1:9/v1";

/** The client's requests, and what it misses. */
type Client = {
  requestWithRetry: AppProcess["requestWithRetry"];
  json<T>(method: string, path: string, body?: object | Uint8Array): Promise<T>;
  /** Notes what is missing unless `isOk`. */
  check(isOk: boolean, what: string): void;
  /** Resolves with the item when its work has ended. @throws Error if it does not end */
  waitUntilFinished(id: string): Promise<Item>;
};

/** What the operations created. */
type Created = {
  fileId: string;
  recordingId: string;
  book: { bookId: string; chosenTakeId: string | undefined };
  settings: { keyId: string; revokedKeyId: string; channelId: string };
};

/**
 * @throws Error for a status other than 2xx, 503 or 507, or if work did not end @returns acknowledged changes that are
 * missing
 */
export async function runSession(app: AppProcess): Promise<string[]> {
  const missing: string[] = [];
  const client = createClient(app, missing);
  const clip = await readFile(clipPath);
  const created: Created = {
    fileId: await uploadAndEdit(client, clip),
    recordingId: await record(client),
    book: await narrate(client),
    settings: await changeSettings(client),
  };
  await callApi(client, clip);
  await removeAndRestore(client, created.recordingId);
  await checkContent(client, created);
  await checkSettings(client, created.settings);
  return missing;
}

function createClient({ requestWithRetry }: AppProcess, missing: string[]): Client {
  const json = async <T>(method: string, path: string, body?: object | Uint8Array): Promise<T> =>
    (await requestWithRetry(method, path, body)).body as T;
  return {
    requestWithRetry,
    json,
    check: (isOk, what) => void (isOk || missing.push(what)),
    async waitUntilFinished(id) {
      for (const deadlineMs = performance.now() + jobTimeoutMs; ; await pause(pollIntervalMs)) {
        const item = await json<Item>("GET", `/app/items/${id}`);
        if (!["recording", "waiting", "running"].includes(item.state)) return item;
        if (performance.now() > deadlineMs)
          throw new Error(`the work on an item did not end: ${JSON.stringify(item)}`);
      }
    },
  };
}

/** @returns the id of the file's item */
async function uploadAndEdit(
  { requestWithRetry, json, check, waitUntilFinished }: Client,
  clip: Uint8Array<ArrayBuffer>,
): Promise<string> {
  const { id: fileId } = await json<Item>("POST", "/app/uploads?name=clip.mp3", clip);
  const transcribedItem = await waitUntilFinished(fileId);
  check(
    transcribedItem.state === "done" && transcribedItem.error === undefined,
    `the upload is done (it is ${transcribedItem.state}: ${transcribedItem.error})`,
  );
  await requestWithRetry("GET", `/app/items/${fileId}/peaks`);
  const before = await json<TranscriptDocument>("GET", `/app/items/${fileId}/document`);
  check(before.segments.length > 0, "the upload has text");
  const [first] = before.segments;
  if (first !== undefined)
    await requestWithRetry("PATCH", `/app/items/${fileId}/document`, {
      revision: before.revision,
      put: [{ ...first, text: "Edited words.", words: [], isEdited: true }],
      remove: [],
    });
  await requestWithRetry("PATCH", `/app/items/${fileId}`, { title: "A new title", tags: ["kept"] });
  await requestWithRetry("POST", "/app/replace", {
    find: "Edited",
    replaceBy: "Replaced",
    isCaseSensitive: true,
    isPreview: false,
  });
  return fileId;
}

/** @returns the id of the recording */
async function record({
  requestWithRetry,
  json,
  check,
  waitUntilFinished,
}: Client): Promise<string> {
  const pcm = floatToPcm(hum(3, 16_000));
  const { id: recordingId } = await json<Item>("POST", "/app/recordings?title=Recorded");
  for (let at = 0; at < pcm.length; at += 32_000)
    await requestWithRetry(
      "POST",
      `/app/recordings/${recordingId}/sound?from=${at / 2}`,
      pcm.subarray(at, at + 32_000),
    );
  await requestWithRetry("POST", `/app/recordings/${recordingId}/end`);
  const recordedItem = await waitUntilFinished(recordingId);
  check(
    recordedItem.state === "done" && Math.abs(recordedItem.durationSec - 3) < 0.01,
    `the recording is whole and done (${recordedItem.state}, ${recordedItem.durationSec} s)`,
  );
  return recordingId;
}

async function narrate({
  requestWithRetry,
  json,
  check,
  waitUntilFinished,
}: Client): Promise<Created["book"]> {
  const cover = Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    "base64",
  ).toString("base64");
  const { id: bookId } = await json<Item>("POST", "/app/narrations", {
    title: "A book",
    script: "One sentence. Another one.",
    // Which model speaks makes no difference to what is written.
    options: { model: "tts-1" },
    author: "Somebody",
    cover,
  });
  await requestWithRetry("POST", `/app/items/${bookId}/make`, {});
  await waitUntilFinished(bookId);
  let book = await json<Narration>("GET", `/app/items/${bookId}/narration`);
  book = await json<Narration>("PUT", `/app/items/${bookId}/narration`, {
    revision: book.revision,
    script: "One sentence. Another one. A third.",
    options: book.options,
  });
  await requestWithRetry("POST", `/app/items/${bookId}/make`, {});
  await waitUntilFinished(bookId);
  await requestWithRetry("POST", `/app/items/${bookId}/make`, {
    sentenceIds: [book.sentences[0]?.id],
    isNewTake: true,
  });
  await waitUntilFinished(bookId);
  book = await json<Narration>("GET", `/app/items/${bookId}/narration`);
  const sentence = book.sentences[0];
  const [oldest] = sentence?.takes ?? [];
  await requestWithRetry("POST", `/app/items/${bookId}/choose-take`, {
    sentenceId: sentence?.id,
    takeId: oldest?.id,
  });
  await requestWithRetry("POST", `/app/items/${bookId}/check`, {});
  const checkedItem = await waitUntilFinished(bookId);
  check(
    checkedItem.state === "done" && checkedItem.progress === 1,
    `the narration is made and checked (${checkedItem.state}, ${checkedItem.progress}: ${checkedItem.error})`,
  );
  await requestWithRetry("PATCH", `/app/items/${bookId}/book`, { author: "Somebody else" });
  await requestWithRetry("GET", `/app/items/${bookId}/narration-peaks`);
  await requestWithRetry("POST", `/app/items/${bookId}/narration-file`, {
    format: "mp3",
    subtitles: "srt",
  });
  return { bookId, chosenTakeId: oldest?.id };
}

/** Settings, keys, channels. */
async function changeSettings({ requestWithRetry, json }: Client): Promise<Created["settings"]> {
  await requestWithRetry("PATCH", "/app/preferences", { language: "de" });
  await requestWithRetry("PUT", "/app/prices", {
    prices: { "some-model": { perMinuteUsd: 0.01 } },
  });
  await requestWithRetry("PUT", "/app/vocabulary", {
    entries: [{ word: "Leicester", says: "Lester" }],
  });
  const { id: keyId } = await json<{ id: string }>("POST", "/app/keys", { name: "kept" });
  const { id: revokedKeyId } = await json<{ id: string }>("POST", "/app/keys", { name: "revoked" });
  await requestWithRetry("DELETE", `/app/keys/${revokedKeyId}`);
  const { id: channelId } = await json<{ id: string }>("POST", "/app/channels", {
    name: "Nowhere",
    baseUrl: unreachableUrl,
    prefix: "nowhere",
    key: "a-key-of-a-provider",
  });
  await requestWithRetry("PATCH", `/app/channels/${channelId}`, {
    weight: 2,
    key: "another-key-of-it",
  });
  await requestWithRetry("PUT", "/app/routing", { aliases: {}, prefer: "local" });
  return { keyId, revokedKeyId, channelId };
}

async function callApi({ requestWithRetry }: Client, clip: Uint8Array<ArrayBuffer>): Promise<void> {
  const form = new FormData();
  form.set("model", "whisper-1");
  form.set("file", new Blob([clip]), "clip.mp3");
  await requestWithRetry("POST", "/v1/audio/transcriptions", form);
  await requestWithRetry("POST", "/v1/audio/speech", {
    model: "tts-1",
    voice: "nova",
    input: "Hello there. And again.",
  });
}

async function removeAndRestore({ requestWithRetry }: Client, recordingId: string): Promise<void> {
  await requestWithRetry("DELETE", `/app/items/${recordingId}`);
  await requestWithRetry("POST", `/app/items/${recordingId}/restore`, {});
  await requestWithRetry("GET", "/app/search?q=third");
}

async function checkContent(
  { json, check }: Client,
  { fileId, book: { bookId, chosenTakeId } }: Created,
): Promise<void> {
  const text = (await json<TranscriptDocument>("GET", `/app/items/${fileId}/document`)).segments[0]
    ?.text;
  check(text === "Replaced words.", `the edit of the transcript (it says ${text})`);
  const renamedItem = await json<Item>("GET", `/app/items/${fileId}`);
  check(
    renamedItem.title === "A new title" && renamedItem.tags[0] === "kept",
    "the new title and tag",
  );
  const book = await json<Narration>("GET", `/app/items/${bookId}/narration`);
  check(
    book.script.endsWith("A third.") && book.sentences.every(({ takes }) => takes.length > 0),
    "every sentence of the script",
  );
  check(book.sentences[0]?.chosenTake === chosenTakeId, "the take that was chosen");
  check(
    (await json<{ author: string }>("GET", `/app/items/${bookId}/book`)).author === "Somebody else",
    "the author",
  );
  const requests = await countedRequests(json);
  check(requests >= minRequests, `usage of every request (${requests})`);
  check(
    (await json<{ items: Item[] }>("GET", "/app/items")).items.length === 3,
    "three items, and no incomplete one",
  );
}

/** Usage that could not be written is written again later. */
async function countedRequests(json: Client["json"]): Promise<number> {
  for (const deadlineMs = performance.now() + usageTimeoutMs; ; await pause(pollIntervalMs)) {
    const { total } = await json<{ total: { requests: number } }>("GET", "/app/usage");
    if (total.requests >= minRequests || performance.now() > deadlineMs) return total.requests;
  }
}

async function checkSettings(
  { json, check }: Client,
  { keyId, revokedKeyId, channelId }: Created["settings"],
): Promise<void> {
  check(
    (await json<{ language: string }>("GET", "/app/preferences")).language === "de",
    "the preference",
  );
  check(JSON.stringify(await json<object>("GET", "/app/keys")).includes(keyId), "the key");
  check(
    !JSON.stringify(await json<object>("GET", "/app/keys")).includes(revokedKeyId),
    "that a key was revoked",
  );
  const { channels } = await json<{ channels: { id: string; weight: number; key: string }[] }>(
    "GET",
    "/app/channels",
  );
  check(
    channels.some(({ id, weight, key }) => id === channelId && weight === 2 && key === "stored"),
    "the channel and its key",
  );
}
