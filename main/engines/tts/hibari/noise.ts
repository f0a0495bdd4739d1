// Repeatable randomness: a seed from text and voice, and standard normal noise for the voice's breath. The noise is
// read from one table at random positions: generating a million normal numbers per second of speech would cost as much
// as the rest of the waveform.

const tableSize = 1 << 16;

/** FNV-1a over UTF-16 units: a 32-bit seed for a text. */
export function hashSeed(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}

/** Mulberry32: uniform in 0..1 from a 32-bit seed; the same seed gives the same sequence. */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 0x100000000;
  };
}

export type NoiseTable = {
  /** Standard normal numbers; read `length` of them from the position that `randomStart(length, random)` returns. */
  readonly values: Float32Array;
  randomStart(length: number, random: () => number): number;
};

/** Fills the table by the Box–Muller transform with a fixed seed, the same in every process. */
export function createNoiseTable(): NoiseTable {
  const random = createRandom(0x48696261);
  const values = new Float32Array(tableSize);
  for (let i = 0; i < tableSize; i += 2) {
    const radius = Math.sqrt(-2 * Math.log(1 - random()));
    const angle = 2 * Math.PI * random();
    values[i] = radius * Math.cos(angle);
    values[i + 1] = radius * Math.sin(angle);
  }
  return {
    values,
    randomStart: (length, nextRandom) => Math.floor(nextRandom() * (tableSize - length)),
  };
}
