// The part of /app for the window's pages: items, transcripts, narrations, preferences. Same form as api.ts, which
// includes it. Routes whose body is no JSON are listed at the end.

import { z } from "zod";
import { messageReference, sentMessage } from "./messages/sent-message.ts";
import { libraryState } from "./library-state.ts";
import {
  markedPart,
  measuredErrorRate,
  measurement,
  measuringClip,
  modelMeasurement,
  newMeasurement,
  newVote,
  voiceTally,
} from "./measurements.ts";
import { modelFamilies, modelVoice } from "./models.ts";
import { departure } from "./network.ts";
import { podcastFeed } from "./podcast-feed.ts";
import { portNumber } from "./port-number.ts";
import { wyomingChange, wyomingState } from "./wyoming.ts";
import { preferences, preferencesChange } from "./preferences.ts";
import { engineUsage, storageProblem } from "./app-event.ts";
import { item, searchHit } from "./library-item.ts";
import {
  audiobookDetails,
  maxScriptCharacters,
  castProposal,
  narrateOptions,
  narration,
  role,
} from "./narration.ts";
import { speakerCount } from "./speakers.ts";
import { watchStatus } from "./watch-folder.ts";
import { dictation, dictations } from "./dictations.ts";
import { transcriptionQueueChange, transcriptionQueueState } from "./transcription-queue.ts";
import {
  documentChange,
  documentSegment,
  notesChange,
  transcribeOptions,
  transcriptDocument,
  transcriptNote,
} from "./transcript-document.ts";
import { vocabulary, vocabularyEntry } from "./vocabulary.ts";

/**
 * On requests of the window to /v1: id of the item whose audio is sent, so that the item records which channels got it.
 */
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

/** Result of an archive import: numbers of restored and of already existing items, and ids of unreadable ones. */
export const libraryImport = z.object({
  restored: z.int(),
  existing: z.int(),
  failed: z.array(z.string()),
  /** The import stopped because the disk or the library was full: number of items left, and the reason. */
  stopped: z.object({ left: z.int(), message: z.string(), ...messageReference }).optional(),
});
export type LibraryImport = z.infer<typeof libraryImport>;

export const appInfo = z.object({
  version: z.string(),
  /** Of the API, if it is running. */
  baseUrl: z.string().optional(),
  apiKey: z.string(),
  port: z.int(),
  /** The port comes from the command line or the environment; a port chosen in the window lasts until the app ends. */
  isPortGiven: z.boolean(),
  isNetworkOpen: z.boolean(),
  /** Port of the Wyoming protocol, which needs no key, if it is open; `isForNetwork`: also to other machines. */
  wyoming: z.object({ host: z.string(), port: z.int(), isForNetwork: z.boolean() }).optional(),
  wyomingSettings: wyomingState,
  /** No connection to another machine is opened; `isOfflineGiven`: by the command line or the environment. */
  isOffline: z.boolean(),
  isOfflineGiven: z.boolean(),
  addresses: z.array(z.string()),
  dataDir: z.string(),
  /** Provider keys are encrypted by the system, or stored in a file that only its owner may read. */
  keysAre: z.enum(["sealed", "in-file"]),
  engines: engineUsage,
  /** What work on the library waits for; omitted: nothing. */
  storageTrouble: storageProblem.optional(),
  licences: z.array(z.object({ name: z.string(), licence: z.string(), what: z.string() })),
});
export type AppInfo = z.infer<typeof appInfo>;

/** `port`: moves the API there, also for later starts unless those give another; default: unchanged. */
const serverChange = z.object({
  isRunning: z.boolean(),
  isNetworkOpen: z.boolean(),
  port: portNumber.optional(),
});

const publishedErrorRate = z.object({
  rate: z.number(),
  unit: z.enum(["words", "characters"]),
  testSet: z.string(),
  url: z.string(),
});

/** A model of any channel, or one that could be installed here. */
const listedModel = z.object({
  id: z.string(),
  /** `available`: known, but not on this machine. `damaged`: set aside until it is installed again. */
  state: z.enum(["ready", "damaged", "available"]),
  kind: z.enum(["speech-to-text", "text-to-speech", "unknown"]),
  ownedBy: z.string(),
  /** Channel name; `local` is this machine. */
  channel: z.string(),
  prefix: z.string().optional(),
  sizeBytes: z.number().optional(),
  /**
   * For each local model behind this name: memory it took when it was loaded (omitted if it never was), and whether it
   * is loaded now.
   */
  memory: z
    .array(z.object({ model: z.string(), bytes: z.number().optional(), isLoaded: z.boolean() }))
    .optional(),
  licence: z.string().optional(),
  licenceUrl: z.string().optional(),
  /** Not a free licence: to be accepted before a download. */
  mustAcceptLicence: z.boolean().optional(),
  languages: z.array(z.string()).optional(),
  /** Language → published error rate. */
  errorRates: z.record(z.string(), publishedErrorRate).optional(),
  /** Of models on this machine and available ones, as are the fields below. */
  name: z.string().optional(),
  family: z.enum(modelFamilies).optional(),
  origin: z.enum(["shipped", "downloaded", "imported"]).optional(),
  capabilities: z
    .object({
      wordTimes: z.boolean(),
      languageDetection: z.boolean(),
      prompt: z.boolean(),
      streaming: z.boolean(),
      translatesTo: z.array(z.string()),
    })
    .optional(),
  voices: z.array(modelVoice).optional(),
  damaged: sentMessage.optional(),
  /** No other execution provider than the CPU is tried. */
  isCpuOnly: z.boolean().optional(),
  /** Its files can be downloaded, again if it is damaged. */
  isDownloadable: z.boolean().optional(),
  measured: modelMeasurement.optional(),
  /** Language → error rate on clips that the person measured. */
  measuredErrorRates: z.record(z.string(), measuredErrorRate).optional(),
  /** Measured on this machine, or estimated. */
  memoryNeedBytes: z.number().optional(),
  /** What this machine has too little of. */
  lacks: z.enum(["memory", "disk"]).optional(),
  perMinuteUsd: z.number().optional(),
  perThousandCharactersUsd: z.number().optional(),
});
export type ListedModel = z.infer<typeof listedModel>;

const modelByLanguage = z.record(z.string(), z.string());
/** What the names fixed in OpenAI's clients take at present: language, or `other`, → id of a model on this machine. */
const modelDefaults = z.object({
  transcribe: modelByLanguage,
  translate: modelByLanguage,
  speak: modelByLanguage,
  speakHd: modelByLanguage,
});
export type ModelDefaults = z.infer<typeof modelDefaults>;

/** Name → method, path, request, response; `:id` in a path is one path segment. */
export const windowApi = {
  readInfo: { method: "GET", path: "/app/info", request: emptyObject, response: appInfo },
  changeServer: { method: "PUT", path: "/app/server", request: serverChange, response: appInfo },
  changeOffline: {
    method: "PUT",
    path: "/app/offline",
    request: z.object({ isOffline: z.boolean() }),
    response: z.object({ isOffline: z.boolean() }),
  },
  /** Opens, closes or moves the port for Home Assistant. What was given at the start stays as it is. */
  changeWyoming: {
    method: "PATCH",
    path: "/app/wyoming",
    request: wyomingChange,
    response: appInfo,
  },
  readPodcastFeed: {
    method: "GET",
    path: "/app/feed",
    request: emptyObject,
    response: podcastFeed,
  },
  changePodcastFeed: {
    method: "PUT",
    path: "/app/feed",
    request: z.object({ isOn: z.boolean() }),
    response: podcastFeed,
  },
  /** Gives the feed a new address. The former one ends at once, also for what is being sent. */
  renewPodcastFeed: {
    method: "POST",
    path: "/app/feed/address",
    request: emptyObject,
    response: podcastFeed,
  },
  /** What left the machine. */
  listDepartures: {
    method: "GET",
    path: "/app/departures",
    request: emptyObject,
    response: z.object({ departures: z.array(departure) }),
  },
  clearDepartures: {
    method: "DELETE",
    path: "/app/departures",
    request: emptyObject,
    response: z.object({ departures: z.array(departure) }),
  },
  /** A new address that opens the window, valid once and for ten minutes. */
  newLaunchUrl: {
    method: "POST",
    path: "/app/launch-url",
    request: emptyObject,
    response: z.object({ url: z.string() }),
  },
  /** Starts or ends dictation, like its key. 404 if the host has no dictation. */
  dictate: { method: "POST", path: "/app/dictation", request: emptyObject, response: emptyObject },
  changeNotes: {
    method: "PATCH",
    path: "/app/items/:id/notes",
    request: notesChange,
    response: z.object({ notes: z.array(transcriptNote) }),
  },
  listDictations: {
    method: "GET",
    path: "/app/dictations",
    request: emptyObject,
    response: z.object({ dictations }),
  },
  /** Only if they are kept. */
  keepDictation: {
    method: "POST",
    path: "/app/dictations",
    request: dictation,
    response: emptyObject,
  },
  clearDictations: {
    method: "DELETE",
    path: "/app/dictations",
    request: emptyObject,
    response: emptyObject,
  },
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
  /** Also works if the library cannot be opened. */
  readLibraryState: {
    method: "GET",
    path: "/app/library",
    request: emptyObject,
    response: libraryState,
  },
  /** Dismisses the notice about a restored library. */
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
    response: z.object({
      models: z.array(listedModel),
      defaults: modelDefaults,
      /** Whether the model for it is on this machine. */
      tellsSpeakersApart: z.boolean(),
    }),
  },
  /**
   * Tries a model of this machine now, as after its installation: its speed, its memory, and execution providers. A
   * failure that is the model's sets it aside.
   */
  tryModel: {
    method: "POST",
    path: "/app/models/:id/trial",
    request: emptyObject,
    response: modelMeasurement,
  },
  listMeasurements: {
    method: "GET",
    path: "/app/models/measurements",
    request: emptyObject,
    response: z.object({
      measurements: z.array(measurement),
      voices: z.array(voiceTally),
      clips: z.array(measuringClip),
    }),
  },
  /** Compares what a model made of a clip with the reference text, and stores the result. */
  addMeasurement: {
    method: "POST",
    path: "/app/models/measurements",
    request: newMeasurement,
    response: measurement.extend({ parts: z.array(markedPart) }),
  },
  removeMeasurement: {
    method: "DELETE",
    path: "/app/models/measurements/:id",
    request: emptyObject,
    response: removed,
  },
  voteOnVoices: {
    method: "POST",
    path: "/app/models/votes",
    request: newVote,
    response: z.object({ voices: z.array(voiceTally) }),
  },
  /** 409 for a model that comes with the app. */
  removeModel: {
    method: "DELETE",
    path: "/app/models/:id",
    request: emptyObject,
    response: removed,
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
  /** Changes several items in one transaction. Items that no longer exist are left out of the response. */
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
  /** Permanently deletes removed items, with their files; without ids all of them. Others are left alone. */
  deleteItems: {
    method: "POST",
    path: "/app/items/delete",
    request: itemIds.partial(),
    response: z.object({ deleted: z.array(z.string()) }),
  },
  /**
   * Stores a selection for `/app/library.zip?selection=…`, since long selections do not fit into an address. Valid
   * while the app runs, until several newer ones replace it.
   */
  selectItems: {
    method: "POST",
    path: "/app/items/select",
    request: itemIds,
    response: z.object({ selection: z.string() }),
  },
  /** Moves the item to the trash, where it can be restored for some time (`keepRemovedDays`). */
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

  /** Transcribes an item's audio. Never overwrites a finished transcript: if there is one, a new item is created. */
  transcribeItem: {
    method: "POST",
    path: "/app/items/:id/transcribe",
    request: transcribeOptions,
    response: item,
  },
  /** Transcribes the failed ranges again, in place. The path is that of earlier versions. */
  retranscribeFailed: {
    method: "POST",
    path: "/app/items/:id/hear-failed",
    request: emptyObject,
    response: item,
  },
  /** Which files of the watched folder were transcribed; the folder itself is a preference. */
  readWatch: {
    method: "GET",
    path: "/app/watch",
    request: emptyObject,
    response: watchStatus,
  },
  readQueue: {
    method: "GET",
    path: "/app/queue",
    request: emptyObject,
    response: transcriptionQueueState,
  },
  /** Pauses, resumes or reorders the transcriptions that wait. */
  changeQueue: {
    method: "PATCH",
    path: "/app/queue",
    request: transcriptionQueueChange,
    response: transcriptionQueueState,
  },
  readDocument: {
    method: "GET",
    path: "/app/items/:id/document",
    request: emptyObject,
    response: transcriptDocument,
  },
  /** 409 if the document changed in the meantime. */
  changeDocument: {
    method: "PATCH",
    path: "/app/items/:id/document",
    request: documentChange,
    response: z.object({ revision: z.int() }),
  },
  /** Retranscribes a range for comparison; changes nothing. The path is that of earlier versions. */
  retranscribe: {
    method: "POST",
    path: "/app/items/:id/hear-again",
    request: transcribeOptions.required({ fromSec: true, toSec: true }),
    response: z.object({
      segments: z.array(documentSegment),
      tookMs: z.number(),
      channel: z.string(),
    }),
  },

  /**
   * Tells apart who speaks in the audio of a transcript, in all of it, whatever speakers it has; names that somebody
   * gave stay with those who say most of what they stand at. Changes no text and no segment; only how sure the names of
   * recognized voices are is noted.
   */
  findSpeakers: {
    method: "POST",
    path: "/app/items/:id/speakers",
    request: z.object({ count: speakerCount }),
    response: z.object({
      /** Each segment with its speaker, in parts where several people share it; all of them have its id. */
      segments: z.array(z.array(documentSegment).min(1)),
      /** As in the document. */
      recognized: z.record(z.string(), z.number()),
    }),
  },

  /** Item id → its first words, for those that have any. */
  readFirstWords: {
    method: "POST",
    path: "/app/items/first-words",
    request: z.object({ itemIds: z.array(z.string()).max(500) }),
    response: z.object({ firstWords: z.record(z.string(), z.string()) }),
  },
  /** Who speaks in which items. */
  listSpeakers: {
    method: "GET",
    path: "/app/speakers",
    request: emptyObject,
    response: z.object({
      speakers: z.array(z.object({ name: z.string(), itemIds: z.array(z.string()) })),
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
  /** English words of the script in no lexicon and without a pronunciation of the user's, the most frequent first. */
  findUnknownWords: {
    method: "GET",
    path: "/app/items/:id/unknown-words",
    request: emptyObject,
    response: z.object({ words: z.array(z.object({ word: z.string(), count: z.int() })) }),
  },
  /** Who speaks in a novel. Changes nothing. @param narrator the role for what nobody says */
  proposeCast: {
    method: "POST",
    path: "/app/items/:id/propose-cast",
    request: z.object({ narrator: role.shape.name }),
    response: castProposal,
  },
  /**
   * File title if it differs from the narration's, author, and whether `…/cover` has a picture: as imported with a
   * book, or as set last.
   */
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
  /** Generates missing takes, or new takes of some sentences. */
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
  /** Transcribes the generated takes and notes words that are missing from the result. */
  checkReading: {
    method: "POST",
    path: "/app/items/:id/check",
    request: emptyObject,
    response: item,
  },
  readVocabulary: {
    method: "GET",
    path: "/app/vocabulary",
    request: emptyObject,
    response: vocabulary,
  },
  changeVocabulary: {
    method: "PUT",
    path: "/app/vocabulary",
    request: vocabulary,
    response: vocabulary,
  },
  /** Adds a word after a correction. What it replaced is kept as `heard`, unless that may be meant elsewhere. */
  learnWord: {
    method: "POST",
    path: "/app/vocabulary/words",
    request: vocabularyEntry.pick({ word: true, heard: true }),
    response: vocabulary,
  },
} as const;

/*
 * Routes whose body is no JSON:
 * POST /app/uploads?name=…&options=…           body: a media file; `options` is transcribeOptions as JSON → item
 * POST /app/recordings?title=…&options=…       starts a recording; `options` is documentOptions as JSON → item
 * POST /app/recordings/:id/sound?from=…        body: 16-bit little-endian samples at 16 kHz, mono or two tracks
 *                                              interleaved; `from` is the index of the first in its track
 *                                              → { samples } of each track stored so far
 * POST /app/recordings/:id/end                 → item, which is then transcribed
 * POST /app/scripts?name=…                     body: a file with one of documentExtensions
 *                                              → importedDocument
 * GET  /app/items/:id/media                    audio, with byte ranges
 * GET  /app/items/:id/peaks                    unsigned bytes: minimum and maximum per 10 ms, 128 is silence
 * GET  /app/items/:id/export?format=…&options=…
 *                                              transcript as a file: transcriptExports, transcriptExportOptions as JSON
 * GET  /app/items/:id/takes/:take              a sentence as WAV, with byte ranges
 * GET  /app/items/:id/narration-peaks          same as peaks, for a fully generated narration
 * GET  /app/items/:id/cover                    cover picture of its files
 * POST /app/items/:id/narration-file           narrationExport as JSON → the file, or a zip of several, with the stored
 *                                              title, author and cover
 * GET  /app/voices/:id/sample?model=           a sample sentence of the voice, mp3; as the name `model` speaks with it
 * GET  /app/models/clips/:id                   a clip of listMeasurements, WebM
 * GET  /app/models/measurements.csv            the table of listMeasurements
 * GET  /app/models/votes.csv                   votes on voices
 * GET  /app/library.zip?selection=…&format=…&people=true
 *                                              the library or a selection; with a format (transcriptExports) only
 *                                              transcripts; voice prints of people only where asked for
 * GET  /app/people/:id/export                  storedPerson as a file
 * POST /app/library/import                     body: an archive of /app/library.zip without a format → libraryImport
 * GET  /app/events                             appEvent as server-sent events
 */
