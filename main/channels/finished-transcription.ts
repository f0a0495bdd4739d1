// Completes what channels leave out or bend, so that every caller gets the same: no time before the file, and a
// language for each segment and for the transcript if one is known.

import { languageName } from "../contract/languages.ts";
import type {
  Transcript,
  TranscriptionEvent,
  TranscriptionJob,
  TranscriptSegment,
} from "../contract/speech.ts";
import { addSpeechSec, dominantLanguage } from "../contract/transcript.ts";

export async function* finishTranscription(
  events: AsyncIterable<TranscriptionEvent>,
  job: TranscriptionJob,
): AsyncGenerator<TranscriptionEvent, void, undefined> {
  for await (const event of events) {
    if (event.type === "segment") yield { ...event, segment: finishSegment(event.segment, job) };
    else if (event.type === "done")
      yield { ...event, transcript: finishTranscript(event.transcript, job) };
    else yield event;
  }
}

/** The language of text that names none. */
const expectedLanguage = ({ task, language }: TranscriptionJob): string | undefined =>
  task === "translate" ? "en" : language;

function finishTranscript(transcript: Transcript, job: TranscriptionJob): Transcript {
  const segments = transcript.segments.map((segment) => finishSegment(segment, job));
  const language =
    expectedLanguage(job) ?? dominantLanguage(addSpeechSec(new Map(), segments)) ?? "";
  return {
    ...transcript,
    segments,
    language: transcript.language === "" ? languageName(language) : transcript.language,
  };
}

function finishSegment(segment: TranscriptSegment, job: TranscriptionJob): TranscriptSegment {
  const { words, language } = segment;
  return {
    ...toFileTimes(segment),
    language: language === "" ? (expectedLanguage(job) ?? "") : language,
    ...(words === undefined ? {} : { words: words.map(toFileTimes) }),
  };
}

/** Some providers return times before the beginning of the file. */
const toFileTimes = <Timed extends { startSec: number; endSec: number }>(timed: Timed): Timed => ({
  ...timed,
  startSec: Math.max(0, timed.startSec),
  endSec: Math.max(0, timed.endSec),
});
