// Time-stretching without a change of pitch: overlaps frames where they match best (WSOLA, after Verhelst and Roelands,
// ICASSP 1993). Pure.

const frameSec = 0.03;
const searchRadiusSec = 0.008;
/** Compares only every n-th sample. */
const compareStep = 4;

/** `rate` above 1 is faster; the result has about `samples.length / rate` samples. */
export function timeStretch(
  samples: Float32Array,
  rate: number,
  sampleRateHz: number,
): Float32Array<ArrayBuffer> {
  if (rate === 1) return Float32Array.from(samples);
  const hopSamples = Math.round((frameSec * sampleRateHz) / 2);
  const searchRadius = Math.round(searchRadiusSec * sampleRateHz);
  const out = new Float32Array(Math.max(1, Math.round(samples.length / rate)) + 2 * hopSamples);
  const window = Float32Array.from(
    { length: 2 * hopSamples },
    (_, at) => 0.5 - 0.5 * Math.cos((Math.PI * (at + 0.5)) / hopSamples),
  );
  let from = 0;
  for (
    let outputPosition = 0;
    outputPosition + 2 * hopSamples <= out.length;
    outputPosition += hopSamples
  ) {
    const expectedStart = Math.round(outputPosition * rate);
    // The first half of a frame should match what would have followed the previous frame.
    if (outputPosition > 0)
      from = bestStart(samples, from + hopSamples, expectedStart, hopSamples, searchRadius);
    for (let at = 0; at < 2 * hopSamples; at += 1)
      out[outputPosition + at] =
        (out[outputPosition + at] ?? 0) +
        (samples[from + at] ?? 0) *
          (outputPosition === 0 && at < hopSamples ? 1 : (window[at] ?? 0));
  }
  return out.slice(0, Math.max(1, Math.round(samples.length / rate)));
}

/** The start near `expectedStart` whose samples are most similar to those from `referenceStart` on. */
function bestStart(
  samples: Float32Array,
  referenceStart: number,
  expectedStart: number,
  length: number,
  searchRadius: number,
): number {
  let best = Math.max(0, expectedStart);
  let maxSimilarity = -Infinity;
  for (
    let start = Math.max(0, expectedStart - searchRadius);
    start <= expectedStart + searchRadius;
    start += compareStep
  ) {
    let similarity = 0;
    let power = 1e-9;
    for (let at = 0; at < length; at += compareStep) {
      const value = samples[start + at] ?? 0;
      similarity += value * (samples[referenceStart + at] ?? 0);
      power += value * value;
    }
    similarity /= Math.sqrt(power);
    if (similarity > maxSimilarity) {
      maxSimilarity = similarity;
      best = start;
    }
  }
  return best;
}
