// Loudness of speech and a peak limiter. Follows ITU-R BS.1770-4 for one channel: K-weighting, blocks of 400 ms every
// 100 ms, gates at −70 LUFS and 10 LU below the mean.

type Biquad = { b0: number; b1: number; b2: number; a1: number; a2: number };

/** The standard's two filters, computed from their analogue values to fit any sample rate. */
function kWeighting(sampleRateHz: number): [Biquad, Biquad] {
  // High shelf, +4 dB above 1.7 kHz: models the effect of the head.
  let k = Math.tan((Math.PI * 1681.974450955533) / sampleRateHz);
  let q = 0.7071752369554196;
  const high = 10 ** (3.999843853973347 / 20);
  const middle = high ** 0.4996667741545416;
  let a0 = 1 + k / q + k * k;
  const shelf = {
    b0: (high + (middle * k) / q + k * k) / a0,
    b1: (2 * (k * k - high)) / a0,
    b2: (high - (middle * k) / q + k * k) / a0,
    a1: (2 * (k * k - 1)) / a0,
    a2: (1 - k / q + k * k) / a0,
  };
  // High pass at 38 Hz.
  k = Math.tan((Math.PI * 38.13547087602444) / sampleRateHz);
  q = 0.5003270373238773;
  a0 = 1 + k / q + k * k;
  return [
    shelf,
    { b0: 1, b1: -2, b2: 1, a1: (2 * (k * k - 1)) / a0, a2: (1 - k / q + k * k) / a0 },
  ];
}

/** Second-order Butterworth high pass. */
export function highPass(cutoffHz: number, sampleRateHz: number): Biquad {
  const k = Math.tan((Math.PI * cutoffHz) / sampleRateHz);
  const a0 = 1 + Math.SQRT2 * k + k * k;
  return {
    b0: 1 / a0,
    b1: -2 / a0,
    b2: 1 / a0,
    a1: (2 * (k * k - 1)) / a0,
    a2: (1 - Math.SQRT2 * k + k * k) / a0,
  };
}

export function filterInPlace(samples: Float32Array, { b0, b1, b2, a1, a2 }: Biquad): void {
  let s1 = 0;
  let s2 = 0;
  for (let n = 0; n < samples.length; n++) {
    const x = samples[n]!;
    const y = b0 * x + s1;
    s1 = b1 * x - a1 * y + s2;
    s2 = b2 * x - a2 * y;
    samples[n] = y;
  }
}

const lufs = (power: number): number => -0.691 + 10 * Math.log10(power);
const mean = (powers: readonly number[]): number =>
  powers.reduce((sum, power) => sum + power, 0) / powers.length;

/** LUFS of mono samples; −Infinity for silence. Audio shorter than a block counts as one block. */
export function loudnessLufs(samples: Float32Array, sampleRateHz: number): number {
  const weighted = samples.slice();
  for (const filter of kWeighting(sampleRateHz)) filterInPlace(weighted, filter);
  const stepSamples = Math.round(sampleRateHz / 10);
  const steps = Math.max(4, Math.floor(weighted.length / stepSamples));
  const energy = new Float64Array(steps);
  for (let i = 0; i < steps; i++) {
    const blockPart = weighted.subarray(i * stepSamples, (i + 1) * stepSamples);
    for (const sample of blockPart) energy[i]! += sample * sample;
  }
  const blockSize = Math.min(weighted.length, 4 * stepSamples);
  const blocks = Array.from(
    { length: steps - 3 },
    (_, i) =>
      (energy[i]! + energy[i + 1]! + energy[i + 2]! + energy[i + 3]!) / Math.max(blockSize, 1),
  );
  const audibleBlocks = blocks.filter((power) => lufs(power) > -70);
  if (audibleBlocks.length === 0) return -Infinity;
  const gate = lufs(mean(audibleBlocks)) - 10;
  return lufs(mean(audibleBlocks.filter((power) => lufs(power) > gate)));
}

/**
 * Multiplies by `gain` and keeps every sample within ±`ceiling`, in place. Where a block of 2.5 ms would exceed it, the
 * gain drops to what fits, within 10 ms before and back within 80 ms after.
 */
export function amplify(
  samples: Float32Array,
  gain: number,
  ceiling: number,
  sampleRateHz: number,
): void {
  const blockSamples = Math.round(sampleRateHz / 400);
  const count = Math.ceil(samples.length / blockSamples);
  // Gain at the edge between two blocks: the lower of both limits, so straight lines between edges stay within the
  // limits too.
  const edges = new Float32Array(count + 1).fill(gain);
  for (let i = 0; i < count; i++) {
    let peak = 0;
    for (const sample of samples.subarray(i * blockSamples, (i + 1) * blockSamples))
      peak = Math.max(peak, Math.abs(sample));
    const allowed = peak * gain > ceiling ? ceiling / peak : gain;
    edges[i] = Math.min(edges[i]!, allowed);
    edges[i + 1] = Math.min(edges[i + 1]!, allowed);
  }
  const attack = 10 ** (12 / 20 / 4);
  const release = 10 ** (12 / 20 / 32);
  for (let i = count - 1; i >= 0; i--) edges[i] = Math.min(edges[i]!, edges[i + 1]! * attack);
  for (let i = 1; i <= count; i++) edges[i] = Math.min(edges[i]!, edges[i - 1]! * release);
  for (let n = 0; n < samples.length; n++) {
    const i = Math.floor(n / blockSamples);
    const a = edges[i]!;
    samples[n]! *= a + ((edges[i + 1]! - a) * (n - i * blockSamples)) / blockSamples;
  }
}
