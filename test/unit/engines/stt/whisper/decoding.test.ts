// The decoding loop on a scripted decoder, which writes given tokens and records its input.

import { Tensor } from "onnxruntime-node";
import { describe, expect, it } from "vitest";
import type { LanguageProbability } from "../../../../../main/engines/engine.ts";
import type { WhisperConfiguration } from "../../../../../main/engines/stt/whisper/configuration.ts";
import {
  type DecodeOptions,
  decode,
  detectLanguages,
  type EncodedWindow,
} from "../../../../../main/engines/stt/whisper/decoding.ts";
import { createFallbackDecoder } from "../../../../../main/engines/stt/whisper/temperature-fallback.ts";
import type { Graphs } from "../../../../../main/engines/stt/whisper/graphs.ts";
import { neverAborted } from "../../../../support/app.ts";

// Text 0–9, end 10, start 11, en 12, de 13, translate 14, transcribe 15, previous text 16, no speech 17,
// no timestamps 18, timestamps 19–39.
const vocabularySize = 40;
const many: WhisperConfiguration = {
  melBands: 128,
  encoderFrames: 1500,
  maxSequence: 24,
  startToken: 11,
  endToken: 10,
  previousToken: 16,
  noSpeechToken: 17,
  noTimestampsToken: 18,
  firstTimestamp: 19,
  maxInitialTimestamp: 10,
  tasks: { transcribe: 15, translate: 14 },
  languages: new Map([
    ["en", 12],
    ["de", 13],
  ]),
  suppressed: [11, 12, 13, 14, 15, 16, 17, 18],
  suppressedAtStart: [10],
  alignmentHeads: [{ layer: 1, head: 0 }],
};
const englishOnly: WhisperConfiguration = { ...many, tasks: undefined, languages: new Map() };
const windows = (count: number): EncodedWindow[] =>
  Array.from({ length: count }, () => ({
    states: new Tensor("float32", new Float32Array(1), [1, 1, 1]),
    frames: 3,
  }));

type Fed = { rows: number; isFirst: boolean; tokens: number[][]; layers: readonly number[] };

/** @param write returns the next token of a row for the tokens it was fed so far */
function scripted(write: (sequence: readonly number[], row: number) => number): {
  graphs: Graphs;
  fed: Fed[];
} {
  const fed: Fed[] = [];
  const sequences = new Map<object, number[][]>();
  const graphs: Graphs = {
    supportsShortWindows: false,
    returnsAttentions: true,
    bytesPerFrame: 1,
    encode: () => Promise.reject(new Error("nothing to encode")),
    begin(states) {
      const cursor = {
        rows: states.length,
        states: states[0] as Tensor,
        past: undefined,
        cross: {},
        firstLogits: undefined,
        lastOutputs: [],
      };
      sequences.set(
        cursor,
        states.map(() => []),
      );
      return cursor;
    },
    beginRange(cursor) {
      const range = { ...cursor, rows: 1 };
      sequences.set(range, [[]]);
      return range;
    },
    step(cursor, tokens, layers) {
      const before = sequences.get(cursor) ?? [];
      fed.push({
        rows: cursor.rows,
        isFirst: before[0]?.length === 0,
        tokens: tokens.map((row) => [...row]),
        layers,
      });
      const all = tokens.map((row, index) => {
        const views = row.map((token) => {
          before[index]?.push(token);
          const logits = new Float32Array(vocabularySize);
          logits[write(before[index] ?? [], index)] = 5;
          // German audio: the language is detected correctly only where the start token is the first input.
          logits[before[index]?.length === 1 ? 13 : 12] = 4;
          logits[17] = token === 11 ? 3 : -3;
          return logits;
        });
        return views;
      });
      const attention = (): Tensor =>
        new Tensor(
          "float32",
          Float32Array.from({ length: cursor.rows * (tokens[0]?.length ?? 0) * 3 }, (_, at) => at),
          [cursor.rows, 1, tokens[0]?.length ?? 0, 3],
        );
      return Promise.resolve({
        logits: (row, token) => (all[row] as Float32Array[])[token] as Float32Array,
        attentions: new Map(layers.map((layer) => [layer, attention()])),
      });
    },
    keepTokens(cursor, count) {
      for (const sequence of sequences.get(cursor) ?? []) sequence.length = count;
    },
    keepRows(cursor, rows) {
      const all = sequences.get(cursor) ?? [];
      sequences.set(
        cursor,
        rows.map((row) => all[row] ?? []),
      );
      cursor.rows = rows.length;
    },
    free() {},
    close: () => Promise.resolve(),
  };
  return { graphs, fed };
}

const surest = ([best]: readonly LanguageProbability[]): string => best?.language ?? "en";
const options: DecodeOptions = {
  task: "transcribe",
  timestamps: false,
  language: "de",
  previousTokens: [],
  temperature: 0,
  attentions: false,
  signal: neverAborted(),
};
/** One word, then the end. */
const oneWord = (sequence: readonly number[]): number => (sequence.at(-1) === 3 ? 10 : 3);

describe("the prompt", () => {
  it("is fed in one step where the language is known", async () => {
    const { graphs, fed } = scripted(oneWord);
    const decoded = await decode(graphs, many, windows(2), { ...options, previousTokens: [7, 8] });
    expect(fed[0]?.tokens).toEqual([
      [16, 7, 8, 11, 13, 15, 18],
      [16, 7, 8, 11, 13, 15, 18],
    ]);
    expect(
      decoded.map(({ tokens, logProbs, language }) => [tokens, logProbs.length, language]),
    ).toEqual([
      [[3], 2, "de"],
      [[3], 2, "de"],
    ]);
  });

  it("is fed token by token after language detection, since a decoder with a cache accepts only one", async () => {
    const { graphs, fed } = scripted(oneWord);
    const [decoded] = await decode(graphs, many, windows(1), {
      ...options,
      task: "translate",
      language: surest,
    });
    expect(decoded?.language).toBe("de");
    expect(fed.map(({ tokens }) => tokens[0])).toEqual([[11], [13], [14], [18], [3]]);
  });

  it("is fed in one step where the likely language is confirmed", async () => {
    const { graphs, fed } = scripted(oneWord);
    const [decoded] = await decode(graphs, many, windows(1), {
      ...options,
      language: surest,
      likelyLanguage: "de",
    });
    expect(decoded?.language).toBe("de");
    expect(fed.map(({ tokens }) => tokens[0])).toEqual([[11, 13, 15, 18], [3]]);
  });

  it("is fed again where another language than the likely one is found", async () => {
    const { graphs, fed } = scripted(oneWord);
    const [decoded] = await decode(graphs, many, windows(1), {
      ...options,
      language: surest,
      likelyLanguage: "en",
    });
    expect(decoded?.language).toBe("de");
    expect(fed.map(({ tokens }) => tokens[0])).toEqual([
      [11, 12, 15, 18],
      [11],
      [13],
      [15],
      [18],
      [3],
    ]);
  });

  it("does not influence language detection", async () => {
    const { graphs, fed } = scripted(oneWord);
    const [decoded] = await decode(graphs, many, windows(1), {
      ...options,
      previousTokens: [7, 8],
      language: surest,
    });
    expect(decoded?.language).toBe("de");
    expect(fed.map(({ tokens }) => tokens[0])).toEqual([[11], [16, 7, 8, 11, 13, 15, 18], [3]]);
    expect(fed.map(({ isFirst }) => isFirst)).toEqual([true, true, false]);
  });

  it("requests no translation of English", async () => {
    const { graphs, fed } = scripted(oneWord);
    await decode(graphs, many, windows(1), {
      ...options,
      task: "translate",
      language: "en",
      timestamps: true,
    });
    expect(fed[0]?.tokens).toEqual([[11, 12, 15]]);
  });

  it("leaves the rest of the sequence for the text", async () => {
    const { graphs } = scripted(() => 3);
    const countOf = async (previousTokens: number[]): Promise<number | undefined> =>
      (await decode(graphs, many, windows(1), { ...options, previousTokens }))[0]?.tokens.length;
    // At most half of the 24 positions; the last token is not fed.
    expect(await countOf([])).toBe(12);
    expect(await countOf([7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7])).toBe(9);
  });

  it("makes batches small when it is long", async () => {
    const { graphs, fed } = scripted(oneWord);
    const decoded = await decode(graphs, { ...many, maxSequence: 448 }, windows(4), {
      ...options,
      previousTokens: Array.from({ length: 120 }, () => 7),
    });
    expect(decoded).toHaveLength(4);
    expect(fed.every(({ rows }) => rows === 2)).toBe(true);
  });
});

describe("expected tokens", () => {
  const words = [3, 4, 5, 6];
  /** The words, one after the other, then the end. */
  const writeWords = (sequence: readonly number[]): number =>
    words[sequence.length - 4] ?? many.endToken;
  const decodeExpecting = async (expectedTokens: readonly number[]) => {
    const { graphs, fed } = scripted(writeWords);
    const more = { ...options, attentions: true, expectedTokens };
    const [decoded] = await decode(graphs, many, windows(1), more);
    return { decoded, fed: fed.map(({ tokens }) => tokens[0]) };
  };

  it("that are right are computed in one step", async () => {
    const { decoded, fed } = await decodeExpecting([3, 4]);
    expect(decoded?.tokens).toEqual(words);
    expect(decoded?.attentions).toHaveLength(5);
    // Of the positions of the prompt's last token and the first expected one.
    expect(decoded?.attentions.slice(0, 2).map(([attention]) => attention?.[0])).toEqual([9, 12]);
    expect(fed).toEqual([[11, 13, 15, 18, 3, 4], [5], [6]]);
  });

  it("that are wrong change nothing, from the first one on", async () => {
    const { tokens, logProbs } = (await decodeExpecting([])).decoded ?? {};
    for (const expected of [[3, 7, 5], [4], [3, 4, 5, 6, 7], [9, 9, 9]]) {
      const { decoded, fed } = await decodeExpecting(expected);
      expect([decoded?.tokens, decoded?.logProbs]).toEqual([tokens, logProbs]);
      expect(fed[0]).toEqual([11, 13, 15, 18, ...expected]);
    }
  });

  it("fill the sequence at most", async () => {
    const { fed } = await decodeExpecting(Array.from({ length: 50 }, () => 7));
    expect(fed[0]).toHaveLength(many.maxSequence);
  });
});

it("does not decode a window whose ranges' languages are not accepted", async () => {
  const { graphs } = scripted(oneWord);
  const ranges = [
    { from: 0, to: 1 },
    { from: 1, to: 3 },
  ];
  const accepted: (string | undefined)[][] = [];
  const [mixed, other] = await decode(
    graphs,
    many,
    windows(2).map((window, index) => (index === 0 ? { ...window, ranges } : window)),
    {
      ...options,
      acceptLanguages(bestLanguages) {
        accepted.push(bestLanguages.map((best) => best?.language));
        return bestLanguages.length === 0;
      },
    },
  );
  expect(accepted).toEqual([["de", "de"], []]);
  expect(mixed).toMatchObject({
    tokens: [],
    rangeLanguages: [{ language: "de" }, { language: "de" }],
  });
  expect(other?.tokens).toEqual([3]);
});

it("computes no further steps for finished windows", async () => {
  // Words 3 and 5, the second window only 4.
  const next = new Map([
    [3, 5],
    [4, 10],
    [5, 10],
  ]);
  const { graphs, fed } = scripted(
    (sequence, row) => next.get(sequence.at(-1) ?? 0) ?? (row === 1 ? 4 : 3),
  );
  const decoded = await decode(graphs, many, windows(3), options);
  expect(decoded.map(({ tokens }) => tokens)).toEqual([[3, 5], [4], [3, 5]]);
  expect(fed.slice(1).map(({ tokens }) => tokens)).toEqual([
    [[3], [4], [3]],
    [[5], [5]],
  ]);
});

describe("an English-only vocabulary", () => {
  it.each([
    [true, [11]],
    [false, [11, 18]],
  ])("is fed neither a language nor a task token (timestamps: %s)", async (timestamps, prompt) => {
    const { graphs, fed } = scripted((sequence) =>
      sequence.at(-1) === 11 ? 19 : oneWord(sequence),
    );
    const [decoded] = await decode(graphs, englishOnly, windows(1), {
      ...options,
      timestamps,
      language: surest,
      attentions: true,
    });
    expect(fed[0]).toMatchObject({ tokens: [prompt], layers: [1] });
    expect(decoded?.language).toBeUndefined();
    // One for each token, and one for the end.
    expect(decoded?.attentions).toHaveLength((decoded?.tokens.length ?? 0) + 1);
  });

  it("detects no languages", async () => {
    expect(
      await detectLanguages(scripted(oneWord).graphs, englishOnly, windows(1)[0] as EncodedWindow),
    ).toEqual([]);
  });
});

it.each([
  ["a given", "de"],
  ["a found", surest],
] as const)(
  "reads the no-speech probability at the start token (%s language)",
  async (_, language) => {
    const { graphs } = scripted(oneWord);
    const [plain] = await decode(graphs, many, windows(1), { ...options, language });
    const [prompted] = await decode(graphs, many, windows(1), {
      ...options,
      language,
      previousTokens: [7, 8],
    });
    const likely = Math.exp(3) / (Math.exp(5) + Math.exp(4) + Math.exp(3) + 37);
    expect(plain?.noSpeechProb).toBeCloseTo(likely, 5);
    expect(prompted?.noSpeechProb).toBeCloseTo(likely, 5);
  },
);

it("keeps the attention of each token, taken at the last position of its input", async () => {
  const { graphs } = scripted(oneWord);
  const [decoded] = await decode(graphs, many, windows(1), { ...options, attentions: true });
  expect(decoded?.attentions.map(([head]) => Array.from(head ?? []))).toEqual([
    [9, 10, 11],
    [0, 1, 2],
  ]);
});

it("draws the same tokens again, whatever else is in the batch", async () => {
  const { graphs } = scripted(() => 3);
  const drawn = async (count: number): Promise<number[][]> =>
    (await decode(graphs, many, windows(count), { ...options, temperature: 1 })).map(
      ({ tokens }) => tokens,
    );
  const [first] = await drawn(1);
  expect(await drawn(2)).toEqual([first, first]);
});

const attemptsAtRepetition = async (isDraft: boolean): Promise<number> => {
  const { graphs, fed } = scripted(() => 3);
  const vocabulary = { decode: () => "again ".repeat(50), encode: () => [] };
  const decodeWithFallback = createFallbackDecoder(graphs, many, vocabulary);
  await decodeWithFallback(
    windows(1),
    { task: "transcribe", language: "de", temperature: 0, wordTimes: false, isDraft },
    false,
    neverAborted(),
  );
  return fed.filter(({ isFirst }) => isFirst).length;
};

it("decodes a repetitive text again at higher temperatures, but not that of a draft", async () => {
  expect([await attemptsAtRepetition(false), await attemptsAtRepetition(true)]).toEqual([6, 1]);
});

it("rejects a language that the vocabulary lacks", async () => {
  await expect(
    decode(scripted(oneWord).graphs, many, windows(1), { ...options, language: "yue" }),
  ).rejects.toThrow("yue");
});

it("stops when aborted", async () => {
  await expect(
    decode(scripted(() => 3).graphs, many, windows(1), { ...options, signal: AbortSignal.abort() }),
  ).rejects.toThrow("abort");
});
