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

/** A to Z, then AA and so on, as the columns of a table. */
export function speakerLetters(speaker: number): string {
  const last = String.fromCodePoint(65 + (speaker % 26));
  return speaker < 26 ? last : speakerLetters(Math.floor(speaker / 26) - 1) + last;
}
