// Narrations: options, sentences and their takes, pronunciations, and the files they are exported as.

import { z } from "zod";
import { maxSaysCharacters, maxWordCharacters } from "./vocabulary.ts";

export const defaultPausesSec = { sentencePauseSec: 0.4, paragraphPauseSec: 0.75 } as const;

const speed = z.number().min(0.25).max(4);
/** How a narration or one of its roles is read. What a role leaves out is that of the narration. */
const delivery = {
  /** Silence in seconds; by default `defaultPausesSec`, divided by the speed. */
  sentencePauseSec: z.number().min(0).max(10).optional(),
  paragraphPauseSec: z.number().min(0).max(10).optional(),
  /** Applied when takes are played or exported, so that they stay valid. */
  gainDb: z.number().min(-12).max(6).optional(),
};

/** A name that the script may use in brackets. */
export const role = z.object({
  name: z
    .string()
    .trim()
    .regex(/^[^[\]\r\n]{1,60}$/),
  /** Optional; default: that of the narration. */
  voice: z.string().max(200).optional(),
  speed: speed.optional(),
  ...delivery,
});
export type Role = z.infer<typeof role>;
export const maxRoles = 200;

/** A word and how to say it: a respelling, or phonemes between slashes. Without both it has no effect yet. */
const pronunciation = z.object({
  word: z.string().max(maxWordCharacters),
  says: z.string().max(maxSaysCharacters),
});
export type Pronunciation = Readonly<z.infer<typeof pronunciation>>;
export const maxPronunciations = 500;

export const narrateOptions = z.object({
  model: z.string().default("tts-1-hd"),
  voice: z.string().default("nova"),
  speed: speed.default(1),
  ...delivery,
  cast: z.array(role).max(maxRoles).optional(),
  /** For this narration alone: they take precedence over those of the vocabulary. */
  pronunciations: z.array(pronunciation).max(maxPronunciations).optional(),
  /**
   * Which of the families that come with the app is `tts-1-hd` in English. Set when a narration is created; omitted in
   * those from before there was a choice, which keep Hibari.
   */
  englishFamily: z.enum(["hibari", "kokoro-compact"]).optional(),
});
export type NarrateOptions = z.infer<typeof narrateOptions>;

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
  /** The voice that took over, since the chosen one does not know the language. Takes of older versions lack it. */
  spokenBy: z.string().optional(),
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
  /** The role in the cast, or the voice that the script names. Omitted if it is the narration's own voice. */
  speaker: z.string().optional(),
  /** Pause after the sentence. */
  pauseSec: z.number(),
  gainDb: z.number().optional(),
  /** Title of the chapter that begins here, from a heading. */
  chapter: z.string().optional(),
  takes: z.array(take),
  chosenTake: z.string().optional(),
  /** Of that take. */
  spokenBy: z.string().optional(),
  /** Words missing when the app transcribed its own take; omitted if not checked. */
  missed: z.array(z.string()).optional(),
});
export type NarrationSentence = z.infer<typeof narrationSentence>;

export const narration = z.object({
  revision: z.int(),
  script: z.string(),
  options: narrateOptions,
  sentences: z.array(narrationSentence),
  /** Words of the script that the voice cannot pronounce, such as other alphabets. */
  unspeakable: z.array(z.string()),
  /** ISO-639-1 of paragraphs whose language no voice of this machine knows, if none of others may speak. */
  otherLanguages: z.array(z.string()),
});
export type Narration = z.infer<typeof narration>;

/** A script with marks for those who speak in it; no roles where nobody was found, or where it has marks already. */
export const castProposal = z.object({
  script: z.string(),
  roles: z.array(
    z.object({
      name: z.string(),
      gender: z.enum(["female", "male"]).optional(),
      lineCount: z.int(),
    }),
  ),
});
export type CastProposal = z.infer<typeof castProposal>;

export const narrationFormats = ["mp3", "m4b", "opus", "flac", "wav", "epub"] as const;
export const narrationExport = z.object({
  /** `epub`: the text with the audio of each sentence; chapters and subtitles are in it. */
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
