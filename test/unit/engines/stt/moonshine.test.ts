import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type {
  TranscribeOptions,
  SpeechSegment,
  SpeechToText,
} from "../../../../main/engines/engine.ts";
import { createModelFiles } from "../../../../main/engines/model-files.ts";
import { createMoonshine } from "../../../../main/engines/stt/moonshine/moonshine.ts";
import { readVocabulary } from "../../../../main/engines/stt/moonshine/vocabulary.ts";
import { compressionRatio } from "../../../../main/engines/stt/scores.ts";
import { shippedModel } from "../../../../main/models/shipped-models.ts";
import { englishClips, hasSharedAudio, readSamples } from "../../../support/recordings.ts";
import { neverAborted } from "../../../support/app.ts";
import { noise } from "../../../support/test-audio.ts";
import { resampleTo16kHz, normalizeWords, synthesizeSamples } from "../../../support/test-data.ts";
import { totalErrors, wordErrors } from "../../../support/word-error-rate.ts";

const rateHz = 16_000;
const model = shippedModel("moonshine-base");
const texts = [
  "The captain knows nearly all of them by name.",
  "Nobody complains about it, for there is hot tea below deck and always somebody with a story to tell.",
];
const greedy: TranscribeOptions = { task: "transcribe", temperature: 0, wordTimes: false };

let engine: SpeechToText;
let speechSegments: SpeechSegment[];

/** Wraps samples into a speech segment at a position of the file. */
const speechSegmentOf = (samples: Float32Array, offsetSec = 0): SpeechSegment => {
  const durationSec = samples.length / rateHz;
  return {
    samples,
    offsetSec,
    startSec: offsetSec,
    endSec: offsetSec + durationSec,
    voicedSec: durationSec,
    voiceProb: 0.9,
  };
};

/** Speech in noise: the long sentence (0) or the short one (1). */
function unclear(place: 0 | 1 = 1): SpeechSegment {
  const { samples } = speechSegments[place] as SpeechSegment;
  const hiss = noise(samples.length / rateHz, rateHz, 0.05);
  return speechSegmentOf(samples.map((sample, index) => sample * 0.2 + (hiss[index] ?? 0)));
}

/** All transcribed segments, in the order of the speech segments. */
const run = async (...args: Parameters<SpeechToText["transcribe"]>) =>
  (await engine.transcribe(...args)).flat();
const transcribe = async (temperature: number) =>
  (await run([unclear()], { ...greedy, temperature }, neverAborted()))[0];

beforeAll(async () => {
  engine = await createMoonshine(createModelFiles(model), "en");
  const speech = await Promise.all(
    texts.map(async (text) => resampleTo16kHz(await synthesizeSamples(text))),
  );
  speechSegments = [
    speechSegmentOf(speech[0] as Float32Array),
    speechSegmentOf(speech[1] as Float32Array, 61.5),
  ];
});
afterAll(() => engine.close());

describe("transcription", () => {
  it("is the same with the tokens of a shorter part of the speech, of the whole, and of other speech", async () => {
    const [speech, other] = speechSegments as [SpeechSegment, SpeechSegment];
    const part = { ...speech, samples: speech.samples.subarray(0, speech.samples.length / 2) };
    const options = { ...greedy, wordTimes: true };
    const [whole] = await run([speech], options, neverAborted());
    for (const earlier of [part, speech, other]) {
      const [transcribed] = await run([earlier], greedy, neverAborted());
      const expectedTokens = transcribed?.tokens ?? [];
      const [again] = await run([speech], { ...options, expectedTokens }, neverAborted());
      expect(expectedTokens.length).toBeGreaterThan(3);
      expect([again?.text, again?.words?.length]).toEqual([whole?.text, whole?.words?.length]);
      for (const [index, word] of again?.words?.entries() ?? [])
        expect(word.endSec).toBeCloseTo(whole?.words?.[index]?.endSec ?? 0, 1);
    }
  });

  it("returns what our own voice says, one segment per speech segment", async () => {
    const segments = await run(speechSegments, greedy, neverAborted());
    expect(segments.map(({ text }) => normalizeWords(text))).toEqual(texts.map(normalizeWords));
    expect(
      segments.map(({ startSec, endSec, seekFrames }) => [startSec, endSec, seekFrames]),
    ).toEqual(
      speechSegments.map(({ startSec, endSec, offsetSec }) => [
        startSec,
        endSec,
        Math.round(offsetSec * 100),
      ]),
    );
  });

  it("returns the same for a speech segment alone and in a batch", async () => {
    const together = await run([...speechSegments, ...speechSegments], greedy, neverAborted());
    const each = [
      await run([speechSegments[0] as SpeechSegment], greedy, neverAborted()),
      await run([speechSegments[1] as SpeechSegment], greedy, neverAborted()),
    ];
    for (const [index, segment] of together.entries()) {
      const alone = each[index % 2]?.[0];
      expect(segment.text).toBe(alone?.text);
      expect(segment.tokens).toEqual(alone?.tokens);
      expect(segment.avgLogprob).toBeCloseTo(alone?.avgLogprob as number, 2);
    }
  });

  it("returns the same after another transcription", async () => {
    const before = await run(speechSegments, greedy, neverAborted());
    await run(
      [speechSegmentOf(noise(5, rateHz, 0.3))],
      { ...greedy, temperature: 0.8 },
      neverAborted(),
    );
    expect(await run(speechSegments, greedy, neverAborted())).toEqual(before);
  });

  it("accepts a speech segment far shorter than a word", async () => {
    const [segment] = await run(
      [speechSegmentOf(new Float32Array(0.1 * rateHz))],
      greedy,
      neverAborted(),
    );
    expect(segment?.text.length ?? 0).toBeLessThan(40);
  });

  it.skipIf(!hasSharedAudio)("recognizes known clips (needs ../shared/audio)", async () => {
    const errors = [];
    for (const { path, text } of englishClips().filter(({ name }) => name.startsWith("fleurs"))) {
      const [segment] = await run(
        [speechSegmentOf(readSamples(path, rateHz))],
        greedy,
        neverAborted(),
      );
      errors.push(wordErrors(text, segment?.text ?? ""));
    }
    expect(totalErrors(errors).referenceWords).toBeGreaterThan(80);
    expect(totalErrors(errors).rate).toBeLessThan(0.12);
  });
});

describe("the metrics of a segment", () => {
  it("are measured", async () => {
    const [clear, blurred] = await run(
      [speechSegments[1] as SpeechSegment, unclear()],
      greedy,
      neverAborted(),
    );
    expect(clear?.avgLogprob).toBeLessThanOrEqual(0);
    expect(clear?.avgLogprob).toBeGreaterThan(-0.5);
    expect(blurred?.avgLogprob).toBeLessThan(clear?.avgLogprob as number);
    expect(clear?.noSpeechProb).toBeCloseTo(0.1, 6);
    expect(clear?.temperature).toBe(0);
    expect(clear?.compressionRatio).toBe(compressionRatio(clear?.text as string));
  });

  it("contain the tokens of the text", async () => {
    const vocabulary = await readVocabulary(createModelFiles(model));
    for (const { tokens, text } of await run(speechSegments, greedy, neverAborted())) {
      expect(tokens.length).toBeGreaterThan(5);
      expect(vocabulary.decode(tokens).trim()).toBe(text);
    }
  });
});

describe("sampling", () => {
  it("is deterministic at temperature 0", async () => {
    expect(await transcribe(0)).toEqual(await transcribe(0));
  });

  it("varies above temperature 0, and the segment records the temperature", async () => {
    const sampled = [
      await transcribe(1),
      await transcribe(1),
      await transcribe(1),
      await transcribe(1),
    ];
    expect(new Set(sampled.map((segment) => segment?.tokens.join())).size).toBeGreaterThan(1);
    expect(sampled.map((segment) => segment?.temperature)).toEqual([1, 1, 1, 1]);
  });

  it("uses the random numbers that it is passed", async () => {
    const seeded = await Promise.all(
      [0, 0].map(() => createMoonshine(createModelFiles(model), "en", () => 0.999)),
    );
    const [one, other] = await Promise.all(
      seeded.map((engineOfOne) =>
        engineOfOne.transcribe([unclear(0)], { ...greedy, temperature: 1 }, neverAborted()),
      ),
    );
    expect(one).toEqual(other);
    await Promise.all(seeded.map((engineOfOne) => engineOfOne.close()));
  });
});

describe("words", () => {
  it("are those of the text, in order and within their segment", async () => {
    for (const { words = [], text, startSec, endSec } of await run(
      speechSegments,
      { ...greedy, wordTimes: true },
      neverAborted(),
    )) {
      expect(words.map(({ word }) => word).join(" ")).toBe(text);
      let at = startSec;
      for (const word of words) {
        expect(word.startSec).toBeGreaterThanOrEqual(at);
        expect(word.endSec).toBeGreaterThanOrEqual(word.startSec);
        expect(word.probability).toBeGreaterThan(0);
        expect(word.probability).toBeLessThanOrEqual(1);
        at = word.startSec;
      }
      expect(words.at(-1)?.endSec).toBeLessThanOrEqual(endSec);
    }
  });

  it("have the times at which they are spoken", async () => {
    const first = speechSegments[0]?.samples as Float32Array;
    const second = await resampleTo16kHz(await synthesizeSamples("Good morning."));
    const gap = new Float32Array(rateHz);
    const samples = Float32Array.from([...first, ...gap, ...second]);
    const [segment] = await run(
      [speechSegmentOf(samples, 100)],
      { ...greedy, wordTimes: true },
      neverAborted(),
    );
    const morning = segment?.words?.find(({ word }) => /morning/i.test(word));
    expect(morning?.startSec).toBeGreaterThan(100 + (first.length + gap.length) / rateHz);
    const captain = segment?.words?.find(({ word }) => /captain/i.test(word));
    expect(captain?.endSec).toBeLessThan(101.2);
  });

  it("are missing unless requested", async () => {
    for (const segment of await run(speechSegments, greedy, neverAborted()))
      expect(segment).not.toHaveProperty("words");
  });
});

describe("aborting", () => {
  it("stops within a speech segment", async () => {
    const abort = new AbortController();
    const long = run(
      Array.from({ length: 8 }, () => speechSegments[1] as SpeechSegment),
      greedy,
      abort.signal,
    );
    setTimeout(() => abort.abort(new Error("no longer wanted")), 20);
    await expect(long).rejects.toThrow("no longer wanted");
    const segments = await run(speechSegments, greedy, neverAborted());
    expect(normalizeWords(segments[0]?.text ?? "")).toBe(normalizeWords(texts[0] as string));
  });

  it("prevents the start", async () => {
    await expect(
      run(speechSegments, greedy, AbortSignal.abort(new Error("never wanted"))),
    ).rejects.toThrow("never wanted");
  });
});
