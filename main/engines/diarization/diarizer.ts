// The two models that tell speakers apart: segmentation says who of up to three speakers talks in each frame of a
// window, and a voice print is a direction that is similar for chunks of the same voice. How windows become the
// speakers of a file: speaker-turns.ts.

import { Tensor } from "onnxruntime-node";
import { sttSampleRateHz } from "../engine.ts";
import type { ModelFiles } from "../model-files.ts";
import { createFilterBank, filterBankBands } from "./filter-bank.ts";
import {
  localSpeakers,
  type Chunk,
  chunksOf,
  runsOf,
  windowFrames,
  windowSec,
  windowStartSec,
  type WindowActivity,
} from "./windows.ts";

/** `print` is a unit vector. */
export type VoicePrint = Chunk & { readonly print: Float32Array };
export type DiarizedWindow = WindowActivity & { readonly prints: readonly VoicePrint[] };

export type Diarizer = {
  /**
   * @param samples 16 kHz mono in −1..1, from the start of the window; shorter than a window at the end of the file
   * @param durationSec of the file, or of what is known of it
   */
  diarizeWindow(samples: Float32Array, index: number, durationSec: number): Promise<DiarizedWindow>;
  close(): Promise<void>;
};

export async function createDiarizer(files: ModelFiles): Promise<Diarizer> {
  const segmentation = await files.openGraph("segmentation-community-1.ort");
  const embedding = await files.openGraph("embedding-resnet34-int8.ort");
  const filterBank = createFilterBank();

  async function segment(samples: Float32Array): Promise<Uint8Array> {
    const waveform = new Float32Array(windowSec * sttSampleRateHz);
    waveform.set(samples.subarray(0, waveform.length));
    const outputs = await segmentation.run({
      waveforms: new Tensor("float32", waveform, [1, 1, waveform.length]),
    });
    // One value per frame and local speaker, 0 or 1.
    const values = outputs["segmentation"]?.data as Float32Array;
    return Uint8Array.from({ length: windowFrames }, (_, frame) =>
      localSpeakers.reduce<number>(
        (bits, speaker) => bits | (values[frame * localSpeakers.length + speaker]! << speaker),
        0,
      ),
    );
  }

  async function printOf(samples: Float32Array): Promise<Float32Array> {
    const features = filterBank(samples);
    const frames = features.length / filterBankBands;
    const outputs = await embedding.run({
      fbank: new Tensor("float32", features, [1, frames, filterBankBands]),
      weights: new Tensor("float32", new Float32Array(frames).fill(1), [1, frames]),
    });
    const print = outputs["embedding"]?.data as Float32Array;
    const length = Math.hypot(...print);
    return print.map((value) => value / length);
  }

  return {
    async diarizeWindow(samples, index, durationSec) {
      const activity = { index, frames: await segment(samples) };
      const prints: VoicePrint[] = [];
      for (const chunk of runsOf(activity, durationSec).flatMap(chunksOf)) {
        const [from, to] = [chunk.fromSec, chunk.toSec].map((sec) =>
          Math.round((sec - windowStartSec(index)) * sttSampleRateHz),
        );
        prints.push({ ...chunk, print: await printOf(samples.subarray(from, to)) });
      }
      return { ...activity, prints };
    },
    async close() {
      await segmentation.release();
      await embedding.release();
    },
  };
}
