// How two texts differ, word by word; capitals and punctuation do not count. Pure.

export type TextPart = { readonly text: string; /** Not in the other text. */ readonly isOwn: boolean };
export type TextDifference = { readonly first: readonly TextPart[]; readonly second: readonly TextPart[]; /** Words of the longer side of each difference, added up. */ readonly words: number };

/** Beyond this many pairs of words, the middle that differs is shown as one. */
const mostCells = 4_000_000;

const wordsOf = (text: string): string[] => text.trim().match(/\S+\s*/g) ?? [];
const keyOf = (word: string): string => word.toLowerCase().replaceAll(/[^\p{Letter}\p{Number}]/gu, '') || word.trim();

/** Pairs of places of words both have, in order, as many as can be (longest common subsequence). */
function commonPairs(a: readonly string[], b: readonly string[]): [number, number][] {
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end += 1;
  const [height, width] = [a.length - start - end, b.length - start - end];
  const pairs: [number, number][] = Array.from({ length: start }, (_, at) => [at, at]);
  if (height * width <= mostCells) {
    const row = width + 1;
    const lengths = new Uint32Array((height + 1) * row);
    for (let i = height - 1; i >= 0; i -= 1) {
      for (let j = width - 1; j >= 0; j -= 1) {
        lengths[i * row + j] = a[start + i] === b[start + j] ? (lengths[(i + 1) * row + j + 1] ?? 0) + 1 : Math.max(lengths[(i + 1) * row + j] ?? 0, lengths[i * row + j + 1] ?? 0);
      }
    }
    for (let i = 0, j = 0; i < height && j < width; ) {
      if (a[start + i] === b[start + j]) pairs.push([start + i++, start + j++]);
      else if ((lengths[(i + 1) * row + j] ?? 0) >= (lengths[i * row + j + 1] ?? 0)) i += 1;
      else j += 1;
    }
  }
  return [...pairs, ...Array.from({ length: end }, (_, at): [number, number] => [a.length - end + at, b.length - end + at])];
}

function partsOf(words: readonly string[], common: ReadonlySet<number>): TextPart[] {
  const parts: { text: string; isOwn: boolean }[] = [];
  for (const [at, text] of words.entries()) {
    const isOwn = !common.has(at);
    const last = parts.at(-1);
    if (last?.isOwn === isOwn) last.text += text;
    else parts.push({ text, isOwn });
  }
  return parts;
}

export function textDifference(first: string, second: string): TextDifference {
  const [a, b] = [wordsOf(first), wordsOf(second)];
  const pairs = commonPairs(a.map(keyOf), b.map(keyOf));
  let words = 0;
  let [i, j] = [0, 0];
  for (const [inFirst, inSecond] of [...pairs, [a.length, b.length] as const]) {
    words += Math.max(inFirst - i, inSecond - j);
    [i, j] = [inFirst + 1, inSecond + 1];
  }
  return { first: partsOf(a, new Set(pairs.map(([at]) => at))), second: partsOf(b, new Set(pairs.map(([, at]) => at))), words };
}
