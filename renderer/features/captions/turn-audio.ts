// The last audio of a live session, until its turns are translated.

export type TurnAudio = {
  push(block: Int16Array): void;
  /** A range of what was pushed, as far as it is still here. Drops everything before its end. */
  take(fromMs: number, toMs: number): Int16Array[];
};

const samplesPerMs = 16;
/** A longer turn is translated from there. */
const maxSamples = 120_000 * samplesPerMs;

export function createTurnAudio(): TurnAudio {
  let blocks: Int16Array[] = [];
  /** Index of the first sample in `blocks`. */
  let firstSample = 0;
  let sampleCount = 0;

  function dropBefore(sample: number): void {
    while (blocks[0] !== undefined && firstSample + blocks[0].length <= sample) {
      firstSample += blocks[0].length;
      sampleCount -= blocks[0].length;
      blocks = blocks.slice(1);
    }
  }

  return {
    push(block) {
      blocks.push(block);
      sampleCount += block.length;
      if (sampleCount > maxSamples) dropBefore(firstSample + sampleCount - maxSamples);
    },
    take(fromMs, toMs) {
      const [from, to] = [fromMs * samplesPerMs, toMs * samplesPerMs];
      const taken: Int16Array[] = [];
      let at = firstSample;
      for (const block of blocks) {
        const part = block.subarray(Math.max(0, from - at), Math.max(0, to - at));
        if (part.length > 0) taken.push(part);
        at += block.length;
      }
      dropBefore(to);
      return taken;
    },
  };
}
