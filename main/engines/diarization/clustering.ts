// Groups voices by speaker: agglomerative clustering with average linkage over cosine similarity. All merges are found
// by nearest-neighbor chains (Murtagh, 1983), in time and memory quadratic in the number of voices, which the caller
// limits.

import type { SpeakerCount } from "../../contract/speakers.ts";

/** A unit vector, and for how many seconds of speech it stands. */
export type WeightedPrint = { readonly print: Float32Array; readonly sec: number };

export type SpeakerSizePolicy = {
  /**
   * A cluster with less of all speech than this part, or with fewer seconds, is no speaker; with more seconds it is.
   */
  readonly minShare: number;
  readonly minSec: number;
  readonly enoughSec: number;
};

export type ClusteringPolicy = SpeakerSizePolicy & {
  /** Clusters with a mean similarity of at least this are one speaker. */
  readonly minSimilarity: number;
};

/** Seconds that make a speaker, where that much speech has been found. */
export const minSpeakerSec = (
  { minShare, minSec, enoughSec }: SpeakerSizePolicy,
  speechSec: number,
): number => Math.max(minSec, Math.min(enoughSec, minShare * speechSec));

/** Two clusters, named by the lowest index in each, and their mean similarity. */
type Merge = { one: number; other: number; similarity: number };

/** @returns the indices of each speaker's prints, those with the most speech first; none are left out */
export function clusterPrints(
  prints: readonly WeightedPrint[],
  { minSimilarity, minShare, minSec, enoughSec }: ClusteringPolicy,
  count: SpeakerCount = {},
): number[][] {
  const speakerSec = minSpeakerSec({ minShare, minSec, enoughSec }, secondsOf(prints));
  const merges = findMerges(prints).sort((one, other) => other.similarity - one.similarity);
  const clusters = new Map<number, number[]>(prints.map((_, index) => [index, [index]]));
  for (const { one, other } of chooseMerges(prints, merges, minSimilarity, speakerSec, count)) {
    clusters.get(one)?.push(...(clusters.get(other) ?? []));
    clusters.delete(other);
  }
  return dissolveSmall(prints, [...clusters.values()], speakerSec);
}

/**
 * Those that are similar enough; fewer or more of them where the number of clusters that are large enough for a speaker
 * would otherwise be outside the limits, or as little outside as can be.
 */
function chooseMerges(
  prints: readonly WeightedPrint[],
  merges: readonly Merge[],
  minSimilarity: number,
  speakerSec: number,
  { min = 1, max = Infinity }: SpeakerCount,
): readonly Merge[] {
  const similarCount = merges.filter(({ similarity }) => similarity >= minSimilarity).length;
  const clusterSec = prints.map(({ sec }) => sec);
  const isSpeaker = (cluster: number): number => Number((clusterSec[cluster] ?? 0) >= speakerSec);
  let speakers = clusterSec.reduce((sum, _, cluster) => sum + isSpeaker(cluster), 0);
  const misses = [Math.max(min - speakers, speakers - max, 0)];
  for (const { one, other } of merges) {
    speakers -= isSpeaker(one) + isSpeaker(other);
    clusterSec[one]! += clusterSec[other]!;
    speakers += isSpeaker(one);
    misses.push(Math.max(min - speakers, speakers - max, 0));
  }
  const fewestMisses = misses.reduce((least, miss) => Math.min(least, miss), Infinity);
  let best = -Infinity;
  for (const [merged, miss] of misses.entries())
    if (miss === fewestMisses && Math.abs(merged - similarCount) < Math.abs(best - similarCount))
      best = merged;
  return merges.slice(0, best);
}

/** All merges down to a single cluster, in the order of the chains. */
function findMerges(prints: readonly WeightedPrint[]): Merge[] {
  const size = prints.length;
  const similarity = similarityMatrix(prints);
  const sec = prints.map((print) => print.sec);
  const active = new Set(prints.keys());
  const merges: Merge[] = [];
  const chain: number[] = [];
  while (active.size > 1) {
    const last = chain.at(-1) ?? (active.values().next().value as number);
    if (chain.length === 0) chain.push(last);
    const previous = chain.at(-2);
    // Of equally near ones, the previous: otherwise the chain could go around in a circle.
    let nearest = previous;
    let highest = previous === undefined ? -Infinity : similarity[last * size + previous]!;
    for (const candidate of active) {
      const value = similarity[last * size + candidate]!;
      if (candidate !== last && value > highest) [nearest, highest] = [candidate, value];
    }
    if (nearest === undefined) break;
    if (nearest !== previous) {
      chain.push(nearest);
      continue;
    }
    chain.length -= 2;
    const [one, other] = last < nearest ? [last, nearest] : [nearest, last];
    merges.push({ one, other, similarity: highest });
    active.delete(other);
    const share = sec[one]! / (sec[one]! + sec[other]!);
    sec[one]! += sec[other]!;
    for (const third of active) {
      const mean =
        share * similarity[one * size + third]! + (1 - share) * similarity[other * size + third]!;
      similarity[one * size + third] = mean;
      similarity[third * size + one] = mean;
    }
  }
  return merges;
}

function similarityMatrix(prints: readonly WeightedPrint[]): Float32Array {
  const size = prints.length;
  const matrix = new Float32Array(size * size);
  for (const [row, { print }] of prints.entries()) {
    for (let column = 0; column < row; column++) {
      const value = similarityOf(print, prints[column]!.print);
      matrix[row * size + column] = value;
      matrix[column * size + row] = value;
    }
  }
  return matrix;
}

/** Clusters that are too small for a speaker go to the most similar one that is not. The largest is one in any case. */
function dissolveSmall(
  prints: readonly WeightedPrint[],
  clusters: readonly number[][],
  speakerSec: number,
): number[][] {
  const members = (cluster: readonly number[]): WeightedPrint[] =>
    cluster.map((index) => prints[index]!);
  const bySec = clusters
    .map((indices) => ({ indices, sec: secondsOf(members(indices)) }))
    .sort((one, other) => other.sec - one.sec);
  const speakers = bySec.filter(({ sec }, rank) => rank === 0 || sec >= speakerSec);
  const centers = speakers.map(({ indices }) => centerOf(members(indices)));
  for (const { indices } of bySec.slice(speakers.length))
    speakers[findMostSimilar(centerOf(members(indices)), centers)]?.indices.push(...indices);
  return speakers.map(({ indices }) => indices);
}

const secondsOf = (prints: readonly WeightedPrint[]): number =>
  prints.reduce((sum, { sec }) => sum + sec, 0);

/** Mean of the prints by their seconds; the more they differ, the shorter it is. */
export function centerOf(prints: readonly WeightedPrint[]): Float32Array {
  const center = new Float32Array(prints[0]?.print.length ?? 0);
  const totalSec = secondsOf(prints);
  for (const { print, sec } of prints)
    for (let i = 0; i < center.length; i++) center[i]! += (print[i]! * sec) / totalSec;
  return center;
}

/** Index of the center with the highest mean similarity to its prints, of those that are not left out. */
export function findMostSimilar(
  print: Float32Array,
  centers: readonly Float32Array[],
  leftOut: ReadonlySet<number> = new Set(),
): number {
  const similarities = centers.map((center, index) =>
    leftOut.has(index) ? -Infinity : similarityOf(print, center),
  );
  return similarities.indexOf(Math.max(...similarities));
}

/** Cosine of the angle between unit vectors; of a center, the mean over its prints. */
export function similarityOf(one: Float32Array, other: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < one.length; i++) sum += one[i]! * other[i]!;
  return sum;
}
