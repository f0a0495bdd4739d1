// The models themselves, on recordings and on sounds that are no speech.

import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { SpeakerTurn } from "../../../../main/contract/speakers.ts";
import type { DiarizedWindow, Diarizer } from "../../../../main/engines/diarization/diarizer.ts";
import { joinSpeakers } from "../../../../main/engines/diarization/speaker-turns.ts";
import { windowCount, windowStartSec } from "../../../../main/engines/diarization/windows.ts";
import { loadDiarizer } from "../../../../main/engines/engine-list.ts";
import { shippedModel } from "../../../../main/models/shipped-models.ts";
import { meetings } from "../../../bench/conversations.ts";
import { diarizationErrors } from "../../../support/diarization-error.ts";
import { hasSharedAudio, readSamples, sharedAudioDir } from "../../../support/recordings.ts";
import { hum, noise, silence, tone } from "../../../support/test-audio.ts";

const rateHz = 16_000;
let diarizer: Diarizer;

beforeAll(async () => {
  diarizer = await loadDiarizer(shippedModel("pyannote-community-1"));
});
afterAll(() => diarizer.close());

async function turnsOf(samples: Float32Array): Promise<readonly SpeakerTurn[]> {
  const durationSec = samples.length / rateHz;
  const windows: DiarizedWindow[] = [];
  for (let index = 0; index < windowCount(durationSec); index += 1) {
    const start = windowStartSec(index) * rateHz;
    const window = samples.subarray(start, start + 10 * rateHz);
    windows.push(await diarizer.diarizeWindow(window, index, durationSec));
  }
  return joinSpeakers(windows, durationSec).turns;
}

const speakersIn = async (samples: Float32Array): Promise<number> =>
  new Set((await turnsOf(samples)).map(({ speaker }) => speaker)).size;

/** Notes with overtones and vibrato, each with a chord and a beat. */
function music(durationSec: number): Float32Array {
  return Float32Array.from({ length: durationSec * rateHz }, (_, index) => {
    const sec = index / rateHz;
    const note = Math.floor(sec * 2);
    const inNoteSec = sec - note / 2;
    const hz = 220 * 2 ** ([0, 4, 7, 12, 9, 5, 2, 11][(note * 5) % 8]! / 12);
    const vibrato = 1 + 0.003 * Math.sin(2 * Math.PI * 5.5 * sec);
    const partials = [0.5, 0.625, 0.75, 1, 2, 3, 4, 5, 6];
    const chord = partials.reduce(
      (sum, partial) =>
        sum + Math.sin(2 * Math.PI * hz * partial * vibrato * inNoteSec) / Math.max(1, partial),
      0,
    );
    const beat = Math.sin(2 * Math.PI * 60 * inNoteSec) * Math.exp(-30 * inNoteSec);
    return 0.15 * (chord * Math.exp(-2 * inNoteSec) + beat);
  });
}

it.each([
  ["silence", silence(12, rateHz)],
  ["noise", noise(12, rateHz, 0.1)],
  ["hum", hum(12, rateHz)],
  ["a tone", tone(440, 12, rateHz)],
  ["music", music(12)],
  ["nothing at all", new Float32Array()],
])("hears nobody in %s", async (_, samples) => {
  expect(await turnsOf(samples)).toEqual([]);
});

it.runIf(hasSharedAudio)("hears one person in a speech, and in two seconds of it", async () => {
  const speech = readSamples(join(sharedAudioDir, "jfk.wav"), rateHz);
  expect(await speakersIn(speech)).toBe(1);
  expect(await speakersIn(speech.subarray(0, 2 * rateHz))).toBe(1);
  const hiss = noise(12, rateHz, 0.02);
  expect(await speakersIn(speech.map((sample, i) => sample + (hiss[i] ?? 0)))).toBe(1);
});

it.runIf(hasSharedAudio)("tells two people in a meeting apart", async () => {
  const meeting = meetings().find(({ name }) => name === "ami-sample");
  const turns = await turnsOf(meeting?.samples ?? new Float32Array());
  const { missedSec, falseAlarmSec, confusedSec } = diarizationErrors(meeting?.truth ?? [], turns);
  expect(new Set(turns.map(({ speaker }) => speaker)).size).toBe(2);
  expect(missedSec + falseAlarmSec + confusedSec).toBeLessThan(0.5);
});
