import { afterAll, beforeAll, expect, it } from "vitest";
import { joinSamples } from "../../../../main/audio/codec/pcm.ts";
import {
  createVadSegmenter,
  type SpeechSegmentSpan,
} from "../../../../main/audio/dsp/vad-segmenter.ts";
import { loadVad } from "../../../../main/engines/engine-list.ts";
import { vadFrameSamples, type SileroModel } from "../../../../main/engines/vad/silero.ts";
import { shippedModel } from "../../../../main/models/shipped-models.ts";
import {
  englishClips,
  hasSharedAudio,
  readSamples,
  telephoneClips,
} from "../../../support/recordings.ts";
import { tenSentences } from "../../../support/english-texts.ts";
import { hum, noise, silence, tone } from "../../../support/test-audio.ts";
import { resampleTo16kHz, synthesizeSamples } from "../../../support/test-data.ts";

const rateHz = 16_000;
const frameSec = vadFrameSamples / rateHz;
let silero: SileroModel;
let speech: Float32Array;

beforeAll(async () => {
  silero = await loadVad(shippedModel("silero-vad"));
  speech = await resampleTo16kHz(await synthesizeSamples(tenSentences));
});
afterAll(() => silero.close());

/** Probabilities of all frames, with the samples pushed in windows. */
async function probabilities(samples: Float32Array, windowSec: number): Promise<Float32Array> {
  const vad = silero.createVad();
  const parts: Float32Array[] = [];
  const window = Math.min(samples.length, Math.round(windowSec * rateHz));
  for (let at = 0; at < samples.length; at += window)
    parts.push(await vad.push(samples.subarray(at, at + window)));
  return joinSamples([...parts, await vad.finish()]);
}

function segmentsOf(found: Float32Array): SpeechSegmentSpan[] {
  const cutter = createVadSegmenter(frameSec);
  return [...cutter.push(found), ...cutter.finish(found.length * frameSec)];
}

/** Vowels without words: harmonics of a voice that glides around 120 Hz, with four syllables a second. */
function vowels(durationSec: number): Float32Array {
  const formantsHz = [
    [700, 110],
    [1220, 120],
    [2600, 160],
  ] as const;
  const loudness = (hz: number) =>
    formantsHz.reduce((sum, [centre, width]) => sum + 1 / (1 + ((hz - centre) / width) ** 2), 0);
  const harmonics = Array.from({ length: 28 }, (_, index) => ({
    number: index + 1,
    amplitude: loudness(120 * (index + 1)),
  }));
  return Float32Array.from({ length: durationSec * rateHz }, (_, index) => {
    const sec = index / rateHz;
    const syllable = Math.max(0, Math.sin(2 * Math.PI * 4 * sec));
    const phase = 2 * Math.PI * 120 * sec + 2 * Math.sin(2 * Math.PI * 2 * sec);
    return (
      0.1 *
      syllable *
      harmonics.reduce(
        (sum, { number, amplitude }) => sum + amplitude * Math.sin(number * phase),
        0,
      )
    );
  });
}

/** Output of the original silero_vad_v6.onnx (npm `@ricky0123/vad-web` 0.0.31), frame by frame, for `vowels(0.64)`. */
const originalProbabilities = [
  0.178, 0.6147, 0.5362, 0.9687, 0.7725, 0.8505, 0.6437, 0.6861, 0.9202, 0.8158, 0.8259, 0.8738,
  0.8318, 0.6564, 0.3561, 0.5736, 0.5698, 0.4685, 0.5912, 0.6895,
];

/** The largest difference between two series of the same length. */
function largestDifference(one: ArrayLike<number>, other: ArrayLike<number>): number {
  expect(one.length).toBe(other.length);
  return Array.from(one).reduce(
    (largest, value, index) => Math.max(largest, Math.abs(value - (other[index] ?? Number.NaN))),
    0,
  );
}

it("returns the probabilities of the original model, in one call and frame by frame", async () => {
  for (const windowSec of [1, frameSec]) {
    expect(
      largestDifference(await probabilities(vowels(0.64), windowSec), originalProbabilities),
    ).toBeLessThan(0.001);
  }
});

it("returns one probability per frame, the last frame padded", async () => {
  const vad = silero.createVad();
  expect(await vad.push(new Float32Array(100))).toHaveLength(0);
  expect(await vad.push(new Float32Array(1000))).toHaveLength(2);
  expect(await vad.finish()).toHaveLength(1);
  const empty = silero.createVad();
  expect(await empty.finish()).toHaveLength(0);
});

it("returns the same probabilities however the samples are divided", async () => {
  const whole = await probabilities(speech, Infinity);
  for (const windowSec of [0.037, 1, 9.9]) {
    expect(largestDifference(await probabilities(speech, windowSec), whole)).toBeLessThan(0.0001);
  }
});

it.each([
  ["silence", silence(30, rateHz)],
  ["noise", noise(30, rateHz, 0.1)],
  ["hum", hum(30, rateHz)],
  ["a tone", tone(440, 30, rateHz)],
])("finds no voice in %s", async (_, samples) => {
  expect(segmentsOf(await probabilities(samples, 60))).toEqual([]);
});

it("finds the voice of a long text in almost all of its frames", async () => {
  const found = await probabilities(speech, 60);
  expect(found.filter((prob) => prob >= 0.5).length / found.length).toBeGreaterThan(0.7);
});

it("finds a soft voice after a long silence", async () => {
  const soft = speech.subarray(0, 10 * rateHz).map((sample) => sample * 0.05);
  const found = await probabilities(joinSamples([speech, silence(20, rateHz), soft]), 60);
  const softFrames = found.subarray(-Math.floor(10 / frameSec));
  expect(softFrames.filter((prob) => prob >= 0.5).length / softFrames.length).toBeGreaterThan(0.6);
});

it.skipIf(!hasSharedAudio)(
  "finds the voices in recordings, the same in windows of any length (needs ../shared/audio)",
  async () => {
    const recordings = joinSamples(
      [...englishClips(), ...telephoneClips()].flatMap(({ path }) => [
        readSamples(path, rateHz),
        silence(3, rateHz),
      ]),
    );
    const whole = await probabilities(recordings, Infinity);
    expect(whole.filter((prob) => prob >= 0.5).length * frameSec).toBeGreaterThan(40);
    expect(largestDifference(await probabilities(recordings, 6.4321), whole)).toBeLessThan(0.0001);
  },
);

it("keeps the state of two VADs separate", async () => {
  const alone = await probabilities(speech.subarray(0, 2 * rateHz), 0.5);
  const one = silero.createVad();
  const other = silero.createVad();
  const parts: Float32Array[] = [];
  for (let at = 0; at < 2 * rateHz; at += rateHz / 2) {
    parts.push(await one.push(speech.subarray(at, at + rateHz / 2)));
    await other.push(noise(0.5, rateHz));
  }
  expect(joinSamples([...parts, await one.finish()])).toEqual(alone);
});
