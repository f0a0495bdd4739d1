// Who speaks when.

import { z } from "zod";

/** A span in which one speaker talks; those of different speakers may overlap. Speakers are numbered as they appear. */
export type SpeakerTurn = { fromSec: number; toSec: number; speaker: number };

export type Speakers = {
  readonly turns: readonly SpeakerTurn[];
  /** By speaker: a mean of voice prints; empty if they never talk alone for long enough. */
  readonly prints: readonly Float32Array[];
};

/** How many speakers there are, as far as it is known. */
export const speakerCount = z
  .object({ min: z.int().min(1).exactOptional(), max: z.int().min(1).exactOptional() })
  .readonly();
export type SpeakerCount = z.infer<typeof speakerCount>;

/** `2`, or a range such as `2-4`; undefined if it is neither. */
export function parseSpeakerCount(text: string): SpeakerCount | undefined {
  const [, min = "", max = min] = /^([1-9]\d?)(?:\s*[-–]\s*([1-9]\d?))?$/.exec(text.trim()) ?? [];
  if (min === "" || Number(min) > Number(max)) return undefined;
  return { min: Number(min), max: Number(max) };
}

/** A voice print of somebody whose name is known. */
export type KnownVoice = { readonly name: string; readonly print: Float32Array };

/** A short recording of one person. */
export type KnownSpeaker = {
  readonly name: string;
  readonly media: { mediaPath: string; mediaBytes?: Uint8Array };
};

/** @throws AppError if this installation cannot tell speakers apart, or the file cannot be decoded */
export type FindSpeakers = (
  media: { mediaPath: string; mediaBytes?: Uint8Array },
  count: SpeakerCount,
  signal: AbortSignal,
) => Promise<Speakers>;

/** A recording that is still written: 16 kHz mono samples after a header. */
export type GrowingRecording = { readonly path: string; readonly headerBytes: number };

/**
 * Tells speakers of a growing recording apart. The function it returns does so for what is recorded by a time, and is
 * called with later and later ones; what it has analysed is not analysed again.
 * @throws AppError if this installation cannot tell speakers apart
 */
export type FollowSpeakers = (
  recording: GrowingRecording,
  count: SpeakerCount,
  signal: AbortSignal,
) => (durationSec: number) => Promise<Speakers>;

/** A to Z, then AA and so on, as the columns of a table. */
export function speakerLetters(speaker: number): string {
  const last = String.fromCodePoint(65 + (speaker % 26));
  return speaker < 26 ? last : speakerLetters(Math.floor(speaker / 26) - 1) + last;
}

/**
 * Whether a name is one that the app gives to speakers it does not know. Of two letters only the first ones: others are
 * somebody's initials, and nobody tells so many speakers apart.
 */
export const isSpeakerLetters = (name: string): boolean => /^A?[A-Z]$/.test(name);
