// Voice activity by Silero VAD 6 (16 kHz): one probability per 32 ms frame, many frames per call.
// How the model came to take many frames is told in weights/silero-vad/; see audio/dsp/segments.ts for cutting
// audio by these probabilities.

import { InferenceSession, Tensor } from "onnxruntime-node";
import { singleThread } from "../session-options.ts";

/** Samples a frame is about, at 16 kHz; the model also sees the 64 samples before each frame. */
export const frameSamples = 512;
const contextSamples = 64;
const inputSamples = contextSamples + frameSamples;
const stateWidth = 128;
/** Frames a call takes: what they pass through fits into a core's cache (measured: 128 to 256 are fastest). */
const maxSteps = 256;

export type VoiceDetector = {
  /**
   * Takes the next samples (16 kHz mono, −1..1) and gives the probabilities of the frames they complete.
   * What is left over waits for the next call. One call at a time: each goes on where the one before ended.
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

  function createDetector(): VoiceDetector {
    let state: Tensor = new Tensor("float32", new Float32Array(2 * stateWidth), [2, 1, stateWidth]);
    /** The context of the next frame and what there is of it. */
    let pending = new Float32Array(contextSamples);

    async function push(samples: Float32Array): Promise<Float32Array> {
      const audio = new Float32Array(pending.length + samples.length);
      audio.set(pending);
      audio.set(samples, pending.length);
      const probabilities = new Float32Array(
        Math.floor((audio.length - contextSamples) / frameSamples),
      );
      pending = audio.slice(probabilities.length * frameSamples);
      for (let first = 0; first < probabilities.length; first += maxSteps) {
        const steps = Math.min(maxSteps, probabilities.length - first);
        const outputs = await session.run({
          frames: framesOf(audio.subarray(first * frameSamples), steps),
          state,
        });
        probabilities.set(outputs["probabilities"]?.data as Float32Array, first);
        state = outputs["stateN"] as Tensor;
      }
      return probabilities;
    }

    return {
      push,
      finish: () =>
        push(
          new Float32Array(pending.length === contextSamples ? 0 : inputSamples - pending.length),
        ),
    };
  }

  return { createDetector, close: () => session.release() };
}

/** Rows of a frame with its context, each context being the end of the row before. */
function framesOf(audio: Float32Array, steps: number): Tensor {
  const frames = new Float32Array(steps * inputSamples);
  for (let step = 0; step < steps; step += 1) {
    frames.set(
      audio.subarray(step * frameSamples, step * frameSamples + inputSamples),
      step * inputSamples,
    );
  }
  return new Tensor("float32", frames, [steps, inputSamples]);
}
