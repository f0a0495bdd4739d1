// What the window works with: items of the library, their transcripts, scripts and the work that makes them. One
// document model: what is shown, edited and exported is the same.

import { z } from "zod";
import { storageKeys } from "./errors.ts";

/** Being recorded, waiting, being worked on, or how it ended. What a stop of the app leaves goes on at the next start. */
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
  /** ISO-639-1; omitted: detected. */
  language: z.string().optional(),
  prompt: z.string().max(20_000).optional(),
  temperature: z.number().min(0).max(1).default(0),
  translate: z.boolean().default(false),
  /** Only this part of the file. */
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

/** A thing in the library, and the state of the work on it. */
export const item = z.object({
  id: z.string(),
  kind: z.enum(["transcript", "narration"]),
  title: z.string(),
  /** How it came: a file that was dropped, a recording made here, a text. */
  source: z.enum(["file", "recording", "text"]),
  createdAtMs: z.number(),
  changedAtMs: z.number(),
  durationSec: z.number(),
  /** Of everything kept for it. */
  sizeBytes: z.number(),
  state: z.enum(itemStates),
  /** 0 to 1. */
  progress: z.number(),
  /** Guessed from the pace so far. */
  leftSec: z.number().optional(),
  /** What happened and what can be done, in a sentence. */
  error: z.string().optional(),
  /** Stretches that could not be heard. */
  isPartial: z.boolean(),
  language: z.string(),
  /** Who got the sound or the text: channel names; `local` is this machine. */
  channels: z.array(z.string()),
  tags: z.array(z.string()),
  /** Its sound can be played. */
  hasMedia: z.boolean(),
});
export type Item = z.infer<typeof item>;

export const documentWord = z.object({
  word: z.string(),
  startSec: z.number(),
  endSec: z.number(),
  probability: z.number(),
});
/** Ids of segments that were heard count up from 0; a segment that an edit makes takes one from here on, so that both can go on at once. */
export const firstEditedSegmentId = 1_000_000;

export const documentSegment = z.object({
  /** Unique within the document, and kept by edits. */
  id: z.int(),
  startSec: z.number(),
  endSec: z.number(),
  text: z.string(),
  /** As heard; dropped where the text was edited beyond them. */
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
  /** Counts the changes; a change names the one it was made on. */
  revision: z.int(),
  durationSec: z.number(),
  language: z.string(),
  options: transcribeOptions,
  segments: z.array(documentSegment),
  /** Stretches with speech that could not be heard. */
  failed: z.array(z.object({ startSec: z.number(), endSec: z.number(), message: z.string() })),
});
export type TranscriptDocument = z.infer<typeof transcriptDocument>;

/** A change of a document: segments that are new or different, and ids of those that are gone. Times decide the order. */
export const documentChange = z.object({
  revision: z.int(),
  put: z.array(documentSegment),
  remove: z.array(z.int()),
});
export type DocumentChange = z.infer<typeof documentChange>;

export const maxScriptCharacters = 5_000_000;

const takeId = z.string().regex(/^[\w-]{1,64}$/);
/** Its file is named by it. */
export const isTakeId = (id: string): boolean => takeId.safeParse(id).success;

/** A take of a sentence: made once, kept until its narration is removed. */
export const take = z.object({
  id: takeId,
  durationSec: z.number(),
  madeAtMs: z.number(),
  model: z.string(),
  channel: z.string(),
});
export type Take = z.infer<typeof take>;

export const narrationSentence = z.object({
  /** By content, voice, speed and model, and how often the same came before: an edit elsewhere leaves it as it is. */
  id: z.string(),
  /** Place in the script, in UTF-16 units. */
  start: z.int(),
  end: z.int(),
  /** As it is spoken: markup resolved, pronunciations put in. */
  text: z.string(),
  voice: z.string(),
  /** After it. */
  pauseSec: z.number(),
  /** A heading begins a chapter. */
  chapter: z.string().optional(),
  takes: z.array(take),
  chosenTake: z.string().optional(),
  /** Words that did not come back when the app heard its own reading; omitted if not checked. */
  missed: z.array(z.string()).optional(),
});
export type NarrationSentence = z.infer<typeof narrationSentence>;

export const pronunciation = z.object({
  word: z.string().min(1).max(60),
  /** A respelling, or phonemes between slashes. */ says: z.string().min(1).max(200),
});
export type Pronunciation = z.infer<typeof pronunciation>;

export const narration = z.object({
  revision: z.int(),
  script: z.string(),
  options: narrateOptions,
  sentences: z.array(narrationSentence),
  /** Words of the script that nobody can say, such as other alphabets. */
  unspeakable: z.array(z.string()),
  /** ISO-639-1 of the script, where it is surely not English and the model speaks nothing else. */
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

/** What a narration's files say. Omitted fields stay as they are. */
export const audiobookDetails = z.object({
  /** Empty: the narration's own. */
  title: z.string().trim().max(300).optional(),
  author: z.string().trim().max(200).optional(),
  /** JPEG or PNG, base64; null: none. Formats without pictures leave it out. */
  cover: z.base64().max(16_000_000).nullable().optional(),
});
export type AudiobookDetailsChange = z.infer<typeof audiobookDetails>;

export const transcriptExports = ["txt", "srt", "vtt", "json", "md", "docx"] as const;

export const searchHit = z.object({
  itemId: z.string(),
  title: z.string(),
  segmentId: z.int().optional(),
  startSec: z.number(),
  /** The text around the hit, the hit itself between \u0001 and \u0002. */ snippet: z.string(),
});
export type SearchHit = z.infer<typeof searchHit>;

/** The engine processes there are, and the memory they hold, as they told last. */
export const engineUsage = z.object({ processes: z.int(), heldBytes: z.number() });
export type EngineUsage = z.infer<typeof engineUsage>;

export const storageProblem = z.enum(storageKeys);

/** Pushed to the window as server-sent events. */
export const studioEvent = z.discriminatedUnion("type", [
  z.object({ type: z.literal("item"), item }),
  z.object({ type: z.literal("item-removed"), id: z.string() }),
  /** Segments that came while a file is being heard. */
  z.object({ type: z.literal("segments"), itemId: z.string(), segments: z.array(documentSegment) }),
  z.object({ type: z.literal("document"), itemId: z.string(), revision: z.int() }),
  /** How far a narration's file is that is being put together, 0 to 1. */
  z.object({ type: z.literal("narration-file"), itemId: z.string(), progress: z.number() }),
  /** How far a stretch is that is heard again, 0 to 1. */
  z.object({ type: z.literal("hear-again"), itemId: z.string(), progress: z.number() }),
  z.object({ type: z.literal("sentence"), itemId: z.string(), sentence: narrationSentence }),
  /** They were changed, have other models, or fare differently. */
  z.object({ type: z.literal("channels"), isHealthOnly: z.boolean().optional() }),
  z.object({ type: z.literal("preferences") }),
  /** A model was loaded into memory or let go, a process came or went, or they hold clearly more or less. */
  z.object({ type: z.literal("engines"), engines: engineUsage }),
  /** Work waits for the disk, which is full, used by another program, or out of reach; or it goes on again. */
  z.object({ type: z.literal("storage"), trouble: storageProblem.optional() }),
  /** How much of an archive is unpacked that is brought back in, in files. */
  z.object({ type: z.literal("library-import"), done: z.int(), total: z.int() }),
  /** It is damaged, or its notice was read. */
  z.object({ type: z.literal("library") }),
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
