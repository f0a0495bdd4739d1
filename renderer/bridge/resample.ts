// Sound at the microphone's rate brought to the rate speech models hear at, a block at a time, by a windowed sinc. Runs
// in the audio worklet, where an AudioContext of another rate than the microphone's is not to be had in every browser.

/** Zero crossings of the sinc on either side: the more, the steeper the filter. */
const zeroCrossings = 16;
/** Places between two samples the filter is known at. */
const phases = 128;

/** Windowed (Hann) sinc, cut off a little below the lower of both Nyquist frequencies, for distances of 0 to `crossings / cutoff` samples. */
function halfFilter(cutoff: number): Float64Array {
  const half = Math.ceil(zeroCrossings / cutoff);
  return Float64Array.from({ length: half * phases + 1 }, (_, index) => {
    const distance = index / phases;
    const x = Math.PI * distance * cutoff;
    const window = distance < half ? 0.5 + 0.5 * Math.cos((Math.PI * distance) / half) : 0;
    return cutoff * (x === 0 ? 1 : Math.sin(x) / x) * window;
  });
}

/** Samples in −1..1 at `fromHz` in, at `toHz` out; each push answers what can be known so far. */
export function createResampler(
  fromHz: number,
  toHz: number,
): { push(samples: Float32Array): Float32Array } {
  if (fromHz === toHz) return { push: (samples) => samples.slice() };
  const step = fromHz / toHz;
  const filter = halfFilter(Math.min(1, toHz / fromHz) * 0.94);
  const half = (filter.length - 1) / phases;
  /** Sound still needed; its first sample is number `firstSampleIndex` of all. Silence came before. */
  let buffered = new Float32Array(half);
  let firstSampleIndex = -half;
  let outputCount = 0;
  return {
    push(samples) {
      const audio = new Float32Array(buffered.length + samples.length);
      audio.set(buffered);
      audio.set(samples, buffered.length);
      const end = firstSampleIndex + audio.length;
      const out: number[] = [];
      while (outputCount * step + half < end) {
        const centerIndex = outputCount * step - firstSampleIndex;
        let sum = 0;
        for (
          let index = Math.max(0, Math.ceil(centerIndex - half));
          index <= centerIndex + half;
          index += 1
        )
          sum +=
            (audio[index] ?? 0) * (filter[Math.round(Math.abs(index - centerIndex) * phases)] ?? 0);
        out.push(sum);
        outputCount += 1;
      }
      const keepFrom = Math.max(0, Math.floor(outputCount * step) - half - firstSampleIndex);
      buffered = audio.slice(keepFrom);
      firstSampleIndex += keepFrom;
      return Float32Array.from(out);
    },
  };
}

/** −1..1 as 16-bit numbers, louder sound cut off. */
export const toInt16 = (samples: Float32Array): Int16Array<ArrayBuffer> =>
  Int16Array.from(samples, (value) => Math.round(Math.max(-1, Math.min(1, value)) * 32_767));
