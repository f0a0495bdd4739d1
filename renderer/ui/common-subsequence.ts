// Longest common subsequence of two word lists. The caller splits texts into words and normalizes them. Pure.

/** Above this many pairs of words, the differing middle part counts as completely different. */
const maxCells = 4_000_000;

/** Index pairs of the longest common subsequence, in order. */
export function commonSubsequence(
  a: readonly string[],
  b: readonly string[],
): readonly (readonly [inA: number, inB: number])[] {
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let end = 0;
  while (
    end < a.length - start &&
    end < b.length - start &&
    a[a.length - 1 - end] === b[b.length - 1 - end]
  )
    end += 1;
  const [height, width] = [a.length - start - end, b.length - start - end];
  const pairs: [number, number][] = Array.from({ length: start }, (_, at) => [at, at]);
  if (height * width <= maxCells) {
    const row = width + 1;
    const lengths = new Uint32Array((height + 1) * row);
    for (let i = height - 1; i >= 0; i -= 1) {
      for (let j = width - 1; j >= 0; j -= 1) {
        lengths[i * row + j] =
          a[start + i] === b[start + j]
            ? (lengths[(i + 1) * row + j + 1] ?? 0) + 1
            : Math.max(lengths[(i + 1) * row + j] ?? 0, lengths[i * row + j + 1] ?? 0);
      }
    }
    for (let i = 0, j = 0; i < height && j < width;) {
      if (a[start + i] === b[start + j]) pairs.push([start + i++, start + j++]);
      else if ((lengths[(i + 1) * row + j] ?? 0) >= (lengths[i * row + j + 1] ?? 0)) i += 1;
      else j += 1;
    }
  }
  for (let at = end; at > 0; at -= 1) pairs.push([a.length - at, b.length - at]);
  return pairs;
}
