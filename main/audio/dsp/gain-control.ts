// Brings speech of any loudness to one level for a voice activity model, as it comes in: a model that has just heard
// loud speech takes quiet speech for silence. What is recognised afterwards is the recording as it was.

/** What the model is used to, as root mean square of full scale. */
const targetRms = 0.1;
/** 40 dB: speech 60 dB below full scale is lifted, the hiss of silence stays hiss. */
const maxGain = 100;
/** The level is remembered for so long: half a second after a loud sound the gain has doubled. */
const halfLifeSec = 0.5;

export type GainControl = {
  /** A copy of the next samples at the common level, within −1..1. */
  process(samples: Float32Array): Float32Array;
};

/** Follows one recording. `frameSamples` is how often the gain may change; it glides in between. */
export function createGainControl(frameSamples: number, sampleRateHz: number): GainControl {
  let envelope = 0;
  let gain = 1;
  return {
    process(samples) {
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
    },
  };
}
