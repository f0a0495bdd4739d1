// The model begins and ends with silence of varying length; pauses are made by post-processing instead.

const blockSec = 0.005;
/** The weakest consonants are near −50 dB, silence is below −65. */
const silenceDbfs = -58;
/** Kept around the audible part. */
const marginSec = { before: 0.025, after: 0.06 };

/** A view of the audible part; empty if there is none. */
export function trimSilence(samples: Float32Array, sampleRateHz: number): Float32Array {
  const blockSamples = Math.round(blockSec * sampleRateHz);
  const isAudible = (block: number): boolean => {
    const part = samples.subarray(block * blockSamples, (block + 1) * blockSamples);
    const energy = part.reduce((sum, sample) => sum + sample * sample, 0);
    return 10 * Math.log10(energy / part.length + 1e-12) > silenceDbfs;
  };
  const count = Math.ceil(samples.length / blockSamples);
  let first = 0;
  while (first < count && !isAudible(first)) first++;
  let last = count - 1;
  while (last > first && !isAudible(last)) last--;
  if (first === count) return samples.subarray(0, 0);
  const marginBlocks = (sec: number): number => Math.round(sec / blockSec);
  return samples.subarray(
    Math.max(0, first - marginBlocks(marginSec.before)) * blockSamples,
    (last + 1 + marginBlocks(marginSec.after)) * blockSamples,
  );
}
