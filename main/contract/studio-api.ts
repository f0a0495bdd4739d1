// The part of /app that serves the window's pages: items, transcripts, narrations, preferences. Same form as api.ts,
// which takes it in. Bodies that are no JSON are listed at the end.

import { z } from "zod";
import { libraryState } from "./library-state.ts";
import { applyMergePatch } from "./merge-patch.ts";
import { desktopPreferences } from "./shell-bridge.ts";
import {
  audiobookDetails,
  documentChange,
  documentSegment,
  engineUsage,
  item,
  maxScriptCharacters,
  narrateOptions,
  narration,
  pronunciation,
  searchHit,
  storageProblem,
  transcribeOptions,
  transcriptDocument,
} from "./studio.ts";

/** Of a request to /v1 by the window: whose sound of the library it sends, so that the item tells where that went. */
export const itemHeader = "hearsay-item";

const emptyObject = z.object({});
const removed = z.object({ removed: z.boolean() });
const audiobookDetailsView = z.object({
  title: z.string(),
  author: z.string(),
  hasCover: z.boolean(),
});
const booleanFlag = z.stringbool().default(false);
const itemChange = z.object({
  title: z.string().trim().min(1).max(300).optional(),
  tags: z.array(z.string().trim().min(1).max(60)).max(50).optional(),
});
const itemIds = z.object({ itemIds: z.array(z.string()).max(100_000) });

/** What became of an archive that was brought back in: items by their number, those that could not be read by their ids. */
export const libraryImport = z.object({
  restored: z.int(),
  existing: z.int(),
  failed: z.array(z.string()),
  /** The disk or the library took no more: how many items are left, and why. */
  stopped: z.object({ left: z.int(), message: z.string() }).optional(),
});
export type LibraryImport = z.infer<typeof libraryImport>;

export const maxMemoryMb = 1_000_000;

export const preferences = z.object({
  theme: z.enum(["system", "light", "dark"]).default("system"),
  /** Of the interface; default the browser's. */
  language: z.enum(["en", "de"]).optional(),
  transcribe: transcribeOptions.prefault({}),
  narrate: narrateOptions.prefault({}),
  /** Engine processes; default one a core. Takes effect at the next start. */
  workers: z.int().min(1).max(64).optional(),
  idleSec: z.int().min(1).max(86_400).optional(),
  /** What the engine processes may hold together, in MB; absent or 0: no limit. */
  memoryMb: z.int().min(0).max(maxMemoryMb).optional(),
  isRailNarrow: z.boolean().default(false),
  hasSeenWelcome: z.boolean().default(false),
  /** What recordings hear. A device goes by its label, since its id changes; default the system's own choice. */
  recordFrom: z
    .object({
      kind: z.enum(["microphone", "system"]).default("microphone"),
      deviceLabel: z.string().max(500).optional(),
    })
    .prefault({}),
  desktop: desktopPreferences.prefault({}),
});
export type Preferences = z.infer<typeof preferences>;

/** A merge patch: windows that change different fields leave each other's alone. What it takes away is as usual again. */
export const preferencesChange = z.record(z.string(), z.unknown()).superRefine((patch, context) => {
  for (const { path, message } of preferences.safeParse(applyMergePatch({}, patch)).error?.issues ??
    [])
    context.addIssue({ code: "custom", path, message });
});

export const appInfo = z.object({
  version: z.string(),
  /** Of the API, where it is running. */
  baseUrl: z.string().optional(),
  apiKey: z.string(),
  port: z.int(),
  /** By the command line or the environment: one chosen in the window counts until the app ends. */
  isPortGiven: z.boolean(),
  isNetworkOpen: z.boolean(),
  addresses: z.array(z.string()),
  dataDir: z.string(),
  /** Keys of providers: sealed by the system, or in a file that only its owner may read. */
  keysAre: z.enum(["sealed", "in-file"]),
  engines: engineUsage,
  /** What work on the library waits for; omitted: nothing. */
  storageTrouble: storageProblem.optional(),
  licences: z.array(z.object({ name: z.string(), licence: z.string(), what: z.string() })),
});
export type AppInfo = z.infer<typeof appInfo>;

/** One that can be asked for. */
export const portNumber = z.int().min(1).max(65_535);

/** `port`: the API moves there, and is there at the next start unless another is given then; default it stays. */
const serverChange = z.object({
  isRunning: z.boolean(),
  isNetworkOpen: z.boolean(),
  port: portNumber.optional(),
});

export const modelDetails = z.object({
  id: z.string(),
  kind: z.enum(["speech-to-text", "text-to-speech", "unknown"]),
  ownedBy: z.string(),
  /** Channel name; `local` is this machine. */
  channel: z.string(),
  prefix: z.string().optional(),
  sizeBytes: z.number().optional(),
  /** Of each model of this machine that works under this name: what it took in memory when it was loaded here (absent before it ever was), and whether it is now. */
  memory: z
    .array(z.object({ model: z.string(), bytes: z.number().optional(), isLoaded: z.boolean() }))
    .optional(),
  licence: z.string().optional(),
  languages: z.array(z.string()).optional(),
  perMinuteUsd: z.number().optional(),
  perThousandCharactersUsd: z.number().optional(),
});
export type ModelDetails = z.infer<typeof modelDetails>;

/** Name → method, path, request, response; `:id` in a path is one segment. */
export const studioApi = {
  readInfo: { method: "GET", path: "/app/info", request: emptyObject, response: appInfo },
  changeServer: { method: "PUT", path: "/app/server", request: serverChange, response: appInfo },
  /** A new address that opens the window, for one use within ten minutes. */
  newLaunchUrl: {
    method: "POST",
    path: "/app/launch-url",
    request: emptyObject,
    response: z.object({ url: z.string() }),
  },
  /** Presses the key of dictation: begins to listen, or ends it. 404 where the host has none. */
  dictate: { method: "POST", path: "/app/dictation", request: emptyObject, response: emptyObject },
  readPreferences: {
    method: "GET",
    path: "/app/preferences",
    request: emptyObject,
    response: preferences,
  },
  changePreferences: {
    method: "PATCH",
    path: "/app/preferences",
    request: preferencesChange,
    response: preferences,
  },
  /** Answers also where the library cannot be opened. */
  readLibraryState: {
    method: "GET",
    path: "/app/library",
    request: emptyObject,
    response: libraryState,
  },
  /** The notice of a restored library was read. */
  dismissLibraryNotice: {
    method: "DELETE",
    path: "/app/library/notice",
    request: emptyObject,
    response: libraryState,
  },
  listModels: {
    method: "GET",
    path: "/app/models",
    request: emptyObject,
    response: z.object({ models: z.array(modelDetails) }),
  },

  listItems: {
    method: "GET",
    path: "/app/items",
    request: z.object({
      kind: z.enum(["transcript", "narration"]).optional(),
      isDeleted: booleanFlag,
    }),
    response: z.object({ items: z.array(item), totalBytes: z.number() }),
  },
  readItem: { method: "GET", path: "/app/items/:id", request: emptyObject, response: item },
  changeItem: { method: "PATCH", path: "/app/items/:id", request: itemChange, response: item },
  /** Several at once, in one step. Items that are gone are left out of the answer. */
  changeItems: {
    method: "PATCH",
    path: "/app/items",
    request: z.object({ changes: z.array(itemChange.extend({ id: z.string() })).max(100_000) }),
    response: z.object({ items: z.array(item) }),
  },
  removeItems: {
    method: "POST",
    path: "/app/items/remove",
    request: itemIds,
    response: z.object({ removed: z.array(z.string()) }),
  },
  restoreItems: {
    method: "POST",
    path: "/app/items/restore",
    request: itemIds,
    response: z.object({ items: z.array(item) }),
  },
  /** Which items `/app/library.zip?selection=…` holds: more than fit into an address. It is known for as long as the app runs, and a few others after it. */
  selectItems: {
    method: "POST",
    path: "/app/items/select",
    request: itemIds,
    response: z.object({ selection: z.string() }),
  },
  /** Kept for thirty days, to be restored. */
  removeItem: { method: "DELETE", path: "/app/items/:id", request: emptyObject, response: removed },
  restoreItem: {
    method: "POST",
    path: "/app/items/:id/restore",
    request: emptyObject,
    response: item,
  },
  cancelItem: {
    method: "POST",
    path: "/app/items/:id/cancel",
    request: emptyObject,
    response: item,
  },

  /** Hears an item's sound. What is finished is never overwritten: where there is a transcript, a new item is made. */
  transcribeItem: {
    method: "POST",
    path: "/app/items/:id/transcribe",
    request: transcribeOptions,
    response: item,
  },
  /** Hears the stretches that failed once more, in place. */
  hearFailed: {
    method: "POST",
    path: "/app/items/:id/hear-failed",
    request: emptyObject,
    response: item,
  },
  readDocument: {
    method: "GET",
    path: "/app/items/:id/document",
    request: emptyObject,
    response: transcriptDocument,
  },
  /** 409 where somebody else changed it meanwhile. */
  changeDocument: {
    method: "PATCH",
    path: "/app/items/:id/document",
    request: documentChange,
    response: z.object({ revision: z.int() }),
  },
  /** A stretch heard again, for comparison: nothing is changed. */
  hearAgain: {
    method: "POST",
    path: "/app/items/:id/hear-again",
    request: transcribeOptions.required({ fromSec: true, toSec: true }),
    response: z.object({
      segments: z.array(documentSegment),
      tookMs: z.number(),
      channel: z.string(),
    }),
  },

  search: {
    method: "GET",
    path: "/app/search",
    request: z.object({ q: z.string().max(300) }),
    response: z.object({ hits: z.array(searchHit) }),
  },
  replace: {
    method: "POST",
    path: "/app/replace",
    request: z.object({
      find: z.string().min(1).max(300),
      replaceBy: z.string().max(300),
      isCaseSensitive: z.boolean().default(false),
      isPreview: z.boolean().default(true),
      itemIds: z.array(z.string()).optional(),
    }),
    response: z.object({
      matches: z.array(
        z.object({
          itemId: z.string(),
          title: z.string(),
          segmentId: z.int(),
          before: z.string(),
          after: z.string(),
        }),
      ),
      isDone: z.boolean(),
    }),
  },

  createNarration: {
    method: "POST",
    path: "/app/narrations",
    request: z.object({
      title: z.string().trim().max(300).default(""),
      script: z.string().max(maxScriptCharacters).default(""),
      options: narrateOptions.prefault({}),
      ...audiobookDetails.omit({ title: true }).shape,
    }),
    response: item,
  },
  readNarration: {
    method: "GET",
    path: "/app/items/:id/narration",
    request: emptyObject,
    response: narration,
  },
  changeNarration: {
    method: "PUT",
    path: "/app/items/:id/narration",
    request: z.object({
      revision: z.int(),
      script: z.string().max(maxScriptCharacters),
      options: narrateOptions,
    }),
    response: narration,
  },
  /** What its files are called where that is not the narration's title, who wrote it, and whether there is a picture at `…/cover`: as they came with a book, or were given last. */
  readBookDetails: {
    method: "GET",
    path: "/app/items/:id/book",
    request: emptyObject,
    response: audiobookDetailsView,
  },
  changeBookDetails: {
    method: "PATCH",
    path: "/app/items/:id/book",
    request: audiobookDetails,
    response: audiobookDetailsView,
  },
  /** Makes what is not made yet, or new takes of some sentences. */
  makeNarration: {
    method: "POST",
    path: "/app/items/:id/make",
    request: z.object({
      sentenceIds: z.array(z.string()).optional(),
      isNewTake: z.boolean().default(false),
    }),
    response: item,
  },
  chooseTake: {
    method: "POST",
    path: "/app/items/:id/choose-take",
    request: z.object({ sentenceId: z.string(), takeId: z.string() }),
    response: narration,
  },
  /** Hears what was made and notes the words that do not come back. */
  checkReading: {
    method: "POST",
    path: "/app/items/:id/check",
    request: emptyObject,
    response: item,
  },
  readPronunciations: {
    method: "GET",
    path: "/app/pronunciations",
    request: emptyObject,
    response: z.object({ entries: z.array(pronunciation) }),
  },
  changePronunciations: {
    method: "PUT",
    path: "/app/pronunciations",
    request: z.object({ entries: z.array(pronunciation).max(5000) }),
    response: z.object({ entries: z.array(pronunciation) }),
  },
} as const;

/*
 * Addresses whose bodies are no JSON:
 *   POST /app/uploads?name=…&options=…            a media file as the body; `options` is transcribeOptions as JSON → item
 *   POST /app/recordings?title=…                  begins a recording → item
 *   POST /app/recordings/:id/sound?from=…         16-bit little-endian mono samples at 16 kHz; `from` is the place of the first → { samples } kept so far
 *   POST /app/recordings/:id/end                  → item, which is then heard
 *   POST /app/scripts?name=…                      a .txt, .md, .srt, .vtt or .epub file as the body → { title, author, script, cover? }; `cover` is base64, as bookDetails takes it
 *   GET  /app/items/:id/media                     its sound, with ranges
 *   GET  /app/items/:id/peaks                     unsigned bytes, pairs of least and most in a hundredth of a second, 128 is silence
 *   GET  /app/items/:id/export?format=…           a transcript as a file: transcriptExports
 *   GET  /app/items/:id/takes/:take               a sentence as WAV, with ranges
 *   GET  /app/items/:id/narration-peaks           as peaks, of a narration that is made in full
 *   GET  /app/items/:id/cover                     the picture of its files
 *   POST /app/items/:id/narration-file            narrationExport as JSON → the file, or a zip of several, with the title, author and cover that are kept
 *   GET  /app/voices/:id/sample                   a sentence in that voice, mp3
 *   GET  /app/library.zip?selection=…&format=…    everything, or what was selected; with a format (transcriptExports) the transcripts alone
 *   POST /app/library/import                       an archive of /app/library.zip without a format, as the body → libraryImport
 *   GET  /app/events                              studioEvent as server-sent events
 */
