// Faster or slower speech at the same pitch, for samples of any origin: overlapping pieces, each moved a little until
// it fits what is already there (WSOLA; Verhelst and Roelands, 1993).

/** Half a piece: long enough for a period of the deepest voice, short enough to keep consonants sharp. */
const hopSec = 0.012;
/** How far a piece may move to either side: half a period of 60 Hz. */
const toleranceSec = 0.0083;
/** The search runs on every fourth sample first; at 6 kHz the periods of speech still tell where a piece fits. */
const coarseFactor = 4;

/** Mono samples → `samples.length / pace` of them, rounded. `pace` 2 is twice as fast. */
export function stretchTime(
  samples: Float32Array,
  pace: number,
  sampleRateHz: number,
): Float32Array {
  const length = Math.round(samples.length / pace);
  const hop = coarseFactor * Math.round((hopSec * sampleRateHz) / coarseFactor);
  if (pace === 1 || length <= hop) return samples.slice(0, length);
  const tolerance = coarseFactor * Math.round((toleranceSec * sampleRateHz) / coarseFactor);
  // Silence on both sides, so that no piece reaches over an end.
  const margin = 2 * hop + tolerance;
  const paddedSamples = new Float32Array(samples.length + 2 * margin + Math.ceil(hop * (pace + 1)));
  paddedSamples.set(samples, margin);
  const lastFrameStart = Math.max(0, samples.length - 2 * hop);
  const coarseSamples = downsample(paddedSamples);
  const fadeIn = Float32Array.from(
    { length: hop },
    (_, i) => 0.5 - 0.5 * Math.cos((Math.PI * (i + 0.5)) / hop),
  );
  const out = new Float32Array(length + 2 * hop);
  let naturalOffset = margin;
  for (let to = 0; to < length + hop; to += hop) {
    // `out` lies one hop behind, so that its first samples are under two pieces as all others are: the middle of this
    // piece is sample `to` of the result.
    const targetOffset =
      coarseFactor *
      Math.round((margin + Math.min(to * pace - hop, lastFrameStart)) / coarseFactor);
    const coarseOffset =
      to === 0
        ? targetOffset
        : coarseFactor *
          findBestOffset(
            coarseSamples,
            naturalOffset / coarseFactor,
            targetOffset / coarseFactor,
            tolerance / coarseFactor,
            hop / coarseFactor,
          );
    const from =
      to === 0
        ? coarseOffset
        : findBestOffset(paddedSamples, naturalOffset, coarseOffset, coarseFactor - 1, hop);
    for (let i = 0; i < hop; i++) {
      out[to + i]! += paddedSamples[from + i]! * fadeIn[i]!;
      out[to + hop + i]! += paddedSamples[from + hop + i]! * (1 - fadeIn[i]!);
    }
    naturalOffset = from + hop;
  }
  return out.subarray(hop, hop + length);
}

function downsample(samples: Float32Array): Float32Array {
  return Float32Array.from({ length: Math.floor(samples.length / coarseFactor) }, (_, i) => {
    let sum = 0;
    for (let j = 0; j < coarseFactor; j++) sum += samples[i * coarseFactor + j]!;
    return sum;
  });
}

/** The place near `targetOffset` most like the one at `naturalOffset`, where the last piece would have gone on: by normalised correlation. */
function findBestOffset(
  samples: Float32Array,
  naturalOffset: number,
  targetOffset: number,
  tolerance: number,
  length: number,
): number {
  const start = Math.round(naturalOffset);
  let bestOffset = targetOffset;
  let bestScore = -Infinity;
  let energy = 1e-9;
  for (let i = 0; i < length; i++) energy += samples[targetOffset - tolerance + i]! ** 2;
  for (let offset = targetOffset - tolerance; offset <= targetOffset + tolerance; offset++) {
    let dot = 0;
    for (let i = 0; i < length; i++) dot += samples[start + i]! * samples[offset + i]!;
    const score = dot / Math.sqrt(energy);
    if (score > bestScore) {
      bestScore = score;
      bestOffset = offset;
    }
    energy = Math.max(energy + samples[offset + length]! ** 2 - samples[offset]! ** 2, 1e-9);
  }
  return bestOffset;
}
