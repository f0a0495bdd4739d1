// Parts of speech (Penn tags) by an averaged perceptron: the tag with the highest sum of weights wins. Features are
// those used in the training of the shipped weights; their names are the keys of the weights.

import { createJsonTable, type Table } from "../json-table.ts";

export type TaggerData = {
  readonly tags: readonly string[];
  /** Words with one dominant tag. */
  readonly tagdict: { readonly [word: string]: string };
  readonly vocab: readonly string[];
  /** Feature → tag → weight. */
  readonly weights: Table<{ readonly [tag: string]: number }>;
};

/** @param json an object with the fields of TaggerData */
export function readTaggerData(json: string): TaggerData {
  const table = createJsonTable<never>(json);
  return {
    tags: table.get("tags") ?? [],
    tagdict: table.get("tagdict") ?? {},
    vocab: table.get("vocab") ?? [],
    weights: createJsonTable(table.readSource("weights") ?? "{}"),
  };
}

/** One tag per token of a sentence. */
export type Tagger = (tokens: readonly string[]) => string[];

/** Pairs of tag index and weight in tenths. */
type Weights = readonly (readonly [index: number, weight: number])[];

/** Size of the cache of feature weights: a text uses the same features again and again. */
const maxCachedFeatures = 2000;

/** `dependsOnTag`: the word's pronunciation depends on its tag, so its dominant tag is not sufficient. */
export function createTagger(data: TaggerData, dependsOnTag: (word: string) => boolean): Tagger {
  const tagCount = data.tags.length;
  const tagIndex = new Map(data.tags.map((tag, index) => [tag, index]));
  const vocabulary = new Set(data.vocab);
  const cache = new Map<string, Weights>();
  // Of equal sums, the tag later in the alphabet wins.
  const tieBreakOrder = [...data.tags.keys()].sort((a, b) =>
    (data.tags[a] ?? "") < (data.tags[b] ?? "") ? -1 : 1,
  );

  const normalizeToken = (token: string): string => {
    const word =
      token.indexOf("-") > 0
        ? "!HYPHEN"
        : /^\d{4}$/.test(token)
          ? "!YEAR"
          : /^\d/.test(token)
            ? "!DIGITS"
            : token.toLowerCase();
    return vocabulary.has(word) ? word : `<${wordShape(token)}>`;
  };

  const getWeights = (feature: string): Weights => {
    const cached = cache.get(feature);
    if (cached !== undefined) return cached;
    // Weights have one decimal and are stored in tenths, so that equal sums compare as equal.
    const weights = Object.entries(data.weights.get(feature) ?? {}).map(
      ([tag, weight]) => [tagIndex.get(tag) ?? 0, Math.round(weight * 10)] as const,
    );
    if (cache.size >= maxCachedFeatures) cache.clear();
    cache.set(feature, weights);
    return weights;
  };

  const chooseBestTag = (features: readonly string[]): string => {
    const scores = new Int32Array(tagCount);
    let hasKnownFeature = false;
    for (const feature of features) {
      const weights = getWeights(feature);
      if (weights.length > 0) hasKnownFeature = true;
      for (const [index, weight] of weights) scores[index] = (scores[index] ?? 0) + weight;
    }
    if (!hasKnownFeature) return "NN";
    let bestIndex = tieBreakOrder[0] ?? 0;
    for (const index of tieBreakOrder)
      if ((scores[index] ?? 0) >= (scores[bestIndex] ?? 0)) bestIndex = index;
    return data.tags[bestIndex] ?? "NN";
  };

  return (tokens) => {
    const words = ["-START2-", "-START-", ...tokens.map(normalizeToken), "-END-", "-END2-"];
    const tags: string[] = [];
    tokens.forEach((token, index) => {
      if (Object.hasOwn(data.tagdict, token) && !dependsOnTag(token)) {
        tags.push(data.tagdict[token] ?? "NN");
        return;
      }
      const before = tags[index - 1] ?? "-START-";
      const before2 = index === 0 ? "-START2-" : (tags[index - 2] ?? "-START-");
      const [word2 = "", word1 = "", word = "", after = "", after2 = ""] = words.slice(
        index,
        index + 5,
      );
      tags.push(
        chooseBestTag([
          "b",
          `s3=${token.slice(-3)}`,
          `p1=${token.slice(0, 1)}`,
          `w=${word}`,
          `sh=${wordShape(token)}`,
          index === 0 ? "i0" : "i+",
          `t-1=${before}`,
          `t-2=${before2}`,
          `t-12=${before},${before2}`,
          `w-1=${word1}`,
          `s3-1=${word1.slice(-3)}`,
          `w-2=${word2}`,
          `w+1=${after}`,
          `s3+1=${after.slice(-3)}`,
          `w+2=${after2}`,
        ]),
      );
    });
    return tags;
  };
}

function wordShape(token: string): string {
  if (/^\p{L}+$/u.test(token)) {
    const lower = token.toLowerCase();
    if (token === lower) return "x";
    if (token === token.toUpperCase()) return token.length === 1 ? "X1" : "XX";
    return token.slice(1) === lower.slice(1) ? "Xx" : "xX";
  }
  if (/^\d+$/.test(token)) return "d";
  return Array.from(token.slice(0, 8))
    .slice(0, 4)
    .join("")
    .replace(/\p{L}/gu, "x")
    .replace(/\d/g, "d");
}
