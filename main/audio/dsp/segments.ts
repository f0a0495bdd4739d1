// Cuts a stream of voice probabilities into pieces of a sentence or two, at pauses. Works as the audio comes in.
// The probabilities come from a voice activity model; which one is not known here.

export type CutPolicy = {
  /** Voice begins at a frame this probable and ends below `quitProb`. */
  enterProb: number;
  quitProb: number;
  /** A silence shorter than this does not end a stretch of voice. */
  minSilenceSec: number;
  /** A stretch with less voice than this is a click, not speech. */
  minVoiceSec: number;
  /** A pause this long always ends a piece. */
  pauseSec: number;
  /** A piece at least this long ends at the next pause, however short. */
  enoughSec: number;
  /** No piece is longer. */
  maxSec: number;
  /** Silence kept before and after the voice. */
  leadSec: number;
  tailSec: number;
};

/** Moonshine stops early on pieces that hold long pauses, and misses words in pieces over 15 s. */
export const sentencePolicy: CutPolicy = {
  enterProb: 0.5,
  quitProb: 0.35,
  minSilenceSec: 0.16,
  minVoiceSec: 0.13,
  pauseSec: 0.55,
  enoughSec: 6,
  maxSec: 14,
  leadSec: 0.3,
  tailSec: 0.3,
};

/** A piece to be heard. All times are seconds in the file; `from`/`to` include the silence kept around the voice. */
export type PieceSpan = {
  fromSec: number;
  toSec: number;
  startSec: number;
  endSec: number;
  /** Seconds of frames above the threshold. */
  voicedSec: number;
  /** Mean probability from start to end. */
  voiceProb: number;
  /** Where the silence before and behind it begins and ends that is no other piece's, as far as anybody found out. */
  quietFromSec?: number;
  quietToSec?: number;
};

/** Frames `from` to `to`, `to` excluded. */
type Stretch = { from: number; to: number };

export type Cutter = {
  /** Takes the probabilities of the next frames; gives the pieces that are final now. */
  push(probabilities: Float32Array): PieceSpan[];
  /** The last pieces. `durationSec` is where the file ends. */
  finish(durationSec: number): PieceSpan[];
};

/** @param frameSec length of one frame of the voice activity model */
export function createCutter(frameSec: number, policy: CutPolicy = sentencePolicy): Cutter {
  // Probabilities are kept from the first frame that a piece may still need.
  let kept: number[] = [];
  let keptFrom = 0;
  let frames = 0;
  let voiceFrom: number | undefined;
  let lastVoice = 0;
  let open: Stretch[] = [];
  let lastEnd = -Infinity;
  /** A finished piece waits for what follows it, to know how much of the pause is its own. */
  let waiting: PieceSpan | undefined;
  let out: PieceSpan[] = [];

  const framesOf = (sec: number): number => Math.round(sec / frameSec);
  const probability = (frame: number): number => kept[frame - keptFrom] ?? 0;

  function closePiece(): void {
    const first = open[0];
    const last = open.at(-1);
    if (first === undefined || last === undefined) return;
    open = [];
    let sum = 0;
    let voiced = 0;
    for (let frame = first.from; frame < last.to; frame += 1) {
      sum += probability(frame);
      if (probability(frame) >= policy.quitProb) voiced += 1;
    }
    const startSec = first.from * frameSec;
    const endSec = last.to * frameSec;
    // Half the pause before belongs to the piece before.
    const fromSec = Math.max(startSec - policy.leadSec, (lastEnd * frameSec + startSec) / 2, 0);
    lastEnd = last.to;
    emitWaiting(startSec);
    waiting = {
      fromSec,
      toSec: endSec,
      startSec,
      endSec,
      voicedSec: voiced * frameSec,
      voiceProb: sum / (last.to - first.from),
    };
  }

  function emitWaiting(nextStartSec: number): void {
    if (waiting === undefined) return;
    waiting.toSec = Math.min(waiting.endSec + policy.tailSec, (waiting.endSec + nextStartSec) / 2);
    out.push(waiting);
    waiting = undefined;
  }

  function addStretch(stretch: Stretch): void {
    if (stretch.to - stretch.from < framesOf(policy.minVoiceSec)) return;
    const first = open[0];
    const last = open.at(-1);
    if (first !== undefined && last !== undefined) {
      const pause = stretch.from - last.to;
      const enough = last.to - first.from >= framesOf(policy.enoughSec);
      const tooLong = stretch.to - first.from > framesOf(policy.maxSec);
      if (pause >= framesOf(policy.pauseSec) || enough || tooLong) closePiece();
    }
    open.push(stretch);
  }

  /** Speech without a pause is cut at its weakest frame in the second half of what is allowed. */
  function cutUnbroken(): void {
    if (voiceFrom === undefined) return;
    const max = framesOf(policy.maxSec);
    let weakest = voiceFrom + Math.floor(max / 2);
    for (let frame = weakest; frame < voiceFrom + max; frame += 1) {
      if (probability(frame) < probability(weakest)) weakest = frame;
    }
    addStretch({ from: voiceFrom, to: weakest });
    closePiece();
    voiceFrom = weakest;
  }

  function forget(): void {
    const needed = open[0]?.from ?? voiceFrom ?? frames;
    if (needed - keptFrom > 1000) {
      kept = kept.slice(needed - keptFrom);
      keptFrom = needed;
    }
  }

  function take(): PieceSpan[] {
    const taken = out;
    out = [];
    return taken;
  }

  return {
    push(probabilities) {
      for (const prob of probabilities) {
        kept.push(prob);
        const frame = frames;
        frames += 1;
        if (voiceFrom === undefined) {
          if (prob >= policy.enterProb) {
            voiceFrom = frame;
            lastVoice = frame;
          } else if (
            open.length > 0 &&
            frame - (open.at(-1)?.to ?? 0) >= framesOf(policy.pauseSec)
          ) {
            closePiece();
          } else if (
            waiting !== undefined &&
            frame * frameSec - waiting.endSec >= 2 * policy.tailSec
          ) {
            emitWaiting((open[0]?.from ?? frame) * frameSec);
          }
          continue;
        }
        if (prob >= policy.quitProb) lastVoice = frame;
        if (frame - lastVoice >= framesOf(policy.minSilenceSec)) {
          addStretch({ from: voiceFrom, to: lastVoice + 1 });
          voiceFrom = undefined;
        } else if (frame - voiceFrom >= framesOf(policy.maxSec)) {
          cutUnbroken();
        }
      }
      forget();
      return take();
    },
    finish(durationSec) {
      if (voiceFrom !== undefined) addStretch({ from: voiceFrom, to: lastVoice + 1 });
      voiceFrom = undefined;
      closePiece();
      emitWaiting(Infinity);
      const last = out.at(-1);
      if (last !== undefined) {
        last.endSec = Math.min(last.endSec, durationSec);
        last.toSec = Math.min(last.toSec, durationSec);
      }
      return take();
    },
  };
}
