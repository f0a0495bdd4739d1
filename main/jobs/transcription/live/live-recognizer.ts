// What a live session needs to recognize speech, and what it makes of speech that goes on.

import type { DraftJob, DraftTranscript, SpeechSpan } from "../../../contract/speech.ts";
import type { LiveSpeechStep } from "../../../audio/dsp/vad-segmenter.ts";
import type { TranscribedSegment } from "../../../library/transcript-rows.ts";
import type { LiveText } from "./word-agreement.ts";

export const sampleRateHz = 16_000;

/** All samples are 16-bit, at 16 kHz. */
export type LiveRecognizer = {
  /** Takes the next samples; finds speech in them. With `endsSpeech`, open speech ends after them. */
  detectSpeech(pcm: Uint8Array, endsSpeech: boolean): Promise<LiveSpeechStep>;
  /** The text of speech that goes on; undefined where that cannot be had, and is not asked for again. */
  draft(
    pcm: Uint8Array,
    signal: AbortSignal,
    growth: Pick<DraftJob, "utterance" | "earlier">,
  ): Promise<DraftTranscript | undefined>;
  /**
   * What is final: the segments of speech that has ended, of one run or several neighbors. All times count from the
   * first sample of the session.
   * @param pcm from the start of the first run to the end of the last
   */
  settle(
    pcm: Uint8Array,
    spans: readonly SpeechSpan[],
    signal: AbortSignal,
  ): Promise<TranscribedSegment[]>;
  close(): void;
};

/** Speech without its last pass. Identified by its start. */
export type Draft = LiveText & { readonly startSec: number };
