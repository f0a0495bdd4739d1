// Cuts audio at pauses into segments of a sentence or two, from a stream of voice probabilities. Independent of the VAD
// model that computes them.

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

/**
 * A segment to be transcribed. All times are seconds in the file; `from`/`to` include the silence kept around the
 * voice.
 */
export type SpeechSegmentSpan = {
  fromSec: number;
  toSec: number;
  startSec: number;
  endSec: number;
  /** Seconds of frames above the threshold. */
  voicedSec: number;
  /** Mean probability from start to end. */
  voiceProb: number;
  /** Bounds of the silence before and after the segment that belongs to no other segment, as far as known. */
  quietFromSec?: number;
  quietToSec?: number;
};

/** Frames `from` to `to` (exclusive). */
type VoicedRange = { from: number; to: number };

export type VadSegmenter = {
  /** Takes the probabilities of the next frames; returns the segments that are now final. */
  push(probabilities: Float32Array): SpeechSegmentSpan[];
  /** The last segments. `durationSec` is the end of the file. */
  finish(durationSec: number): SpeechSegmentSpan[];
};

/** @param frameSec length of one frame of the VAD model */
export function createVadSegmenter(
  frameSec: number,
  policy: SegmentationPolicy = sentenceSegmentationPolicy,
): VadSegmenter {
  // Probabilities are kept from the first frame that a segment may still need.
  let probabilityBuffer: number[] = [];
  let bufferStartFrame = 0;
  let frameCount = 0;
  let voiceStartFrame: number | undefined;
  let lastVoiceFrame = 0;
  let openRanges: VoicedRange[] = [];
  let lastEndFrame = -Infinity;
  /** A finished segment waits for the next one, which limits its share of the pause. */
  let pendingSegment: SpeechSegmentSpan | undefined;
  let finishedSegments: SpeechSegmentSpan[] = [];

  const toFrames = (sec: number): number => Math.round(sec / frameSec);
  const probabilityAt = (frame: number): number => probabilityBuffer[frame - bufferStartFrame] ?? 0;

  function closeSegment(): void {
    const first = openRanges[0];
    const last = openRanges.at(-1);
    if (first === undefined || last === undefined) return;
    openRanges = [];
    let sum = 0;
    let voicedFrames = 0;
    for (let frame = first.from; frame < last.to; frame += 1) {
      sum += probabilityAt(frame);
      if (probabilityAt(frame) >= policy.quitProb) voicedFrames += 1;
    }
    const startSec = first.from * frameSec;
    const endSec = last.to * frameSec;
    // Half of the pause belongs to the previous segment.
    const fromSec = Math.max(
      startSec - policy.leadSec,
      (lastEndFrame * frameSec + startSec) / 2,
      0,
    );
    lastEndFrame = last.to;
    emitPendingSegment(startSec);
    pendingSegment = {
      fromSec,
      toSec: endSec,
      startSec,
      endSec,
      voicedSec: voicedFrames * frameSec,
      voiceProb: sum / (last.to - first.from),
    };
  }

  function emitPendingSegment(nextStartSec: number): void {
    if (pendingSegment === undefined) return;
    pendingSegment.toSec = Math.min(
      pendingSegment.endSec + policy.tailSec,
      (pendingSegment.endSec + nextStartSec) / 2,
    );
    finishedSegments.push(pendingSegment);
    pendingSegment = undefined;
  }

  function addVoicedRange(range: VoicedRange): void {
    if (range.to - range.from < toFrames(policy.minVoiceSec)) return;
    const first = openRanges[0];
    const last = openRanges.at(-1);
    if (first !== undefined && last !== undefined) {
      const pauseFrames = range.from - last.to;
      const isLongEnough = last.to - first.from >= toFrames(policy.softMaxSec);
      const isTooLong = range.to - first.from > toFrames(policy.maxSec);
      if (pauseFrames >= toFrames(policy.pauseSec) || isLongEnough || isTooLong) closeSegment();
    }
    openRanges.push(range);
  }

  /** Continuous speech is cut at its weakest frame in the second half of the maximum length. */
  function splitContinuousSpeech(): void {
    if (voiceStartFrame === undefined) return;
    const maxFrames = toFrames(policy.maxSec);
    let weakestFrame = voiceStartFrame + Math.floor(maxFrames / 2);
    for (let frame = weakestFrame; frame < voiceStartFrame + maxFrames; frame += 1) {
      if (probabilityAt(frame) < probabilityAt(weakestFrame)) weakestFrame = frame;
    }
    addVoicedRange({ from: voiceStartFrame, to: weakestFrame });
    closeSegment();
    voiceStartFrame = weakestFrame;
  }

  function trimBuffer(): void {
    const neededFromFrame = openRanges[0]?.from ?? voiceStartFrame ?? frameCount;
    if (neededFromFrame - bufferStartFrame > 1000) {
      probabilityBuffer = probabilityBuffer.slice(neededFromFrame - bufferStartFrame);
      bufferStartFrame = neededFromFrame;
    }
  }

  function takeFinished(): SpeechSegmentSpan[] {
    const finished = finishedSegments;
    finishedSegments = [];
    return finished;
  }

  return {
    push(probabilities) {
      for (const frameProbability of probabilities) {
        probabilityBuffer.push(frameProbability);
        const frame = frameCount;
        frameCount += 1;
        if (voiceStartFrame === undefined) {
          if (frameProbability >= policy.enterProb) {
            voiceStartFrame = frame;
            lastVoiceFrame = frame;
          } else if (
            openRanges.length > 0 &&
            frame - (openRanges.at(-1)?.to ?? 0) >= toFrames(policy.pauseSec)
          ) {
            closeSegment();
          } else if (
            pendingSegment !== undefined &&
            frame * frameSec - pendingSegment.endSec >= 2 * policy.tailSec
          ) {
            emitPendingSegment((openRanges[0]?.from ?? frame) * frameSec);
          }
          continue;
        }
        if (frameProbability >= policy.quitProb) lastVoiceFrame = frame;
        if (frame - lastVoiceFrame >= toFrames(policy.minSilenceSec)) {
          addVoicedRange({ from: voiceStartFrame, to: lastVoiceFrame + 1 });
          voiceStartFrame = undefined;
        } else if (frame - voiceStartFrame >= toFrames(policy.maxSec)) {
          splitContinuousSpeech();
        }
      }
      trimBuffer();
      return takeFinished();
    },
    finish(durationSec) {
      if (voiceStartFrame !== undefined)
        addVoicedRange({ from: voiceStartFrame, to: lastVoiceFrame + 1 });
      voiceStartFrame = undefined;
      closeSegment();
      emitPendingSegment(Infinity);
      const last = finishedSegments.at(-1);
      if (last !== undefined) {
        last.endSec = Math.min(last.endSec, durationSec);
        last.toSec = Math.min(last.toSec, durationSec);
      }
      return takeFinished();
    },
  };
}
