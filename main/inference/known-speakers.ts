// Speakers of whom the caller has sent a recording.

import { AppError } from "../contract/errors.ts";
import type { FindSpeakers, KnownSpeaker, KnownVoice } from "../contract/speakers.ts";

/** A recording with less speech says too little about a voice. */
const minSpeechSec = 1;

const param = "known_speaker_references";

/** @throws AppError if a recording is silent or too short, or cannot be decoded */
export const embedKnownSpeakers = (
  findSpeakers: FindSpeakers,
  known: readonly KnownSpeaker[],
  signal: AbortSignal,
): Promise<KnownVoice[]> =>
  Promise.all(
    known.map(async ({ name, media }) => {
      const { turns, prints } = await findSpeakers(media, { max: 1 }, signal).catch(
        (error: unknown) => {
          if (!(error instanceof AppError)) throw error;
          throw new AppError("request.knownSpeakerAudio", {}, { param, cause: error });
        },
      );
      const speechSec = turns.reduce((sum, { fromSec, toSec }) => sum + toSec - fromSec, 0);
      const [print = new Float32Array()] = prints;
      if (print.length === 0 || speechSec < minSpeechSec)
        throw new AppError("request.knownSpeaker", { name }, { param });
      return { name, print };
    }),
  );
