import { expect, it } from "vitest";
import { decode } from "../../../../main/engines/stt/moonshine/decoding.ts";
import type { Graphs } from "../../../../main/engines/stt/moonshine/graphs.ts";
import { endToken, startToken } from "../../../../main/engines/stt/moonshine/vocabulary.ts";

const vocabularySize = 16;

/** Says these tokens one after the other, then the end token. */
function graphsThatSay(tokens: readonly number[]) {
  const fed: number[][] = [];
  let count = 0;
  const graphs: Pick<Graphs, "step" | "keepTokens"> = {
    step: async (_, [row = []]) => {
      fed.push([...row]);
      const from = count;
      count += row.length;
      return {
        logits(_row, position) {
          const logits = new Float32Array(vocabularySize);
          logits[tokens[from + position] ?? endToken] = 20;
          return logits;
        },
        cache: {},
        attentions: [],
      };
    },
    keepTokens(cache, kept) {
      count = kept;
      return cache;
    },
  };
  return { graphs: graphs as Graphs, fed };
}

async function decodeAndCount(
  tokens: readonly number[],
  maxTokens: number,
  expectedTokens: readonly number[] = [],
): Promise<{ tokens: number[]; fed: number[][] }> {
  const { graphs, fed } = graphsThatSay(tokens);
  const [segment] = await decode(
    graphs,
    { frames: 1, frameCounts: [1], inputs: {} },
    {
      temperature: 0,
      maxTokens: [maxTokens],
      expectedTokens,
      heads: [],
      random: () => 0,
      signal: new AbortController().signal,
    },
  );
  return { tokens: segment?.tokens ?? [], fed };
}
const decoded = async (tokens: readonly number[], maxTokens: number): Promise<number[]> =>
  (await decodeAndCount(tokens, maxTokens)).tokens;

it("computes expected tokens in one step, up to the first wrong one", async () => {
  const tokens = [4, 5, 6, 7];
  expect(await decodeAndCount(tokens, 100, [4, 5])).toEqual({
    tokens,
    fed: [[startToken, 4, 5], [6], [7]],
  });
  expect(await decodeAndCount(tokens, 100, [4, 9, 6])).toEqual({
    tokens,
    fed: [[startToken, 4, 9, 6], [5], [6], [7]],
  });
  expect((await decodeAndCount(tokens, 100, [4, 5, 6, 7, 8])).tokens).toEqual(tokens);
  expect((await decodeAndCount(tokens, 2, [4, 5, 6, 7])).tokens).toEqual([4, 5]);
});

it("says a pattern of several tokens once, however often the model repeats it", async () => {
  const pattern = [5, 6, 7];
  const tokens = [4, ...pattern, ...pattern, ...pattern, ...pattern, ...pattern];
  expect(await decoded(tokens, 100)).toEqual([4, ...pattern]);
});

it("keeps a short word that is repeated, if the model comes to an end", async () => {
  expect(await decoded([4, 5, 5, 5, 5], 100)).toEqual([4, 5, 5, 5, 5]);
});

it("says it once if only the limit on tokens ends it", async () => {
  expect(await decoded([4, 5, 6, 5, 6, 5, 6, 5, 6, 5, 6], 9)).toEqual([4, 5, 6]);
});
