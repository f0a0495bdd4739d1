// Events of the app, which announce changes to its windows.

import { z } from "zod";
import { storageKeys } from "./errors.ts";
import { item } from "./library-item.ts";
import { modelDownload } from "./model-downloads.ts";
import { narrationSentence } from "./narration.ts";
import { documentSegment } from "./transcript-document.ts";

/** Engine processes and their memory, as last reported. */
export const engineUsage = z.object({ processes: z.int(), heldBytes: z.number() });
export type EngineUsage = z.infer<typeof engineUsage>;

export const storageProblem = z.enum(storageKeys);

/** Pushed to the window as server-sent events. */
export const appEvent = z.discriminatedUnion("type", [
  z.object({ type: z.literal("item"), item }),
  z.object({ type: z.literal("item-removed"), id: z.string() }),
  /** New segments of a running transcription. */
  z.object({ type: z.literal("segments"), itemId: z.string(), segments: z.array(documentSegment) }),
  /**
   * Speech of a recording that goes on, by its start: words that stay, and words that may change. Empty: it is over.
   */
  z.object({
    type: z.literal("draft"),
    itemId: z.string(),
    startSec: z.number(),
    settled: z.string(),
    unsettled: z.string(),
    /** Of a recording with tracks. */
    speaker: z.string().exactOptional(),
  }),
  z.object({ type: z.literal("document"), itemId: z.string(), revision: z.int() }),
  /** Progress of an audiobook export, 0 to 1. */
  z.object({ type: z.literal("narration-file"), itemId: z.string(), progress: z.number() }),
  /** Progress of a retranscription, 0 to 1. */
  // Progress of `retranscribe`, under the name of earlier versions.
  z.object({ type: z.literal("hear-again"), itemId: z.string(), progress: z.number() }),
  z.object({ type: z.literal("sentence"), itemId: z.string(), sentence: narrationSentence }),
  /** Configuration, models or health of the channels changed. */
  z.object({ type: z.literal("channels"), isHealthOnly: z.boolean().optional() }),
  /** An API key was created or revoked. */
  z.object({ type: z.literal("keys") }),
  z.object({ type: z.literal("preferences") }),
  /** The podcast feed was switched, got a new address, or one of its files was made. */
  z.object({ type: z.literal("feed") }),
  /** Something happened to the watched folder or its files. */
  z.object({ type: z.literal("watch") }),
  /** The order of waiting transcriptions changed, or they were paused or resumed. */
  z.object({ type: z.literal("transcription-queue") }),
  /** A model was installed, removed, set aside or measured. */
  z.object({ type: z.literal("models") }),
  /** A model was loaded or unloaded, a process started or ended, or memory changed clearly. */
  z.object({ type: z.literal("engines"), engines: engineUsage }),
  /** Work waits because the disk is full, locked by another program or unreachable; without `trouble` it continues. */
  z.object({ type: z.literal("storage"), trouble: storageProblem.optional() }),
  /** Progress of an archive import, in files. */
  z.object({ type: z.literal("library-import"), done: z.int(), total: z.int() }),
  /** The library is damaged, or its notice was dismissed. */
  z.object({ type: z.literal("library") }),
  /** A download of a model began, ended, or went on. */
  z.object({ type: z.literal("model-download"), download: modelDownload }),
  /** Progress of the import of a model, 0 to 1. */
  z.object({ type: z.literal("model-import"), progress: z.number() }),
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
export type AppEvent = z.infer<typeof appEvent>;
