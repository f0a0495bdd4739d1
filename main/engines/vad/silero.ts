// Voice activity by Silero VAD 6 (16 kHz): one probability per 32 ms frame. A long window is split into strands
// that run as one batch, because the model's time goes into calls, not into arithmetic.
// Cutting audio by these probabilities is audio/segments.ts's matter.

import { InferenceSession, Tensor } from 'onnxruntime-node';
import { singleThread } from '../session-options.ts';

/** Samples the model takes per step, at 16 kHz; each step also sees the 64 samples before. */
export const frameSamples = 512;
const contextSamples = 64;
const inputSamples = contextSamples + frameSamples;
const stateWidth = 128;
/** Frames a strand that starts in mid-air hears before its answers count: one second. */
const warmUpFrames = 32;
const maxStrands = 16;

export type VoiceDetector = {
  /**
   * Takes the next samples (16 kHz mono, −1..1) and gives the probabilities of the frames they complete.
   * What is left over waits for the next call.
   */
  push(samples: Float32Array): Promise<Float32Array>;
  /** Fills the last frame up with silence and gives its probability, if there is one. */
  finish(): Promise<Float32Array>;
};

export type Silero = {
  /** A detector for one file; detectors share nothing but the weights. */
  createDetector(): VoiceDetector;
  close(): Promise<void>;
};

export async function createSilero(model: Uint8Array): Promise<Silero> {
  const session = await InferenceSession.create(model, singleThread);
  const sampleRateHz = new Tensor('int64', BigInt64Array.of(16_000n), []);

  /**
   * Frames of `audio` (which begins with the 64 samples of context) → probabilities; `state` is updated.
   * A `fresh` state has heard nothing: strands that began with it in the midst of soft speech would miss it.
   */
  async function detect(audio: Float32Array, frames: number, state: Float32Array, fresh: boolean): Promise<Float32Array> {
    const strands = fresh ? 1 : strandCount(frames);
    const span = Math.ceil((frames - warmUpFrames) / strands);
    const steps = strands === 1 ? frames : span + warmUpFrames;
    const probabilities = new Float32Array(frames);
    const states = new Float32Array(2 * strands * stateWidth);
    // The first strand goes on from the state of the window before. The others start from it too, as the nearest
    // there is to having heard what came before them, and warm up on what precedes them.
    for (let strand = 0; strand < strands; strand += 1) copyState(state, 0, 1, states, strand, strands);
    let stateTensor = new Tensor('float32', states, [2, strands, stateWidth]);
    const input = new Float32Array(strands * inputSamples);
    for (let step = 0; step < steps; step += 1) {
      for (let strand = 0; strand < strands; strand += 1) {
        const from = (strand * span + step) * frameSamples;
        input.fill(0, strand * inputSamples, (strand + 1) * inputSamples);
        if (from < audio.length) input.set(audio.subarray(from, from + inputSamples), strand * inputSamples);
      }
      const feeds = { input: new Tensor('float32', input, [strands, inputSamples]), state: stateTensor, sr: sampleRateHz };
      const outputs = await session.run(feeds);
      stateTensor = outputs['stateN'] as typeof stateTensor;
      const output = outputs['output']?.data as Float32Array;
      for (let strand = 0; strand < strands; strand += 1) {
        const frame = strand * span + step;
        if (frame >= frames || (strand > 0 && step < warmUpFrames)) continue;
        probabilities[frame] = output[strand] ?? 0;
        // The strand that ends the window hands its state on.
        if (frame === frames - 1) copyState(stateTensor.data as Float32Array, strand, strands, state, 0, 1);
      }
    }
    return probabilities;
  }

  return {
    createDetector() {
      const state = new Float32Array(2 * stateWidth);
      let pending = new Float32Array(contextSamples);
      let fresh = true;
      const push = async (samples: Float32Array): Promise<Float32Array> => {
        const audio = new Float32Array(pending.length + samples.length);
        audio.set(pending);
        audio.set(samples, pending.length);
        const frames = Math.floor((audio.length - contextSamples) / frameSamples);
        pending = audio.slice(frames * frameSamples);
        if (frames === 0) return new Float32Array(0);
        const probabilities = await detect(audio, frames, state, fresh);
        fresh = false;
        return probabilities;
      };
      return {
        push,
        finish: () => push(new Float32Array(pending.length === contextSamples ? 0 : inputSamples - pending.length)),
      };
    },
    close: () => session.release(),
  };
}

/** Short windows are not worth the warm-up of many strands. */
function strandCount(frames: number): number {
  return Math.max(1, Math.min(maxStrands, Math.floor((frames - warmUpFrames) / (2 * warmUpFrames))));
}

/** States are [2, strands, width]. */
function copyState(from: Float32Array, fromStrand: number, fromStrands: number, to: Float32Array, toStrand: number, toStrands: number): void {
  for (const layer of [0, 1]) {
    const start = (layer * fromStrands + fromStrand) * stateWidth;
    to.set(from.subarray(start, start + stateWidth), (layer * toStrands + toStrand) * stateWidth);
  }
}
