// Cuts audio at pauses into segments of a sentence or two, from a stream of voice probabilities. Independent of the VAD
// model that computes them.

import type { SpeechSpan } from "../../contract/speech.ts";
import { createProbabilityHistory, type ProbabilityHistory } from "./probability-history.ts";

export type SegmentationPolicy = {
  /** Voice starts at a frame with this probability and ends below `quitProb`. */
  enterProb: number;
  quitProb: number;
  /** A shorter silence does not end a voiced range. */
  minSilenceSec: number;
  /** A range with less voice than this is a click, not speech. */
  minVoiceSec: number;
  /** A pause of this length always ends a segment. */
  pauseSec: number;
  /** A segment of at least this length ends at the next pause, however short. */
  softMaxSec: number;
  /** Maximum length of a segment. */
  maxSec: number;
  /** Silence kept before and after the voice. */
  leadSec: number;
  tailSec: number;
};

/** Moonshine stops early on segments with long pauses, and misses words in segments over 15 s. */
export const sentenceSegmentationPolicy: SegmentationPolicy = {
  enterProb: 0.5,
  quitProb: 0.35,
  minSilenceSec: 0.16,
  minVoiceSec: 0.13,
  pauseSec: 0.55,
  softMaxSec: 6,
  maxSec: 14,
  leadSec: 0.3,
  tailSec: 0.3,
};

/** A segment to be transcribed. */
export type SpeechSegmentSpan = SpeechSpan & {
  /** Bounds of the silence before and after the segment that belongs to no other segment, as far as known. */
  quietFromSec?: number;
  quietToSec?: number;
};

/** Frames `from` to `to` (exclusive). */
type VoicedRange = { from: number; to: number };

/** Speech that is not in a final segment yet. */
export type OpenSpeech = {
  /** Start of the segment, with the silence kept before the voice. */
  fromSec: number;
  startSec: number;
  /** End of the last frame with voice so far. */
  voicedUntilSec: number;
};

/** What was found in samples as they arrive. Times count from the first sample of all. */
export type LiveSpeechStep = {
  /** Segments that are now final. */
  speechSegments: SpeechSegmentSpan[];
  /** Speech that goes on, or may go on; undefined while nobody speaks. */
  openSpeech: OpenSpeech | undefined;
};

export type VadSegmenter = {
  /** Takes the probabilities of the next frames; returns the segments that are now final. */
  push(probabilities: Float32Array): SpeechSegmentSpan[];
  /** The latest speech that is not final yet; undefined while nobody speaks. */
  openSpeech(): OpenSpeech | undefined;
  /** The last segments. `durationSec` is the end of the file. */
  finish(durationSec: number): SpeechSegmentSpan[];
};

/** @param frameSec length of one frame of the VAD model */
export function createVadSegmenter(
  frameSec: number,
  policy: SegmentationPolicy = sentenceSegmentationPolicy,
): VadSegmenter {
  const history = createProbabilityHistory();
  const segments = createSegmentBuilder(history, frameSec, policy);
  const maxFrames = toFrames(policy.maxSec, frameSec);
  const minSilenceFrames = toFrames(policy.minSilenceSec, frameSec);
  let voiceStartFrame: number | undefined;
  let lastVoiceFrame = 0;

  function addFrame(probability: number): void {
    const frame = history.add(probability);
    if (voiceStartFrame === undefined) {
      if (probability >= policy.enterProb) voiceStartFrame = lastVoiceFrame = frame;
      else segments.addVoicelessFrame(frame);
      return;
    }
    if (probability >= policy.quitProb) lastVoiceFrame = frame;
    if (frame - lastVoiceFrame >= minSilenceFrames) {
      segments.addRange({ from: voiceStartFrame, to: lastVoiceFrame + 1 });
      voiceStartFrame = undefined;
    } else if (frame - voiceStartFrame >= maxFrames) {
      voiceStartFrame = splitContinuousSpeech(voiceStartFrame);
    } else segments.announceRange({ from: voiceStartFrame, to: lastVoiceFrame + 1 });
  }

  /** Cuts continuous speech at its weakest frame in the second half of the maximum length; returns that frame. */
  function splitContinuousSpeech(startFrame: number): number {
    const weakestFrame = history.weakestFrame(
      startFrame + Math.floor(maxFrames / 2),
      startFrame + maxFrames,
    );
    segments.addRange({ from: startFrame, to: weakestFrame });
    segments.close();
    return weakestFrame;
  }

  return {
    openSpeech() {
      const pending = segments.pendingSpan();
      if (pending !== undefined) {
        const { fromSec, startSec, endSec } = pending;
        return { fromSec, startSec, voicedUntilSec: endSec };
      }
      const voice =
        voiceStartFrame === undefined
          ? undefined
          : { from: voiceStartFrame, to: lastVoiceFrame + 1 };
      const from =
        segments.openFromFrame() ??
        (voice !== undefined && segments.isSpeech(voice) ? voice.from : undefined);
      return from === undefined
        ? undefined
        : {
            fromSec: segments.fromSecOf(from),
            startSec: from * frameSec,
            voicedUntilSec: (lastVoiceFrame + 1) * frameSec,
          };
    },
    push(probabilities) {
      for (const probability of probabilities) addFrame(probability);
      history.discardBefore(segments.openFromFrame() ?? voiceStartFrame ?? Infinity);
      return segments.takeFinal();
    },
    finish(durationSec) {
      if (voiceStartFrame !== undefined)
        segments.addRange({ from: voiceStartFrame, to: lastVoiceFrame + 1 });
      voiceStartFrame = undefined;
      segments.close();
      segments.finalizePending(Infinity);
      const finalSegments = segments.takeFinal();
      const last = finalSegments.at(-1);
      if (last !== undefined) {
        last.endSec = Math.min(last.endSec, durationSec);
        last.toSec = Math.min(last.toSec, durationSec);
      }
      return finalSegments;
    },
  };
}

const toFrames = (sec: number, frameSec: number): number => Math.round(sec / frameSec);

type SegmentBuilder = {
  addRange(range: VoicedRange): void;
  /** A voiced range that still grows: what it will close when it is added, closes now. */
  announceRange(range: VoicedRange): void;
  /** Long enough to be more than a click. */
  isSpeech(range: VoicedRange): boolean;
  /** Start of a segment with the silence kept before the voice, which starts at this frame. */
  fromSecOf(startFrame: number): number;
  /** A frame outside of voiced ranges, which may make a segment final. */
  addVoicelessFrame(frame: number): void;
  /** Closed, but not final yet. */
  pendingSpan(): SpeechSegmentSpan | undefined;
  /** Start of the segment that further ranges may still join. */
  openFromFrame(): number | undefined;
  /** Further ranges belong to the next segment. */
  close(): void;
  /** The next segment starts here, or later. */
  finalizePending(nextStartSec: number): void;
  /** Segments that became final since the last call. */
  takeFinal(): SpeechSegmentSpan[];
};

/** Joins voiced ranges to segments. */
function createSegmentBuilder(
  history: ProbabilityHistory,
  frameSec: number,
  policy: SegmentationPolicy,
): SegmentBuilder {
  let openRanges: VoicedRange[] = [];
  let lastEndFrame = -Infinity;
  /** A closed segment waits for the next one, which limits its share of the pause. */
  let pendingSegment: SpeechSegmentSpan | undefined;
  let finalSegments: SpeechSegmentSpan[] = [];

  /** Half of the pause belongs to the previous segment. */
  function fromSecOf(startFrame: number): number {
    const startSec = startFrame * frameSec;
    return Math.max(startSec - policy.leadSec, (lastEndFrame * frameSec + startSec) / 2, 0);
  }

  const isSpeech = ({ from, to }: VoicedRange): boolean =>
    to - from >= toFrames(policy.minVoiceSec, frameSec);

  /** Whether a range that starts there begins another segment, however long it becomes. */
  function startsAnother({ from }: VoicedRange): boolean {
    const first = openRanges[0];
    const last = openRanges.at(-1);
    if (first === undefined || last === undefined) return false;
    const isAfterPause = from - last.to >= toFrames(policy.pauseSec, frameSec);
    return isAfterPause || last.to - first.from >= toFrames(policy.softMaxSec, frameSec);
  }

  function close(): void {
    const first = openRanges[0];
    const last = openRanges.at(-1);
    if (first === undefined || last === undefined) return;
    openRanges = [];
    const { voicedFrames, meanProb } = history.measure(first.from, last.to, policy.quitProb);
    const startSec = first.from * frameSec;
    const endSec = last.to * frameSec;
    const fromSec = fromSecOf(first.from);
    lastEndFrame = last.to;
    finalizePending(startSec);
    const voicedSec = voicedFrames * frameSec;
    pendingSegment = { fromSec, toSec: endSec, startSec, endSec, voicedSec, voiceProb: meanProb };
  }

  function finalizePending(nextStartSec: number): void {
    if (pendingSegment === undefined) return;
    const { endSec } = pendingSegment;
    pendingSegment.toSec = Math.min(endSec + policy.tailSec, (endSec + nextStartSec) / 2);
    finalSegments.push(pendingSegment);
    pendingSegment = undefined;
  }

  return {
    addRange(range) {
      if (!isSpeech(range)) return;
      const firstFrame = openRanges[0]?.from ?? range.from;
      const isTooLong = range.to - firstFrame > toFrames(policy.maxSec, frameSec);
      if (isTooLong || startsAnother(range)) close();
      openRanges.push(range);
    },
    announceRange(range) {
      if (!isSpeech(range)) return;
      if (startsAnother(range)) close();
      if (openRanges.length === 0) finalizePending(range.from * frameSec);
    },
    isSpeech,
    fromSecOf,
    addVoicelessFrame(frame) {
      const last = openRanges.at(-1);
      if (last !== undefined && frame - last.to >= toFrames(policy.pauseSec, frameSec)) close();
      else if (
        pendingSegment !== undefined &&
        frame * frameSec - pendingSegment.endSec >= 2 * policy.tailSec
      )
        finalizePending((openRanges[0]?.from ?? frame) * frameSec);
    },
    pendingSpan: () => pendingSegment,
    openFromFrame: () => openRanges[0]?.from,
    close,
    finalizePending,
    takeFinal() {
      const taken = finalSegments;
      finalSegments = [];
      return taken;
    },
  };
}
