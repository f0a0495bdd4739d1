// Speakers of whom the caller has sent a recording.

import { AppError } from "../contract/errors.ts";
import type { FindSpeakers, KnownSpeaker, KnownVoice } from "../contract/speakers.ts";

/** A recording with less speech says too little about a voice. */
const minSpeechSec = 1;

const param = "known_speaker_references";

/** @throws AppError if a recording is silent or too short, or cannot be decoded */
export async function embedKnownSpeakers(
  findSpeakers: FindSpeakers,
  known: readonly KnownSpeaker[],
  signal: AbortSignal,
): Promise<KnownVoice[]> {
  const stop = new AbortController();
  const stopSignal = AbortSignal.any([signal, stop.signal]);
  const embedded = known.map((speaker) => embedKnownSpeaker(findSpeakers, speaker, stopSignal));
  try {
    return await Promise.all(embedded);
  } finally {
    // Nothing reads the other recordings when the caller removes them.
    stop.abort();
    await Promise.allSettled(embedded);
  }
}

async function embedKnownSpeaker(
  findSpeakers: FindSpeakers,
  { name, media }: KnownSpeaker,
  signal: AbortSignal,
): Promise<KnownVoice> {
  const { turns, prints } = await findSpeakers(media, { max: 1 }, signal).catch((error: unknown) =>
    Promise.reject(toRecordingError(error, name)),
  );
  const speechSec = turns.reduce((sum, { fromSec, toSec }) => sum + toSec - fromSec, 0);
  const [print = new Float32Array()] = prints;
  if (print.length === 0 || speechSec < minSpeechSec)
    throw new AppError("request.knownSpeaker", { name }, { param });
  return { name, print };
}

/** Faults of the recording name its field; others, such as a full disk, stay what they are. */
function toRecordingError(error: unknown, name: string): unknown {
  if (!(error instanceof AppError) || error.row.status >= 500) return error;
  return error.key === "audio_too_short"
    ? new AppError("request.knownSpeaker", { name }, { param, cause: error })
    : new AppError("request.knownSpeakerAudio", {}, { param, cause: error });
}
