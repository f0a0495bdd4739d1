import { afterAll, beforeAll, expect, it } from 'vitest';
import { joinSamples } from '../../../../main/audio/pcm.ts';
import { createCutter, type PieceSpan } from '../../../../main/audio/segments.ts';
import { loadVoiceActivity } from '../../../../main/engines/engine-list.ts';
import { frameSamples, type Silero } from '../../../../main/engines/vad/silero.ts';
import { modelBundle } from '../../../../main/models/store.ts';
import { englishClips, hasSharedAudio, readSamples, telephoneClips } from '../../../support/english-clips.ts';
import { tenSentences } from '../../../support/english-texts.ts';
import { hum, noise, silence, tone } from '../../../support/sounds.ts';
import { asHeard, spokenSamples } from '../../../support/test-data.ts';

const rateHz = 16_000;
const frameSec = frameSamples / rateHz;
let silero: Silero;
let speech: Float32Array;

beforeAll(async () => {
  silero = await loadVoiceActivity(modelBundle('silero-vad'));
  speech = await asHeard(await spokenSamples(tenSentences));
});
afterAll(() => silero.close());

/** Probabilities of all frames, the samples given in windows. */
async function probabilities(samples: Float32Array, windowSec: number): Promise<Float32Array> {
  const detector = silero.createDetector();
  const parts: Float32Array[] = [];
  const window = Math.round(windowSec * rateHz);
  for (let at = 0; at < samples.length; at += window) parts.push(await detector.push(samples.subarray(at, at + window)));
  return joinSamples([...parts, await detector.finish()]);
}

function pieces(found: Float32Array): PieceSpan[] {
  const cutter = createCutter(frameSec);
  return [...cutter.push(found), ...cutter.finish(found.length * frameSec)];
}

/** The longest run of frames that are surely voice and lie in none of the pieces, in seconds. */
function longestLost(found: Float32Array, kept: readonly PieceSpan[]): number {
  let run = 0;
  let longest = 0;
  for (const [frame, prob] of found.entries()) {
    const sec = (frame + 0.5) * frameSec;
    run = prob >= 0.5 && !kept.some(({ fromSec, toSec }) => sec >= fromSec && sec <= toSec) ? run + 1 : 0;
    longest = Math.max(longest, run);
  }
  return longest * frameSec;
}

/** Windows of a second run one after the other; windows of a minute are split into strands that run as one batch. */
async function bothWays(samples: Float32Array): Promise<{ voiceSec: number; lostSec: number; addedSec: number }> {
  const sequential = await probabilities(samples, 1);
  const strands = await probabilities(samples, 60);
  expect(strands.length).toBe(sequential.length);
  return {
    voiceSec: sequential.filter((prob) => prob >= 0.5).length * frameSec,
    lostSec: longestLost(sequential, pieces(strands)),
    addedSec: longestLost(strands, pieces(sequential)),
  };
}

it('gives one probability per frame, the last one filled up', async () => {
  const detector = silero.createDetector();
  expect(await detector.push(new Float32Array(100))).toHaveLength(0);
  expect(await detector.push(new Float32Array(1000))).toHaveLength(2);
  expect(await detector.finish()).toHaveLength(1);
  const empty = silero.createDetector();
  expect(await empty.finish()).toHaveLength(0);
});

it('gives the same probabilities however the samples arrive in small portions', async () => {
  const part = speech.subarray(0, 3 * rateHz);
  const whole = await probabilities(part, 3);
  for (const windowSec of [0.01, 0.37, 1]) {
    const portions = await probabilities(part, windowSec);
    expect(portions.length).toBe(whole.length);
    for (const [frame, prob] of portions.entries()) expect(prob).toBeCloseTo(whole[frame] as number, 4);
  }
});

it.each([
  ['silence', silence(30, rateHz)],
  ['noise', noise(30, rateHz, 0.1)],
  ['hum', hum(30, rateHz)],
  ['a tone', tone(440, 30, rateHz)],
])('hears no voice in %s', async (_, samples) => {
  expect(pieces(await probabilities(samples, 60))).toEqual([]);
});

it('hears the voice of a long text in nearly all of its frames', async () => {
  const found = await probabilities(speech, 60);
  expect(found.filter((prob) => prob >= 0.5).length / found.length).toBeGreaterThan(0.7);
});

it('loses no third of a second to running in strands', async () => {
  const { voiceSec, lostSec, addedSec } = await bothWays(joinSamples([speech, silence(20, rateHz), speech.map((sample) => sample * 0.05), speech]));
  expect(voiceSec).toBeGreaterThan(60);
  expect(Math.max(lostSec, addedSec)).toBeLessThan(0.3);
});

it('loses no third of a second to running in strands in noise', async () => {
  const noisy = noise(speech.length / rateHz, rateHz, 0.01);
  const { voiceSec, lostSec, addedSec } = await bothWays(joinSamples([speech.map((sample, index) => sample * 0.3 + (noisy[index] ?? 0)), speech]));
  expect(voiceSec).toBeGreaterThan(40);
  expect(Math.max(lostSec, addedSec)).toBeLessThan(0.3);
});

it.skipIf(!hasSharedAudio)('loses no third of a second of recordings to running in strands (needs ../shared/audio)', async () => {
  const recordings = [...englishClips(), ...telephoneClips()].flatMap(({ path }) => [readSamples(path, rateHz), silence(3, rateHz)]);
  const { voiceSec, lostSec, addedSec } = await bothWays(joinSamples(recordings));
  expect(voiceSec).toBeGreaterThan(40);
  expect(Math.max(lostSec, addedSec)).toBeLessThan(0.3);
});

it('keeps the files of two detectors apart', async () => {
  const alone = await probabilities(speech.subarray(0, 2 * rateHz), 0.5);
  const one = silero.createDetector();
  const other = silero.createDetector();
  const parts: Float32Array[] = [];
  for (let at = 0; at < 2 * rateHz; at += rateHz / 2) {
    parts.push(await one.push(speech.subarray(at, at + rateHz / 2)));
    await other.push(noise(0.5, rateHz));
  }
  expect(joinSamples([...parts, await one.finish()])).toEqual(alone);
});
