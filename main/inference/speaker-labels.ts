// Adds speakers to a transcription, whoever makes it: both run at the same time.

import type { TranscriptionEvent, TranscriptionJob } from "../contract/speech.ts";
import { speakerLetters } from "../contract/speakers.ts";
import { createTextSegment } from "../contract/transcript.ts";
import { keepTranscribedSpeakers } from "../transcript/transcribed-speakers.ts";
import { createSpeakerAssignment } from "../transcript/speaker-assignment.ts";
import { nameSpeakers } from "../transcript/speaker-names.ts";
import { embedKnownSpeakers } from "./known-speakers.ts";
import type { Diarization } from "./local-diarization.ts";

/**
 * Progress and failures come as they do; segments come at the end, when it is known who speaks.
 * @throws AppError if the speakers cannot be told apart
 */
export async function* labelSpeakers(
  { findSpeakers }: Pick<Diarization, "findSpeakers">,
  events: AsyncIterable<TranscriptionEvent>,
  job: TranscriptionJob,
  signal: AbortSignal,
): AsyncGenerator<TranscriptionEvent, void, undefined> {
  const stop = new AbortController();
  const jobSignal = AbortSignal.any([signal, stop.signal]);
  const finding = findSpeakers(job, job.speakers ?? {}, jobSignal);
  // An error is reported when the speakers are needed.
  finding.catch(() => {});
  try {
    // Faults of these short recordings are known before anything is transcribed.
    const known = await embedKnownSpeakers(findSpeakers, job.knownSpeakers ?? [], jobSignal);
    for await (const event of events) {
      if (event.type === "progress" || event.type === "failed") yield event;
      if (event.type !== "done") continue;
      const { transcript } = event;
      const { text, durationSec } = transcript;
      const spoken =
        transcript.segments.length === 0 && text.trim() !== ""
          ? [createTextSegment(text, { startSec: 0, endSec: durationSec }, job.language ?? "")]
          : transcript.segments;
      const { turns, prints } = keepTranscribedSpeakers(await finding, spoken);
      const names = nameSpeakers(prints, known);
      const nameOf = (speaker: number): string => names[speaker]?.name ?? speakerLetters(speaker);
      const assign = createSpeakerAssignment(turns);
      const segments = spoken.flatMap((segment) => {
        const parts = assign(segment).map((part) => ({
          ...part,
          speaker: nameOf(part.speaker),
        }));
        // Nobody knows which tokens belong to a part.
        return parts.length === 1 ? parts : parts.map((part) => ({ ...part, tokens: [] }));
      });
      for (const segment of segments) yield { type: "segment", segment };
      const namedTurns = turns.map((turn) => ({ ...turn, speaker: nameOf(turn.speaker) }));
      yield { ...event, transcript: { ...transcript, segments, turns: namedTurns } };
    }
  } finally {
    stop.abort();
    await finding.catch(() => {});
  }
}
