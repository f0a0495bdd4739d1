// Windows of the segmentation model: where they lie, which part of each counts, and how its frames become runs and
// chunks. Speakers are local here: their numbers mean something within one window only.

/** Length of the model's input. */
export const windowSec = 10;
const windowStepSec = 5;
/** Frames of a window, as the model's layers make them: their distance, and how much sound each one covers. */
export const windowFrames = 589;
export const frameStepSec = 270 / 16_000;
const frameLengthSec = 991 / 16_000;
export const localSpeakers = [0, 1, 2] as const;

/** Who speaks in a window: bit n of a frame stands for local speaker n. */
export type WindowActivity = {
  /** From 0 in a file. */
  readonly index: number;
  readonly frames: Uint8Array;
};

/** A span of time in which the same local speakers talk; bits as in the frames. */
export type LocalRun = { readonly fromSec: number; readonly toSec: number; readonly bits: number };

/** A span with one local speaker alone, for a voice print. */
export type Chunk = { readonly fromSec: number; readonly toSec: number; readonly speaker: number };

export const windowStartSec = (index: number): number => index * windowStepSec;

/** A rest that is shorter than this gets no window of its own. */
const minRestSec = 0.1;

/** Windows of a file, or of its beginning. */
export const windowCount = (durationSec: number): number =>
  Math.max(1, Math.ceil((durationSec - windowSec - minRestSec) / windowStepSec) + 1);

/**
 * Who speaks in the part of a window that counts, in order, silence included: in its middle, and in the first and the
 * last window of a file also at its beginning and its end.
 */
export function runsOf({ index, frames }: WindowActivity, durationSec: number): LocalRun[] {
  const marginSec = (windowSec - windowStepSec) / 2;
  const startSec = windowStartSec(index);
  const isLast = index === windowCount(durationSec) - 1;
  const toSec = isLast ? durationSec : startSec + windowSec - marginSec;
  let fromSec = index === 0 ? 0 : startSec + marginSec;
  const runs: LocalRun[] = [];
  const [first, last] = [frameAt(index, fromSec), frameAt(index, toSec)];
  for (let frame = first; frame <= last; frame++) {
    if (frame < last && frames[frame] === frames[frame + 1]) continue;
    const endSec = frame === last ? toSec : frameEndSec(index, frame);
    runs.push({ fromSec, toSec: endSec, bits: frames[frame] ?? 0 });
    fromSec = endSec;
  }
  return runs;
}

/** The frame whose middle is nearest to a time. */
export const frameAt = (index: number, sec: number): number =>
  Math.min(
    windowFrames - 1,
    Math.max(0, Math.round((sec - windowStartSec(index) - frameLengthSec / 2) / frameStepSec)),
  );

/** Halfway between its middle and that of the next one. */
const frameEndSec = (index: number, frame: number): number =>
  windowStartSec(index) + frameLengthSec / 2 + (frame + 0.5) * frameStepSec;

/** Prints of shorter ones tell voices apart badly. */
const minChunkSec = 0.5;
const chunkSec = 1.5;

/** Equal parts of about 1.5 s of a run in which a speaker is alone; none if it is too short. */
export function chunksOf({ fromSec, toSec, bits }: LocalRun): Chunk[] {
  const speaker = localSpeakers.find((one) => bits === 1 << one);
  const lengthSec = toSec - fromSec;
  if (speaker === undefined || lengthSec < minChunkSec) return [];
  const count = Math.max(1, Math.round(lengthSec / chunkSec));
  return Array.from({ length: count }, (_, part) => ({
    fromSec: fromSec + (lengthSec * part) / count,
    toSec: fromSec + (lengthSec * (part + 1)) / count,
    speaker,
  }));
}
