// Brings speech to one level for VAD, block by block: after loud speech the model takes quiet speech for silence.
// Transcription uses the unchanged recording.

import { joinSamples } from "../codec/pcm.ts";

/** Level the VAD model expects, as root mean square of full scale. */
const targetRms = 0.1;
/** 40 dB: amplifies speech 60 dB below full scale, but not the noise of silence to speech level. */
const maxGain = 100;
/** Decay of the measured level: half a second after a loud sound the gain has doubled. */
const halfLifeSec = 0.5;

export type GainControl = {
  /**
   * The next samples at the common level, within −1..1: whole frames, whatever the calls. The rest waits for the next
   * call, so that a live recording gets the same gain as its file.
   */
  process(samples: Float32Array): Float32Array;
  /** The samples that wait. */
  finish(): Float32Array;
};

/** State for one recording. The gain may change every `frameSamples`, and is interpolated in between. */
export function createGainControl(frameSamples: number, sampleRateHz: number): GainControl {
  let envelope = 0;
  let gain = 1;
  let pending = new Float32Array();

  function level(samples: Float32Array): Float32Array {
    const output = new Float32Array(samples.length);
    for (let from = 0; from < samples.length; from += frameSamples) {
      const to = Math.min(from + frameSamples, samples.length);
      let energy = 0;
      for (let at = from; at < to; at += 1)
        energy += (samples[at] as number) * (samples[at] as number);
      envelope = Math.max(
        Math.sqrt(energy / (to - from)),
        envelope * 0.5 ** ((to - from) / sampleRateHz / halfLifeSec),
      );
      const targetGain = Math.min(maxGain, Math.max(1, targetRms / envelope));
      const gainStep = (targetGain - gain) / (to - from);
      for (let at = from; at < to; at += 1) {
        gain += gainStep;
        const amplified = (samples[at] as number) * gain;
        output[at] = amplified > 1 ? 1 : amplified < -1 ? -1 : amplified;
      }
      gain = targetGain;
    }
    return output;
  }

  return {
    process(samples) {
      const available = joinSamples([pending, samples]);
      const whole = available.length - (available.length % frameSamples);
      pending = available.slice(whole);
      return level(available.subarray(0, whole));
    },
    finish: () => level(pending),
  };
}
