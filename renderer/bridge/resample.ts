// Resamples audio block by block with a windowed sinc, for the audio worklet: not every browser allows an AudioContext
// whose rate differs from the microphone's.

/** Zero crossings of the sinc on either side; more make the filter steeper. */
const zeroCrossings = 16;
/** Number of positions between two samples for which the filter is tabulated. */
const phases = 128;

/**
 * Sinc with a Hann window, cut off a little below the lower Nyquist frequency, for distances of 0 to `zeroCrossings /
 * cutoff` samples.
 */
function halfFilter(cutoff: number): Float64Array {
  const half = Math.ceil(zeroCrossings / cutoff);
  return Float64Array.from({ length: half * phases + 1 }, (_, index) => {
    const distance = index / phases;
    const x = Math.PI * distance * cutoff;
    const window = distance < half ? 0.5 + 0.5 * Math.cos((Math.PI * distance) / half) : 0;
    return cutoff * (x === 0 ? 1 : Math.sin(x) / x) * window;
  });
}

/**
 * Resamples −1..1 samples from `fromHz` to `toHz`. Each push returns the output samples that can be computed so far.
 */
export function createResampler(
  fromHz: number,
  toHz: number,
): { push(samples: Float32Array): Float32Array } {
  if (fromHz === toHz) return { push: (samples) => samples.slice() };
  const step = fromHz / toHz;
  const filter = halfFilter(Math.min(1, toHz / fromHz) * 0.94);
  const half = (filter.length - 1) / phases;
  /**
   * Input that is still needed; its first sample has index `firstSampleIndex` in the whole input. Starts with silence.
   */
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

/** Converts −1..1 to 16-bit integers; clips louder values. */
export const toInt16 = (samples: Float32Array): Int16Array<ArrayBuffer> =>
  Int16Array.from(samples, (value) => Math.round(Math.max(-1, Math.min(1, value)) * 32_767));
