// Voice probabilities of the last frames of a stream, as long as they are needed.

export type ProbabilityHistory = {
  /** Returns the number of the frame. */
  add(probability: number): number;
  /** Of the frames `from` to `to` (exclusive): the mean, and how many reach the threshold. */
  measure(from: number, to: number, threshold: number): { voicedFrames: number; meanProb: number };
  /** Of the frames `from` to `to` (exclusive): the first one with the lowest probability. */
  weakestFrame(from: number, to: number): number;
  /** Earlier frames are no longer needed. */
  discardBefore(frame: number): void;
};

export function createProbabilityHistory(): ProbabilityHistory {
  let buffer: number[] = [];
  let bufferStartFrame = 0;
  const probabilityAt = (frame: number): number => buffer[frame - bufferStartFrame] ?? 0;
  return {
    add: (probability) => bufferStartFrame + buffer.push(probability) - 1,
    measure(from, to, threshold) {
      let sum = 0;
      let voicedFrames = 0;
      for (let frame = from; frame < to; frame += 1) {
        sum += probabilityAt(frame);
        if (probabilityAt(frame) >= threshold) voicedFrames += 1;
      }
      return { voicedFrames, meanProb: sum / (to - from) };
    },
    weakestFrame(from, to) {
      let weakest = from;
      for (let frame = from; frame < to; frame += 1)
        if (probabilityAt(frame) < probabilityAt(weakest)) weakest = frame;
      return weakest;
    },
    discardBefore(frame) {
      const dropCount = Math.min(frame - bufferStartFrame, buffer.length);
      // Not at every call: the remaining probabilities are copied.
      if (dropCount <= 1000) return;
      buffer = buffer.slice(dropCount);
      bufferStartFrame += dropCount;
    },
  };
}
