import { expect, it } from "vitest";
import {
  clusterPrints,
  type WeightedPrint,
} from "../../../../main/engines/diarization/clustering.ts";

const policy = { minSimilarity: 0.34, minShare: 0.02, minSec: 1, enoughSec: 30 };

/** Prints near one axis per voice; the similarity within a voice is about 0.8, and 0 between voices. */
function printsOf(voices: readonly number[], sec = 2): WeightedPrint[] {
  return voices.map((voice, index) => {
    const print = new Float32Array(64);
    print[voice] = 1;
    print[10 + ((index * 7) % 54)] = 0.5;
    const length = Math.hypot(...print);
    return { print: print.map((value) => value / length), sec };
  });
}

/** Voices of each cluster, without repetition. */
const voicesOf = (clusters: readonly number[][], voices: readonly number[]): number[][] =>
  clusters.map((cluster) => [...new Set(cluster.map((index) => voices[index] ?? -1))].sort());

const threeVoices = [0, 1, 0, 2, 1, 0, 0, 1, 2, 0, 1, 0];

it("finds how many voices there are, and which prints are whose", () => {
  const clusters = clusterPrints(printsOf(threeVoices), policy);
  expect(voicesOf(clusters, threeVoices)).toEqual([[0], [1], [2]]);
  expect(clusters.flat().sort((one, other) => one - other)).toEqual([...threeVoices.keys()]);
});

it("has nothing to say about nothing, and one voice in one print, however short", () => {
  expect(clusterPrints([], policy)).toEqual([]);
  expect(clusterPrints(printsOf([3], 0.5), policy)).toEqual([[0]]);
});

it.each([
  [{ min: 2, max: 2 }, 2],
  [{ max: 2 }, 2],
  [{ min: 4 }, 4],
  [{ min: 2, max: 5 }, 3],
  [{ min: 1, max: 1 }, 1],
])("keeps to a number of speakers that is given: %o", (count, speakers) => {
  expect(clusterPrints(printsOf(threeVoices), policy, count)).toHaveLength(speakers);
});

it("comes as near to a given number as the prints allow", () => {
  expect(clusterPrints(printsOf([0, 0]), policy, { min: 5, max: 5 })).toHaveLength(2);
});

it("gives what is too little for a speaker to the most similar one", () => {
  const voices = [...Array<number>(60).fill(0), ...Array<number>(40).fill(1)];
  const [stray = { print: new Float32Array(), sec: 0 }] = printsOf([2], 1.5);
  const nearVoice = Float32Array.from(stray.print, (value, i) => (i === 1 ? 0.3 : value));
  const clusters = clusterPrints([...printsOf(voices), { print: nearVoice, sec: 1.5 }], policy);
  expect(clusters).toHaveLength(2);
  expect(clusters[1]).toContain(100);
});

it("counts somebody with half a minute of speech in a long recording as a speaker", () => {
  const voices = [...Array<number>(900).fill(0), ...Array<number>(8).fill(1)];
  expect(clusterPrints(printsOf(voices, 4), policy)).toHaveLength(2);
});
