import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { joinBytes, wavHeader } from "../../../main/audio/codec/framing.ts";
import {
  openLoudnessNormalizer,
  openLoudnessMeter,
  targetLufs,
} from "../../../main/audio/dsp/loudness.ts";
import { floatToPcm, joinSamples } from "../../../main/audio/codec/pcm.ts";
import { saveTake, trimSilence } from "../../../main/audiobook/take.ts";
import { readTake, takeSampleRateHz } from "../../../main/audiobook/take-file.ts";
import { openFolder } from "../../support/test-data.ts";

const tone = (sec: number, gain: number, rateHz = takeSampleRateHz) =>
  Float32Array.from(
    { length: sec * rateHz },
    (_, at) => gain * Math.sin((2 * Math.PI * 300 * at) / rateHz),
  );
const silence = (sec: number, rateHz = takeSampleRateHz) => new Float32Array(sec * rateHz);

function lufsOf(samples: Float32Array): number {
  const meter = openLoudnessMeter(takeSampleRateHz);
  for (let at = 0; at < samples.length; at += 10_000) meter.add(samples.subarray(at, at + 10_000));
  const lufs = meter.lufs();
  meter.close();
  return lufs ?? Number.NEGATIVE_INFINITY;
}

it("trims silence at both ends and keeps it between words", () => {
  const trimmed = trimSilence(
    joinSamples([silence(1), tone(0.5, 0.2), silence(0.5), tone(0.5, 0.1), silence(2)]),
  );
  expect(trimmed.length / takeSampleRateHz).toBeGreaterThan(1.5);
  expect(trimmed.length / takeSampleRateHz).toBeLessThan(1.62);
  expect(trimSilence(silence(1))).toHaveLength(0);
});

it("converts a take of any sample rate to mono at the common rate", async () => {
  const { path, remove } = await openFolder();
  onTestFinished(remove);
  const [from, to] = [join(path, "from.wav"), join(path, "to.wav")];
  const samples = joinSamples([silence(0.5, 16_000), tone(1, 0.3, 16_000), silence(0.5, 16_000)]);
  // Like a provider that does not know the length yet.
  await writeFile(from, joinBytes([wavHeader(16_000, undefined), floatToPcm(samples)]));
  const { durationSec } = await saveTake(from, to);
  expect(durationSec).toBeGreaterThan(1);
  expect(durationSec).toBeLessThan(1.15);
  expect((await readTake(to)).length / takeSampleRateHz).toBeCloseTo(durationSec, 6);
});

it.each([0.02, 0.15, 0.7])(
  "brings audio of any level (%d) to the same loudness, with no peak above the ceiling",
  (gain) => {
    // Bursts, like speech.
    const sound = joinSamples(
      Array.from({ length: 20 }, (_, place) =>
        joinSamples([tone(0.3, place % 4 === 0 ? gain * 1.4 : gain), silence(0.21)]),
      ),
    );
    const change = openLoudnessNormalizer(lufsOf(sound), takeSampleRateHz);
    const parts: Float32Array[] = [];
    for (let at = 0; at < sound.length; at += 10_000)
      parts.push(change.run(sound.subarray(at, at + 10_000)));
    parts.push(change.finish());
    change.close();
    const changed = joinSamples(parts);
    expect(changed).toHaveLength(sound.length);
    expect(lufsOf(changed)).toBeCloseTo(targetLufs, 0);
    expect(changed.reduce((peak, sample) => Math.max(peak, Math.abs(sample)), 0)).toBeLessThan(
      10 ** (-1.4 / 20),
    );
  },
);

it("has no loudness for silence", () => {
  const meter = openLoudnessMeter(takeSampleRateHz);
  meter.add(silence(3));
  expect(meter.lufs()).toBeUndefined();
  meter.close();
});
