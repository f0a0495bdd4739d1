// Whisper's input: the log-mel spectrum of one window of audio, as openai/whisper's `log_mel_spectrogram` computes it
// for the audio alone. The rest of the window is 0, as in OpenAI's own transcription; appending silence before the
// spectrum costs accuracy. The caller cuts longer audio into windows.

import { createFrameFft } from "../../../audio/dsp/frame-fft.ts";

export type LogMelOptions = {
  /** 80, or 128 in the large models from version 3 on. */
  melBands: number;
  /** Samples per spectrum: even, with no prime factors but 2, 3 and 5. */
  fftSize?: number;
  hopSamples?: number;
  sampleRateHz?: number;
};

/** Lower power counts as this. */
const minPower = 1e-10;
/** Values further below the maximum are raised to this distance: 80 dB, in log10 of power. */
const dynamicRange = 8;

/**
 * Mono samples in −1..1 → `melBands` × `windowFrames` values, band after band. One frame per whole hop: audio shorter
 * than one hop gives only zeros. Samples after the window are ignored.
 */
export function createLogMel({
  melBands,
  fftSize = 400,
  hopSamples = 160,
  sampleRateHz = 16_000,
}: LogMelOptions): (samples: Float32Array, windowFrames: number) => Float32Array {
  const half = fftSize / 2;
  const { re, im, forward } = createFrameFft(fftSize);
  const hann = Float64Array.from(
    { length: fftSize },
    (_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * i) / fftSize),
  );
  const filters = melFilters(melBands, fftSize, sampleRateHz);
  const powerA = new Float64Array(half + 1);
  const powerB = new Float64Array(half + 1);

  /** Power spectra of two frames by one transform: X[k] = A[k] + i·B[k], where A and B are spectra of real signals. */
  function transformPair(padded: Float32Array, start: number): void {
    for (let i = 0; i < fftSize; i++) {
      const weight = hann[i]!;
      re[i] = padded[start + i]! * weight;
      im[i] = padded[start + hopSamples + i]! * weight;
    }
    forward();
    for (let k = 0; k <= half; k++) {
      const m = k === 0 ? 0 : fftSize - k;
      const sumRe = re[k]! + re[m]!,
        difRe = re[k]! - re[m]!;
      const sumIm = im[k]! + im[m]!,
        difIm = im[k]! - im[m]!;
      powerA[k] = (sumRe * sumRe + difIm * difIm) / 4;
      powerB[k] = (sumIm * sumIm + difRe * difRe) / 4;
    }
  }

  return (samples, windowFrames) => {
    const out = new Float32Array(melBands * windowFrames);
    const audio = samples.subarray(0, windowFrames * hopSamples);
    // The reference computes one more frame and drops it.
    const frames = Math.floor(audio.length / hopSamples);
    if (frames === 0) return out;
    // With an odd number of frames, the last pair reads one hop further.
    const padded = padWithReflection(audio, half, half + hopSamples);
    let peak = -Infinity;
    for (let frame = 0; frame < frames; frame += 2) {
      transformPair(padded, frame * hopSamples);
      const hasSecondFrame = frame + 1 < frames;
      for (let band = 0; band < melBands; band++) {
        const { firstBin, weights } = filters[band]!;
        let a = 0;
        let b = 0;
        for (let i = 0; i < weights.length; i++) {
          const weight = weights[i]!;
          a += weight * powerA[firstBin + i]!;
          b += weight * powerB[firstBin + i]!;
        }
        const index = band * windowFrames + frame;
        const logA = Math.log10(Math.max(a, minPower));
        out[index] = logA;
        if (logA > peak) peak = logA;
        if (!hasSecondFrame) continue;
        const logB = Math.log10(Math.max(b, minPower));
        out[index + 1] = logB;
        if (logB > peak) peak = logB;
      }
    }
    const floor = peak - dynamicRange;
    for (let band = 0; band < melBands; band++) {
      const first = band * windowFrames;
      for (let i = first; i < first + frames; i++) out[i] = (Math.max(out[i]!, floor) + 4) / 4;
    }
    return out;
  };
}

/** Pads both sides by reflection, repeatedly if the audio is shorter than the padding. */
function padWithReflection(audio: Float32Array, before: number, after: number): Float32Array {
  const { length } = audio;
  const padded = new Float32Array(before + length + after);
  padded.set(audio, before);
  // Period of repeated reflection; 1 for a single sample.
  const period = Math.max(1, 2 * (length - 1));
  const reflectedSample = (i: number): number => {
    const index = ((i % period) + period) % period;
    return audio[index < length ? index : period - index]!;
  };
  for (let i = 0; i < before; i++) padded[i] = reflectedSample(i - before);
  for (let i = length; i < length + after; i++) padded[before + i] = reflectedSample(i);
  return padded;
}

type MelFilter = {
  /** Bin of the first weight; all bins outside `weights` have weight 0. */
  firstBin: number;
  weights: Float64Array;
};

/**
 * Triangles with corners evenly spaced on Slaney's mel scale (Auditory Toolbox, 1998) from 0 Hz to half the sample
 * rate, each from the peak of its left neighbour to that of its right one. Area 1 over Hz, so that wide triangles are
 * not louder.
 */
function melFilters(melBands: number, fftSize: number, sampleRateHz: number): MelFilter[] {
  const highestMel = hzToMel(sampleRateHz / 2);
  const cornersHz = Float64Array.from({ length: melBands + 2 }, (_, i) =>
    melToHz((highestMel * i) / (melBands + 1)),
  );
  const binHz = sampleRateHz / fftSize;
  return Array.from({ length: melBands }, (_, band) => {
    const low = cornersHz[band]!,
      top = cornersHz[band + 1]!,
      high = cornersHz[band + 2]!;
    const firstBin = Math.floor(low / binHz) + 1;
    const lastBin = Math.min(Math.ceil(high / binHz) - 1, fftSize / 2);
    const weights = Float64Array.from({ length: Math.max(0, lastBin - firstBin + 1) }, (__, i) => {
      const hz = (firstBin + i) * binHz;
      return (Math.min((hz - low) / (top - low), (high - hz) / (high - top)) * 2) / (high - low);
    });
    return { firstBin, weights };
  });
}

// Slaney's scale: linear up to 1 kHz, 200 Hz per 3 mel; logarithmic above, 27 mel for a factor of 6.4.
const hzPerMel = 200 / 3;
const bendHz = 1000;
const bendMel = bendHz / hzPerMel;
const lnPerMel = Math.log(6.4) / 27;

const hzToMel = (hz: number): number =>
  hz < bendHz ? hz / hzPerMel : bendMel + Math.log(hz / bendHz) / lnPerMel;
const melToHz = (mel: number): number =>
  mel < bendMel ? mel * hzPerMel : bendHz * Math.exp((mel - bendMel) * lnPerMel);
