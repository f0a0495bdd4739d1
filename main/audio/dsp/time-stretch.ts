// Changes the pace of speech without changing its pitch: overlapping windows, each shifted slightly to match the output
// so far (WSOLA; Verhelst and Roelands, 1993).

/** Half a window: long enough for a period of the deepest voice, short enough to keep consonants sharp. */
const hopSec = 0.012;
/** Maximum shift of a window in each direction: half a period of 60 Hz. */
const toleranceSec = 0.0083;
/** The search first uses every fourth sample; at 6 kHz the periods of speech are still enough to match a window. */
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
  // Silence on both sides, so that no window extends past an end.
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
    // `out` starts one hop earlier, so that its first samples are covered by two windows like all others: the middle of
    // this window is sample `to` of the result.
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

/**
 * The offset near `targetOffset` most similar to `naturalOffset`, where the last window would have continued, by
 * normalized correlation.
 */
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
