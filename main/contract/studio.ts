// Data model of the window: library items, transcripts, scripts and their jobs. Display, editing and export share one
// document model.

import { z } from "zod";
import { storageKeys } from "./errors.ts";
import { messageReference } from "./messages/sent-message.ts";

/**
 * Recording, waiting, in progress, or how it ended. Work interrupted by a stop of the app continues at the next start.
 */
export const itemStates = [
  "recording",
  "waiting",
  "running",
  "done",
  "failed",
  "cancelled",
] as const;

export const transcribeOptions = z.object({
  model: z.string().default("whisper-1"),
  /** ISO-639-1; omitted: detect it. */
  language: z.string().optional(),
  prompt: z.string().max(20_000).optional(),
  temperature: z.number().min(0).max(1).default(0),
  translate: z.boolean().default(false),
  /** Transcribe only this range of the file. */
  fromSec: z.number().min(0).optional(),
  toSec: z.number().min(0).optional(),
});
export type TranscribeOptions = z.infer<typeof transcribeOptions>;

export const narrateOptions = z.object({
  model: z.string().default("tts-1-hd"),
  voice: z.string().default("nova"),
  speed: z.number().min(0.25).max(4).default(1),
});
export type NarrateOptions = z.infer<typeof narrateOptions>;

/** A library item, and the state of its job. */
export const item = z.object({
  id: z.string(),
  kind: z.enum(["transcript", "narration"]),
  title: z.string(),
  /** Origin: an uploaded file, a recording made in the app, or a text. */
  source: z.enum(["file", "recording", "text"]),
  createdAtMs: z.number(),
  changedAtMs: z.number(),
  durationSec: z.number(),
  /** All files of the item. */
  sizeBytes: z.number(),
  state: z.enum(itemStates),
  /** 0 to 1. */
  progress: z.number(),
  /** Estimated from the pace so far. */
  leftSec: z.number().optional(),
  /** What happened and what the person can do, as a sentence. */
  error: z.string().optional(),
  errorReference: z.object(messageReference).optional(),
  /** Some ranges could not be transcribed. */
  isPartial: z.boolean(),
  language: z.string(),
  /** Names of the channels that received the audio or text; `local` is this machine. */
  channels: z.array(z.string()),
  tags: z.array(z.string()),
  /** It has audio that can be played. */
  hasMedia: z.boolean(),
});
export type Item = z.infer<typeof item>;

export const documentWord = z.object({
  word: z.string(),
  startSec: z.number(),
  endSec: z.number(),
  probability: z.number(),
});
/**
 * Ids of transcribed segments count up from 0. Segments created by an edit count up from here, so that editing is
 * possible during transcription.
 */
export const firstEditedSegmentId = 1_000_000;

export const documentSegment = z.object({
  /** Unique within the document; edits keep it. */
  id: z.int(),
  startSec: z.number(),
  endSec: z.number(),
  text: z.string(),
  /** As transcribed; dropped if an edit changed more than they can represent. */
  words: z.array(documentWord),
  language: z.string(),
  avgLogprob: z.number(),
  noSpeechProb: z.number(),
  compressionRatio: z.number(),
  /** A person changed it. */
  isEdited: z.boolean(),
  speaker: z.string().optional(),
});
export type DocumentSegment = z.infer<typeof documentSegment>;

export const transcriptDocument = z.object({
  /** Number of changes. A change names the revision it is based on. */
  revision: z.int(),
  durationSec: z.number(),
  language: z.string(),
  options: transcribeOptions,
  segments: z.array(documentSegment),
  /** Ranges with speech that could not be transcribed. */
  failed: z.array(
    z.object({
      startSec: z.number(),
      endSec: z.number(),
      message: z.string(),
      ...messageReference,
    }),
  ),
});
export type TranscriptDocument = z.infer<typeof transcriptDocument>;

/** A change of a document: new or changed segments, and ids of removed ones. Times determine the order. */
export const documentChange = z.object({
  revision: z.int(),
  put: z.array(documentSegment),
  remove: z.array(z.int()),
});
export type DocumentChange = z.infer<typeof documentChange>;

export const maxScriptCharacters = 5_000_000;

const takeId = z.string().regex(/^[\w-]{1,64}$/);
/** A take's file is named by its id. */
export const isTakeId = (id: string): boolean => takeId.safeParse(id).success;

/** One version of a sentence: generated once, kept until the narration is removed. */
export const take = z.object({
  id: takeId,
  durationSec: z.number(),
  madeAtMs: z.number(),
  model: z.string(),
  channel: z.string(),
});
export type Take = z.infer<typeof take>;

export const narrationSentence = z.object({
  /**
   * Derived from content, voice, speed, model, and number of equal sentences before it, so edits elsewhere do not
   * change it.
   */
  id: z.string(),
  /** Offset in the script, in UTF-16 units. */
  start: z.int(),
  end: z.int(),
  /** Text to synthesize: markup resolved, pronunciations inserted. */
  text: z.string(),
  voice: z.string(),
  /** Pause after the sentence. */
  pauseSec: z.number(),
  /** Title of the chapter that begins here, from a heading. */
  chapter: z.string().optional(),
  takes: z.array(take),
  chosenTake: z.string().optional(),
  /** Words missing when the app transcribed its own take; omitted if not checked. */
  missed: z.array(z.string()).optional(),
});
export type NarrationSentence = z.infer<typeof narrationSentence>;

export const pronunciation = z.object({
  word: z.string().min(1).max(60),
  /** A respelling, or phonemes between slashes. */
  says: z.string().min(1).max(200),
});
export type Pronunciation = z.infer<typeof pronunciation>;

export const narration = z.object({
  revision: z.int(),
  script: z.string(),
  options: narrateOptions,
  sentences: z.array(narrationSentence),
  /** Words of the script that the voice cannot pronounce, such as other alphabets. */
  unspeakable: z.array(z.string()),
  /** ISO-639-1 of the script, if it is clearly not English and the model speaks only English. */
  otherLanguage: z.string().optional(),
});
export type Narration = z.infer<typeof narration>;

export const narrationFormats = ["mp3", "m4b", "opus", "flac", "wav"] as const;
export const narrationExport = z.object({
  format: z.enum(narrationFormats),
  perChapter: z.boolean().default(false),
  /** Integrated loudness −16 LUFS. */
  normalise: z.boolean().default(false),
  subtitles: z.enum(["none", "srt", "vtt"]).default("none"),
});
export type NarrationExport = z.infer<typeof narrationExport>;

/** Metadata of a narration's files. Omitted fields keep their value. */
export const audiobookDetails = z.object({
  /** Empty: the narration's own title. */
  title: z.string().trim().max(300).optional(),
  author: z.string().trim().max(200).optional(),
  /** JPEG or PNG, base64; null: none. Ignored by formats without pictures. */
  cover: z.base64().max(16_000_000).nullable().optional(),
});
export type AudiobookDetailsChange = z.infer<typeof audiobookDetails>;

export const transcriptExports = ["txt", "srt", "vtt", "json", "md", "docx"] as const;

export const searchHit = z.object({
  itemId: z.string(),
  title: z.string(),
  segmentId: z.int().optional(),
  startSec: z.number(),
  /** Text around the hit; the hit itself is between \u0001 and \u0002. */
  snippet: z.string(),
});
export type SearchHit = z.infer<typeof searchHit>;

/** Engine processes and their memory, as last reported. */
export const engineUsage = z.object({ processes: z.int(), heldBytes: z.number() });
export type EngineUsage = z.infer<typeof engineUsage>;

export const storageProblem = z.enum(storageKeys);

/** Pushed to the window as server-sent events. */
export const studioEvent = z.discriminatedUnion("type", [
  z.object({ type: z.literal("item"), item }),
  z.object({ type: z.literal("item-removed"), id: z.string() }),
  /** New segments of a running transcription. */
  z.object({ type: z.literal("segments"), itemId: z.string(), segments: z.array(documentSegment) }),
  z.object({ type: z.literal("document"), itemId: z.string(), revision: z.int() }),
  /** Progress of an audiobook export, 0 to 1. */
  z.object({ type: z.literal("narration-file"), itemId: z.string(), progress: z.number() }),
  /** Progress of a retranscription, 0 to 1. */
  z.object({ type: z.literal("hear-again"), itemId: z.string(), progress: z.number() }),
  z.object({ type: z.literal("sentence"), itemId: z.string(), sentence: narrationSentence }),
  /** Configuration, models or health of the channels changed. */
  z.object({ type: z.literal("channels"), isHealthOnly: z.boolean().optional() }),
  /** An API key was created or revoked. */
  z.object({ type: z.literal("keys") }),
  z.object({ type: z.literal("preferences") }),
  /** A model was loaded or unloaded, a process started or ended, or memory changed clearly. */
  z.object({ type: z.literal("engines"), engines: engineUsage }),
  /** Work waits because the disk is full, locked by another program or unreachable; without `trouble` it continues. */
  z.object({ type: z.literal("storage"), trouble: storageProblem.optional() }),
  /** Progress of an archive import, in files. */
  z.object({ type: z.literal("library-import"), done: z.int(), total: z.int() }),
  /** The library is damaged, or its notice was dismissed. */
  z.object({ type: z.literal("library") }),
  /** Offline was switched on or off. */
  z.object({ type: z.literal("offline") }),
  /** The API port was opened, closed or moved. */
  z.object({ type: z.literal("server") }),
  z.object({
    type: z.literal("request"),
    request: z.object({
      atMs: z.number(),
      key: z.string(),
      endpoint: z.string(),
      model: z.string(),
      channel: z.string(),
      status: z.int(),
      durationMs: z.number(),
      audioSec: z.number().optional(),
      characters: z.number().optional(),
    }),
  }),
]);
export type StudioEvent = z.infer<typeof studioEvent>;
