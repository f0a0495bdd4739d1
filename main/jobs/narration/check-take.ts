// Checks a take by transcribing it and comparing the words with the sentence.

import type { Router } from "../../channels/router.ts";
import type { Take } from "../../contract/narration.ts";
import { createTranscriptionJob } from "../../contract/transcription-job.ts";
import { inlinePhonemeLink } from "../../text/script/apply-pronunciations.ts";
import { findMissedWords } from "../../text/script/missed-words.ts";
import type { Sentence } from "./sentences.ts";

export type CheckTakeDeps = {
  router: Router;
  /** Called before the audio is sent to a channel. */
  onSentTo(channel: string): void;
  speaksOnlyEnglish(model: string): boolean;
};

/** Model that transcribes generated audio. */
const checkModel = "whisper-1";
/** Shorter audio contains no word. */
const minCheckedSec = 0.1;

/** @returns words of the sentence that the transcription lacks, and the channel that transcribed it */
export async function checkTake(
  { router, onSentTo, speaksOnlyEnglish }: CheckTakeDeps,
  { take, mediaPath, sentence }: { take: Take; mediaPath: string; sentence: Sentence },
  signal: AbortSignal,
): Promise<{ missed: string[]; channel: string }> {
  if (take.durationSec < minCheckedSec) return { missed: [], channel: "" };
  const job = createTranscriptionJob({
    model: checkModel,
    mediaPath,
    textOnly: true,
    language: sentence.language ?? (speaksOnlyEnglish(take.model) ? "en" : undefined),
  });
  let transcribedText = "";
  let channel = "";
  for await (const event of router.transcribe(job, {
    caller: "window",
    signal,
    onSentTo,
    onServing: (name) => void (channel = name),
  }))
    if (event.type === "done") transcribedText = event.transcript.text;
  // The transcription may contain either the respelling or the word that it replaces.
  const [missedOfSpoken, missedOfWritten] = [
    findMissedWords(sentence.text.replace(inlinePhonemeLink, "$1"), transcribedText),
    findMissedWords(sentence.written, transcribedText),
  ];
  const missed = missedOfSpoken.length < missedOfWritten.length ? missedOfSpoken : missedOfWritten;
  return { missed, channel };
}
