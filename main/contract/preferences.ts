// Preferences of the user, the same for all windows.

import { z } from "zod";
import { interfaceLanguageCodes } from "./interface-languages.ts";
import { applyMergePatch } from "./merge-patch.ts";
import { narrateOptions } from "./narration.ts";
import { desktopPreferences } from "./desktop-bridge.ts";
import { transcribeOptions } from "./transcript-document.ts";
import { watchPreferences } from "./watch-folder.ts";
import { transcriptExports, transcriptLayout } from "./transcript-export.ts";

export const maxMemoryMb = 1_000_000;
export const maxRecentVoices = 5;
export const defaultKeepRemovedDays = 30;

/** Language → id of a model on this machine; `other` for the languages without their own, except English. */
const choiceByLanguage = z
  .record(z.string().regex(/^(?:other|[a-z]{2,3})$/), z.string().max(200))
  .default({});
/** What the names fixed in OpenAI's clients take on this machine; default: see models/defaults.ts. */
const modelChoices = z.object({
  /** `whisper-1`. */
  transcribe: choiceByLanguage,
  /** `whisper-1`, into English. */
  translate: choiceByLanguage,
  /** `tts-1`. */
  speak: choiceByLanguage,
  /** `tts-1-hd`. */
  speakHd: choiceByLanguage,
});
export type ModelChoices = z.infer<typeof modelChoices>;

/** A device is identified by its label, since its id changes; default: the system's choice. */
const recordFrom = z.object({
  kind: z.enum(["microphone", "system"]).default("microphone"),
  deviceLabel: z.string().max(500).optional(),
});
export type RecordFrom = z.infer<typeof recordFrom>;

export const captionSizes = ["small", "medium", "large", "huge"] as const;
export const captionColors = ["window", "white", "yellow", "black"] as const;
export const maxCaptionLines = 6;
const captionPreferences = z.object({
  source: recordFrom.prefault({}),
  textSize: z.enum(captionSizes).default("medium"),
  /** Of the text: on black, and on white for `black`. */
  color: z.enum(captionColors).default("window"),
  /** Of each language. */
  lines: z.int().min(1).max(maxCaptionLines).default(3),
  /** Shows also what is said in English. */
  translates: z.boolean().default(false),
  /** Records what is captioned, into the library. */
  isRecorded: z.boolean().default(false),
});
export type CaptionPreferences = z.infer<typeof captionPreferences>;

const voiceName = z.string().min(1).max(200);
const chosenVoices = z.object({
  favourites: z.array(voiceName).max(200).default([]),
  /** The last one first. */
  recent: z.array(voiceName).max(maxRecentVoices).default([]),
  /** Of blends, by their formulas. */
  names: z.record(voiceName, z.string().min(1).max(60)).default({}),
});

export const preferences = z.object({
  theme: z.enum(["system", "light", "dark"]).default("system"),
  /** Language of the interface; default: the browser's. */
  language: z.enum(interfaceLanguageCodes).optional(),
  transcribe: transcribeOptions.prefault({}),
  narrate: narrateOptions.prefault({}),
  /** The last choices for files of transcripts. */
  transcriptExport: transcriptLayout
    .extend({ format: z.enum(transcriptExports).default("txt") })
    .prefault({}),
  /** Number of engine processes; default: one per core. Takes effect at the next start. */
  workers: z.int().min(1).max(64).optional(),
  idleSec: z.int().min(1).max(86_400).optional(),
  /** Memory limit of all engine processes together, in MB; no limit if it is omitted or 0. */
  memoryMb: z.int().min(0).max(maxMemoryMb).optional(),
  models: modelChoices.prefault({}),
  voices: chosenVoices.prefault({}),
  /** Removed items are permanently deleted after this; 0: only when the user deletes them. */
  keepRemovedDays: z.int().min(0).max(3650).default(defaultKeepRemovedDays),
  isRailNarrow: z.boolean().default(false),
  hasSeenWelcome: z.boolean().default(false),
  /** Source of recordings. */
  recordFrom: recordFrom.prefault({}),
  /** Records the system's sound beside a microphone, as a track of its own. */
  recordsSystemTrack: z.boolean().default(false),
  captions: captionPreferences.prefault({}),
  /** Whether the last dictations are kept, to copy them again. */
  keepsDictations: z.boolean().default(true),
  watch: watchPreferences.prefault({}),
  desktop: desktopPreferences.prefault({}),
});
export type Preferences = z.infer<typeof preferences>;

/**
 * A merge patch, so that windows changing different fields do not overwrite each other. Removed fields return to their
 * default.
 */
export const preferencesChange = z.record(z.string(), z.unknown()).superRefine((patch, context) => {
  for (const { path, message } of preferences.safeParse(applyMergePatch({}, patch)).error?.issues ??
    [])
    context.addIssue({ code: "custom", path, message });
});
