// Transcripts in the library, the same for display, editing and export, and the options of a transcription.

import { z } from "zod";
import { speakerCount } from "./speakers.ts";
import { messageReference } from "./messages/sent-message.ts";

export const transcribeOptions = z.object({
  model: z.string().default("whisper-1"),
  /** ISO-639-1; omitted: detect it. */
  language: z.string().optional(),
  prompt: z.string().max(20_000).optional(),
  temperature: z.number().min(0).max(1).default(0),
  translate: z.boolean().default(false),
  /** Tell speakers apart. */
  speakers: speakerCount.exactOptional(),
  /** Transcribe only this range of the file. */
  fromSec: z.number().min(0).optional(),
  toSec: z.number().min(0).optional(),
});
export type TranscribeOptions = z.infer<typeof transcribeOptions>;

/** With what its recording decides. */
export const documentOptions = transcribeOptions.extend({
  /** Names of who speaks on the channels of a recording with two tracks; each is transcribed on its own. */
  tracks: z.array(z.string().min(1).max(100)).length(2).exactOptional(),
});
export type DocumentOptions = z.infer<typeof documentOptions>;

export const documentWord = z.object({
  word: z.string(),
  startSec: z.number(),
  endSec: z.number(),
  probability: z.number(),
  /** What the model wrote, where the vocabulary changed it. */
  heard: z.string().exactOptional(),
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
  /** Index of the track it was spoken on. */
  track: z.int().min(0).exactOptional(),
});
export type DocumentSegment = z.infer<typeof documentSegment>;

/** What somebody marked at a time of the recording. Without text: only the place. */
export const transcriptNote = z.object({
  id: z.uuid(),
  atSec: z.number().min(0),
  text: z.string().max(2000),
});
export type TranscriptNote = z.infer<typeof transcriptNote>;
export const maxTranscriptNotes = 1000;

export const transcriptDocument = z.object({
  /** Number of changes. A change names the revision it is based on. */
  revision: z.int(),
  durationSec: z.number(),
  language: z.string(),
  options: documentOptions,
  segments: z.array(documentSegment),
  /** Speakers that were named because of their voice, and nobody has confirmed yet: name → how sure it is, 0 to 1. */
  recognized: z.record(z.string(), z.number()).exactOptional(),
  /** In time order; omitted if there are none. */
  notes: z.array(transcriptNote).max(maxTranscriptNotes).exactOptional(),
  /** Ranges with speech that could not be transcribed. */
  failed: z.array(
    z.object({
      startSec: z.number(),
      endSec: z.number(),
      message: z.string(),
      ...messageReference,
      track: z.int().min(0).exactOptional(),
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

/** New or changed notes, and ids of removed ones. */
export const notesChange = z.object({
  put: z.array(transcriptNote).max(maxTranscriptNotes).default([]),
  remove: z.array(z.uuid()).max(maxTranscriptNotes).default([]),
});
export type NotesChange = z.infer<typeof notesChange>;
