// Faster or slower speech at the same pitch, for samples of any origin: overlap-add of pieces that are shifted a
// little until they fit what is already there (WSOLA; Verhelst and Roelands, 1993).

/** Half a piece: long enough for a period of the deepest voice, short enough to keep consonants sharp. */
const hopSec = 0.012;
/** How far a piece may move to fit: half a period of 60 Hz to either side. */
const toleranceSec = 0.0083;
/** Only every second sample and every second place are compared at first: at 24 kHz speech is smooth enough. */
const coarse = 2;

/** Mono samples → about `samples.length / pace` of them. `pace` 2 is twice as fast. */
export function stretchTime(samples: Float32Array, pace: number, sampleRateHz: number): Float32Array {
  const hop = Math.round(hopSec * sampleRateHz);
  const tolerance = Math.round(toleranceSec * sampleRateHz);
  const length = Math.round(samples.length / pace);
  if (pace === 1 || length <= hop) return samples.slice(0, length);
  const window = Float32Array.from({ length: 2 * hop }, (_, i) => 0.5 - 0.5 * Math.cos((Math.PI * (i + 0.5)) / hop));
  const out = new Float32Array(length + 2 * hop);
  // Starts half a piece early, so that the first samples lie under full windows as the others do.
  let from = -hop;
  for (let to = -hop; to < length; to += hop) {
    if (to > -hop) {
      const wanted = Math.round((to + hop) * pace) - hop;
      from = bestFit(samples, from + hop, wanted, tolerance, hop);
    }
    for (let i = Math.max(0, -to); i < 2 * hop; i++) out[to + i]! += window[i]! * (samples[from + i] ?? 0);
  }
  return out.subarray(0, length);
}

/** The place near `wanted` whose samples are most like those at `natural`, where the last piece would have gone on. */
function bestFit(samples: Float32Array, natural: number, wanted: number, tolerance: number, length: number): number {
  let best = wanted;
  let bestScore = -Infinity;
  const consider = (place: number, step: number): void => {
    let dot = 0;
    let energy = 1e-9;
    for (let i = 0; i < length; i += step) {
      const b = samples[place + i] ?? 0;
      dot += (samples[natural + i] ?? 0) * b;
      energy += b * b;
    }
    const score = dot / Math.sqrt(energy);
    if (score <= bestScore) return;
    bestScore = score;
    best = place;
  };
  for (let place = wanted - tolerance; place <= wanted + tolerance; place += coarse) consider(place, coarse);
  const near = best;
  bestScore = -Infinity;
  for (let place = near - coarse + 1; place < near + coarse; place++) consider(place, 1);
  return best;
}
