// Audio worklet: mixes the microphone's audio to mono, resamples it to 16 kHz and posts blocks of 50 ms with their
// peak. Runs on the audio thread, so a busy page loses no samples.

import { createResampler, toInt16 } from "./resample.ts";

declare const sampleRate: number;
declare function registerProcessor(name: string, processor: new () => AudioWorkletProcessor): void;
declare abstract class AudioWorkletProcessor {
  readonly port: MessagePort;
  abstract process(inputs: readonly (readonly Float32Array[])[]): boolean;
}

const blockSamples = 800;

class Capture extends AudioWorkletProcessor {
  readonly #resampler = createResampler(sampleRate, 16_000);
  readonly #block = new Float32Array(blockSamples);
  #filled = 0;
  #isPaused = false;
  #isOver = false;

  constructor() {
    super();
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

  process([channels = []]: readonly (readonly Float32Array[])[]): boolean {
    if (this.#isOver) return false;
    const [first] = channels;
    if (first === undefined || this.#isPaused) return true;
    const mono =
      channels.length === 1
        ? first
        : first.map(
            (_, index) =>
              channels.reduce((sum, channel) => sum + (channel[index] ?? 0), 0) / channels.length,
          );
    for (const sample of this.#resampler.push(mono)) {
      this.#block[this.#filled] = sample;
      this.#filled += 1;
      if (this.#filled === blockSamples) this.#hand();
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

registerProcessor("hearsay-capture", Capture);
