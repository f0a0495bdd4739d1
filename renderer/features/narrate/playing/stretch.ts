// Speech faster or slower at its own pitch: stretches of it are laid over one another where they fit best (WSOLA, after
// Verhelst and Roelands, ICASSP 1993). Pure.

const frameSec = 0.03;
const searchSec = 0.008;
/** Every so many samples are compared. */
const coarse = 4;

/** `rate` above 1 is faster; the result has about `samples.length / rate` samples. */
export function stretched(
  samples: Float32Array,
  rate: number,
  sampleRateHz: number,
): Float32Array<ArrayBuffer> {
  if (rate === 1) return Float32Array.from(samples);
  const hop = Math.round((frameSec * sampleRateHz) / 2);
  const search = Math.round(searchSec * sampleRateHz);
  const out = new Float32Array(Math.max(1, Math.round(samples.length / rate)) + 2 * hop);
  const window = Float32Array.from(
    { length: 2 * hop },
    (_, at) => 0.5 - 0.5 * Math.cos((Math.PI * (at + 0.5)) / hop),
  );
  let from = 0;
  for (let place = 0; place + 2 * hop <= out.length; place += hop) {
    const wanted = Math.round(place * rate);
    // The first half of a frame is to go on as the one before it would have.
    if (place > 0) from = bestStart(samples, from + hop, wanted, hop, search);
    for (let at = 0; at < 2 * hop; at += 1)
      out[place + at] =
        (out[place + at] ?? 0) +
        (samples[from + at] ?? 0) * (place === 0 && at < hop ? 1 : (window[at] ?? 0));
  }
  return out.slice(0, Math.max(1, Math.round(samples.length / rate)));
}

/** The start near `wanted` whose samples are most like those from `model` on. */
function bestStart(
  samples: Float32Array,
  model: number,
  wanted: number,
  length: number,
  search: number,
): number {
  let best = Math.max(0, wanted);
  let most = -Infinity;
  for (let start = Math.max(0, wanted - search); start <= wanted + search; start += coarse) {
    let likeness = 0;
    let power = 1e-9;
    for (let at = 0; at < length; at += coarse) {
      const value = samples[start + at] ?? 0;
      likeness += value * (samples[model + at] ?? 0);
      power += value * value;
    }
    likeness /= Math.sqrt(power);
    if (likeness > most) {
      most = likeness;
      best = start;
    }
  }
  return best;
}
