// Audio worklet: mixes each input to mono, resamples it to 16 kHz and posts blocks of 50 ms with their peak, those of
// several inputs interleaved. Runs on the audio thread, so a busy page loses no samples.

import { createResampler, toInt16 } from "./resample.ts";

declare const sampleRate: number;
declare function registerProcessor(
  name: string,
  processor: new (options: AudioWorkletNodeOptions) => AudioWorkletProcessor,
): void;
declare abstract class AudioWorkletProcessor {
  readonly port: MessagePort;
  abstract process(inputs: readonly (readonly Float32Array[])[]): boolean;
}

const blockSamples = 800;

/** Frames that a processor gets at once. */
const silence = new Float32Array(128);

type Channels = readonly Float32Array[];

class Capture extends AudioWorkletProcessor {
  readonly #resamplers: readonly ReturnType<typeof createResampler>[];
  readonly #block: Float32Array;
  #filled = 0;
  #isPaused = false;
  #isOver = false;

  constructor({ numberOfInputs = 1 }: AudioWorkletNodeOptions) {
    super();
    this.#resamplers = Array.from({ length: numberOfInputs }, () =>
      createResampler(sampleRate, 16_000),
    );
    this.#block = new Float32Array(blockSamples * numberOfInputs);
    this.port.addEventListener("message", ({ data }: MessageEvent<"pause" | "resume" | "end">) => {
      this.#isPaused = data === "pause";
      if (data === "end") {
        this.#isOver = true;
        this.#hand();
        this.port.postMessage("ended", []);
      }
    });
    this.port.start();
  }

  process(inputs: readonly Channels[]): boolean {
    if (this.#isOver) return false;
    const tracks = inputs.map(mixToMono);
    // An input that is not connected yet has no channels. Several go on together, so that none gets behind.
    if (this.#isPaused || tracks.every((track) => track === undefined)) return true;
    const resampled = this.#resamplers.map((resampler, index) =>
      resampler.push(tracks[index] ?? silence),
    );
    for (let index = 0; index < (resampled[0]?.length ?? 0); index += 1) {
      for (const samples of resampled) {
        this.#block[this.#filled] = samples[index] ?? 0;
        this.#filled += 1;
      }
      if (this.#filled === this.#block.length) this.#hand();
    }
    return true;
  }

  #hand(): void {
    const audio = this.#block.subarray(0, this.#filled);
    const samples = toInt16(audio);
    const peak = audio.reduce((max, value) => Math.max(max, Math.abs(value)), 0);
    this.#filled = 0;
    this.port.postMessage({ samples, peak }, [samples.buffer]);
  }
}

function mixToMono(channels: Channels): Float32Array | undefined {
  const [first] = channels;
  if (first === undefined || channels.length === 1) return first;
  return first.map(
    (_, index) =>
      channels.reduce((sum, channel) => sum + (channel[index] ?? 0), 0) / channels.length,
  );
}

registerProcessor("hearsay-capture", Capture);
