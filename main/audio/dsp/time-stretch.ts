// Faster or slower speech at the same pitch, for samples of any origin: overlapping pieces, each moved a little until
// it fits what is already there (WSOLA; Verhelst and Roelands, 1993).

/** Half a piece: long enough for a period of the deepest voice, short enough to keep consonants sharp. */
const hopSec = 0.012;
/** How far a piece may move to either side: half a period of 60 Hz. */
const toleranceSec = 0.0083;
/** The search runs on every fourth sample first; at 6 kHz the periods of speech still tell where a piece fits. */
const coarse = 4;

/** Mono samples → `samples.length / pace` of them, rounded. `pace` 2 is twice as fast. */
export function stretchTime(
  samples: Float32Array,
  pace: number,
  sampleRateHz: number,
): Float32Array {
  const length = Math.round(samples.length / pace);
  const hop = coarse * Math.round((hopSec * sampleRateHz) / coarse);
  if (pace === 1 || length <= hop) return samples.slice(0, length);
  const tolerance = coarse * Math.round((toleranceSec * sampleRateHz) / coarse);
  // Silence on both sides, so that no piece reaches over an end.
  const margin = 2 * hop + tolerance;
  const fine = new Float32Array(samples.length + 2 * margin + Math.ceil(hop * (pace + 1)));
  fine.set(samples, margin);
  const lastPiece = Math.max(0, samples.length - 2 * hop);
  const rough = averaged(fine);
  const rise = Float32Array.from(
    { length: hop },
    (_, i) => 0.5 - 0.5 * Math.cos((Math.PI * (i + 0.5)) / hop),
  );
  const out = new Float32Array(length + 2 * hop);
  let natural = margin;
  for (let to = 0; to < length + hop; to += hop) {
    // `out` lies one hop behind, so that its first samples are under two pieces as all others are: the middle of this
    // piece is sample `to` of the result.
    const wanted = coarse * Math.round((margin + Math.min(to * pace - hop, lastPiece)) / coarse);
    const near =
      to === 0
        ? wanted
        : coarse *
          bestFit(rough, natural / coarse, wanted / coarse, tolerance / coarse, hop / coarse);
    const from = to === 0 ? near : bestFit(fine, natural, near, coarse - 1, hop);
    for (let i = 0; i < hop; i++) {
      out[to + i]! += fine[from + i]! * rise[i]!;
      out[to + hop + i]! += fine[from + hop + i]! * (1 - rise[i]!);
    }
    natural = from + hop;
  }
  return out.subarray(hop, hop + length);
}

function averaged(samples: Float32Array): Float32Array {
  return Float32Array.from({ length: Math.floor(samples.length / coarse) }, (_, i) => {
    let sum = 0;
    for (let j = 0; j < coarse; j++) sum += samples[i * coarse + j]!;
    return sum;
  });
}

/** The place near `wanted` most like the one at `natural`, where the last piece would have gone on: by normalised correlation. */
function bestFit(
  samples: Float32Array,
  natural: number,
  wanted: number,
  tolerance: number,
  length: number,
): number {
  const start = Math.round(natural);
  let best = wanted;
  let bestScore = -Infinity;
  let energy = 1e-9;
  for (let i = 0; i < length; i++) energy += samples[wanted - tolerance + i]! ** 2;
  for (let place = wanted - tolerance; place <= wanted + tolerance; place++) {
    let dot = 0;
    for (let i = 0; i < length; i++) dot += samples[start + i]! * samples[place + i]!;
    const score = dot / Math.sqrt(energy);
    if (score > bestScore) {
      bestScore = score;
      best = place;
    }
    energy = Math.max(energy + samples[place + length]! ** 2 - samples[place]! ** 2, 1e-9);
  }
  return best;
}
