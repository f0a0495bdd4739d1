// Word error rate: the share of a reference's words that were substituted, deleted or inserted. Both texts go through
// the same normalizer, so that differences of spelling do not count.

import { cardinalWords, ordinalWords, yearWords } from "../../main/text/english/number-words.ts";

export type WordErrors = {
  substituted: number;
  deleted: number;
  inserted: number;
  referenceWords: number;
  rate: number;
};

/**
 * The rate is 0 for two texts without words.
 * @param wordsOf `spokenWords` is for English, `writtenWords` for any language
 */
export function wordErrors(
  reference: string,
  hypothesis: string,
  wordsOf: (text: string) => string[] = spokenWords,
): WordErrors {
  return countErrors(wordsOf(reference), wordsOf(hypothesis));
}

/** One rate for many texts: all errors divided by all words. */
export function totalErrors(parts: readonly WordErrors[]): WordErrors {
  const total = { substituted: 0, deleted: 0, inserted: 0, referenceWords: 0 };
  for (const part of parts)
    for (const key of ["substituted", "deleted", "inserted", "referenceWords"] as const)
      total[key] += part[key];
  return withRate(total);
}

/** Minimum number of edits (Levenshtein) that turn `reference` into `hypothesis`, for items of any type. */
export function editDistance<Item>(
  reference: readonly Item[],
  hypothesis: readonly Item[],
): number {
  const { substituted, deleted, inserted } = countEdits(reference, hypothesis);
  return substituted + deleted + inserted;
}

function countErrors(reference: readonly string[], hypothesis: readonly string[]): WordErrors {
  return withRate({ ...countEdits(reference, hypothesis), referenceWords: reference.length });
}

function withRate(counts: Omit<WordErrors, "rate">): WordErrors {
  const errors = counts.substituted + counts.deleted + counts.inserted;
  return { ...counts, rate: errors === 0 ? 0 : errors / Math.max(1, counts.referenceWords) };
}

type Edits = { substituted: number; deleted: number; inserted: number };
type Path = Edits & { cost: number };

/** Processes the reference row by row; each cell holds the edits of its cheapest path. */
function countEdits<Item>(reference: readonly Item[], hypothesis: readonly Item[]): Edits {
  const step = (from: Path, edit: keyof Edits): Path => ({
    ...from,
    [edit]: from[edit] + 1,
    cost: from.cost + 1,
  });
  const emptyPath: Path = { substituted: 0, deleted: 0, inserted: 0, cost: 0 };
  let row = [emptyPath];
  for (const column of hypothesis.keys()) row.push(step(row[column] ?? emptyPath, "inserted"));
  for (const item of reference) {
    const next = [step(row[0] ?? emptyPath, "deleted")];
    for (const [column, other] of hypothesis.entries()) {
      const diagonal = row[column] ?? emptyPath;
      const [matched, deleted, inserted] = [
        item === other ? diagonal : step(diagonal, "substituted"),
        step(row[column + 1] ?? emptyPath, "deleted"),
        step(next[column] ?? emptyPath, "inserted"),
      ];
      next.push(
        [deleted, inserted].reduce((best, path) => (path.cost < best.cost ? path : best), matched),
      );
    }
    row = next;
  }
  const { substituted, deleted, inserted } = row.at(-1) ?? emptyPath;
  return { substituted, deleted, inserted };
}

/** Positions of equal items in both, in order: the longest common subsequence. */
export function commonPositions<Item>(
  one: readonly Item[],
  other: readonly Item[],
): [number, number][] {
  // Cell [i][j]: length of the longest common subsequence from i and from j to the ends.
  const common = Array.from({ length: one.length + 1 }, () => new Uint16Array(other.length + 1));
  const at = (i: number, j: number): number => common[i]?.[j] ?? 0;
  for (let i = one.length - 1; i >= 0; i -= 1) {
    for (let j = other.length - 1; j >= 0; j -= 1)
      (common[i] as Uint16Array)[j] =
        one[i] === other[j] ? 1 + at(i + 1, j + 1) : Math.max(at(i + 1, j), at(i, j + 1));
  }
  const positions: [number, number][] = [];
  for (let [i, j] = [0, 0]; i < one.length && j < other.length;) {
    if (one[i] === other[j]) positions.push([i++, j++]);
    else if (at(i + 1, j) >= at(i, j + 1)) i += 1;
    else j += 1;
  }
  return positions;
}

/** The words of any language as written: lower case, no punctuation or symbols (openai/whisper's basic normalizer). */
export const writtenWords = (text: string): string[] =>
  text
    .normalize("NFKC")
    .toLowerCase()
    .split(/[^\p{L}\p{M}\p{N}]+/u)
    .filter(Boolean);

/** The words as spoken: lower case, no punctuation, numbers and symbols as words, one spelling for each. */
export function spokenWords(text: string): string[] {
  return (
    text
      .normalize("NFKC")
      .toLowerCase()
      .replace(/[\u2018\u2019\u02bc`]/g, "'")
      .replace(
        /[[(<](?:music|applause|laughter|silence|noise|blank_audio|inaudible)[^\])>]*[\])>]/g,
        " ",
      )
      .replace(
        /([$£€])\s?(\d[\d,]*(?:\.\d+)?)((?:\s(?:million|billion|trillion))?)/g,
        (_, sign: string, amount: string, scale: string) =>
          `${amount}${scale} ${currencies[sign] ?? ""}`,
      )
      .replace(/\d{1,3}(?:,\d{3})+(?!\d)/g, (digits) =>
        cardinalWords(digits.replaceAll(",", "")).join(" "),
      )
      .replace(/(\w)\s?%/g, "$1 percent")
      .replace(/\bper cent\b/g, "percent")
      .replace(/&/g, " and ")
      .replace(/(\d)\.(?=\d)/g, "$1 point ")
      .replace(/(?<=point )\d+/g, (digits) => [...digits].flatMap(cardinalWords).join(" "))
      .replace(/\b(\d+)(?:st|nd|rd|th)\b/g, (_, digits: string) => ordinalWords(digits).join(" "))
      .replace(/\b((?:1[1-9]|20)\d\d)(?=s?\b)/g, (_, digits: string) => yearWords(digits).join(" "))
      .replace(/\d+/g, (digits) => ` ${cardinalWords(digits).join(" ")} `)
      .replace(/tys\b/g, "ties")
      // An apostrophe is removed with no space: don't and dont, neighbor's and neighbors sound the same.
      .replace(/'/g, "")
      .split(/[^\p{L}\p{M}]+/u)
      .filter(Boolean)
      .flatMap((word) => (spokenForms.get(word) ?? americanSpelling(word)).split(" "))
  );
}

const currencies: Readonly<Record<string, string>> = { $: "dollars", "£": "pounds", "€": "euros" };

/** Written forms that are spoken alike. */
const spokenForms = new Map([
  ["mr", "mister"],
  ["mrs", "missus"],
  ["dr", "doctor"],
  ["prof", "professor"],
  ["vs", "versus"],
  ["etc", "et cetera"],
  ["ok", "okay"],
  ["grey", "gray"],
  ["programme", "program"],
  ["programmes", "programs"],
  ["defence", "defense"],
  ["licence", "license"],
  ["cheque", "check"],
  ["tyre", "tire"],
  ["tyres", "tires"],
  ["plough", "plow"],
  ["sceptical", "skeptical"],
  ["aluminium", "aluminum"],
  ["whilst", "while"],
]);

/**
 * Replaces endings that differ between British and American spelling. Applied to both texts, so it need not be correct,
 * only consistent.
 */
function americanSpelling(word: string): string {
  return word
    .replace(/(?<=\w{3})our(?=(?:s|ed|ing|ful|ite|ites|able|hood|hoods|less)?$)/, "or")
    .replace(/(?<=\w{2})is(?=(?:e|es|ed|er|ers|ing|ation|ations)$)/, "iz")
    .replace(/(?<=\w{2})ys(?=(?:e|es|ed|er|ing)$)/, "yz")
    .replace(
      /(?<=^(?:cent|theat|fib|lit|met|\w+met|\w+lit|lust|spect|calib|sab|somb))re(?=s?$)/,
      "er",
    )
    .replace(
      /(?<=^(?:travel|cancel|model|label|fuel|level|signal|jewel|marvel|quarrel))l(?=ed|ing|er|ery|ous)/,
      "",
    );
}
