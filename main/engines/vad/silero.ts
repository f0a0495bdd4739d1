// Voice activity detection by Silero VAD 6 (16 kHz): one probability per 32 ms frame, many frames per call. See
// weights/silero-vad/ for how the model was changed to take many frames, audio/dsp/vad-segmenter.ts for cutting.

import { InferenceSession, Tensor } from "onnxruntime-node";
import { singleThreadOptions } from "../session-options.ts";

/** Samples per frame, at 16 kHz; the model also gets the 64 samples before each frame. */
export const vadFrameSamples = 512;
const contextSamples = 64;
const inputSamples = contextSamples + vadFrameSamples;
const stateWidth = 128;
/** Frames per call: intermediate data fits into a core's cache (measured: 128 to 256 are fastest). */
const maxFramesPerCall = 256;

export type Vad = {
  /**
   * Takes the next samples (16 kHz mono, −1..1) and returns the probabilities of the completed frames. Remaining
   * samples wait for the next call. Calls must not overlap: each continues where the previous one ended.
   */
  push(samples: Float32Array): Promise<Float32Array>;
  /** Pads the last frame with silence and returns its probability, if there is one. */
  finish(): Promise<Float32Array>;
};

export type SileroModel = {
  /** State for one file; only the weights are shared. */
  createVad(): Vad;
  close(): Promise<void>;
};

export async function loadSileroModel(model: Uint8Array): Promise<SileroModel> {
  const session = await InferenceSession.create(model, singleThreadOptions);

  function createVad(): Vad {
    let state: Tensor = new Tensor("float32", new Float32Array(2 * stateWidth), [2, 1, stateWidth]);
    /** Context of the next frame, followed by the samples of it received so far. */
    let pendingSamples = new Float32Array(contextSamples);

    async function push(samples: Float32Array): Promise<Float32Array> {
      const audio = new Float32Array(pendingSamples.length + samples.length);
      audio.set(pendingSamples);
      audio.set(samples, pendingSamples.length);
      const probabilities = new Float32Array(
        Math.floor((audio.length - contextSamples) / vadFrameSamples),
      );
      pendingSamples = audio.slice(probabilities.length * vadFrameSamples);
      for (let first = 0; first < probabilities.length; first += maxFramesPerCall) {
        const frameCount = Math.min(maxFramesPerCall, probabilities.length - first);
        const outputs = await session.run({
          frames: toFrameTensor(audio.subarray(first * vadFrameSamples), frameCount),
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
          new Float32Array(
            pendingSamples.length === contextSamples ? 0 : inputSamples - pendingSamples.length,
          ),
        ),
    };
  }

  return { createVad, close: () => session.release() };
}

/** One row per frame with its context, which is the end of the previous row. */
function toFrameTensor(audio: Float32Array, frameCount: number): Tensor {
  const frames = new Float32Array(frameCount * inputSamples);
  for (let frame = 0; frame < frameCount; frame += 1) {
    frames.set(
      audio.subarray(frame * vadFrameSamples, frame * vadFrameSamples + inputSamples),
      frame * inputSamples,
    );
  }
  return new Tensor("float32", frames, [frameCount, inputSamples]);
}
