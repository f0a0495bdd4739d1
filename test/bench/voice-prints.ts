// How alike voices are, by the model that tells speakers apart.

import { loadDiarizer } from "../../main/engines/engine-list.ts";
import { shippedModel } from "../../main/models/shipped-models.ts";
import { readSamples } from "../support/recordings.ts";

const rateHz = 16_000;

export type VoicePrints = {
  /** Adds the first 10 s of a recording of the voice. */
  add(voice: string, path: string): Promise<void>;
  /** Cosine of each pair of these voices: 1 for the same. */
  similarities(voices: readonly string[]): number[];
  close(): Promise<void>;
};

export async function openVoicePrints(): Promise<VoicePrints> {
  const diarizer = await loadDiarizer(shippedModel("pyannote-community-1"));
  /** By voice, the sum of the prints of its pieces. */
  const sums = new Map<string, Float32Array>();
  return {
    async add(voice, path) {
      const samples = readSamples(path, rateHz).subarray(0, 10 * rateHz);
      const { prints } = await diarizer.diarizeWindow(samples, 0, samples.length / rateHz);
      for (const { print } of prints)
        sums.set(
          voice,
          print.map((value, i) => value + (sums.get(voice)?.[i] ?? 0)),
        );
    },
    similarities(voices) {
      const all = voices.flatMap((voice) => sums.get(voice) ?? []);
      return all.flatMap((one, index) => all.slice(index + 1).map((other) => cosine(one, other)));
    },
    close: () => diarizer.close(),
  };
}

const cosine = (one: Float32Array, other: Float32Array): number =>
  one.reduce((sum, value, i) => sum + value * (other[i] ?? 0), 0) /
  (Math.hypot(...one) * Math.hypot(...other));
