import { expect, it } from "vitest";
import { decode } from "../../../../main/engines/stt/moonshine/decoding.ts";
import type { Graphs } from "../../../../main/engines/stt/moonshine/graphs.ts";
import { endToken } from "../../../../main/engines/stt/moonshine/vocabulary.ts";

const vocabularySize = 16;

/** Says these tokens one after the other, then the end token. */
function graphsThatSay(tokens: readonly number[]): Pick<Graphs, "step"> {
  let next = 0;
  return {
    step: async () => {
      const logits = new Float32Array(vocabularySize);
      logits[tokens[next++] ?? endToken] = 20;
      return { logits, vocabularySize, cache: {}, attentions: [] };
    },
  };
}

async function decoded(tokens: readonly number[], maxTokens: number): Promise<number[]> {
  const [segment] = await decode(
    graphsThatSay(tokens) as Graphs,
    { frames: 1, frameCounts: [1], inputs: {} },
    {
      temperature: 0,
      maxTokens: [maxTokens],
      heads: [],
      random: () => 0,
      signal: new AbortController().signal,
    },
  );
  return segment?.tokens ?? [];
}

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
