// What a draft asks of a model, and what it returns, with a scripted pool.

import { expect, it } from "vitest";
import type { DecodedText } from "../../../main/contract/speech.ts";
import type { Pool } from "../../../main/engines/pool/pool.ts";
import { transcribeDraft } from "../../../main/inference/draft-transcription.ts";
import { shippedModels } from "../../../main/models/shipped-models.ts";
import { segment } from "../../support/fake-channel.ts";
import { localModels } from "../../support/local-models.ts";
import { neverAborted } from "../../support/test-router.ts";

const words = [
  { word: "Guten", startSec: 0.1, endSec: 0.4, probability: 0.9 },
  { word: "Tag", startSec: 0.5, endSec: 0.8, probability: 0.6 },
];

/** @param hasWordTimes the models give times of words */
async function draft(hasWordTimes: boolean, earlier?: DecodedText) {
  const asked: unknown[] = [];
  const run = (task: string, input: { options: unknown }) => {
    asked.push(task, input.options);
    const found = { ...segment(0, 1, "Guten Tag"), ...(hasWordTimes ? { words } : {}) };
    return Promise.resolve([[found]]);
  };
  const { names } = localModels(
    shippedModels().map((model) => ({
      ...model,
      capabilities: { ...model.capabilities, wordTimes: hasWordTimes },
    })),
  );
  const result = await transcribeDraft(
    { pool: { job: () => ({ run }) } as unknown as Pool, names },
    {
      model: "whisper-1",
      task: "transcribe",
      language: "de",
      pcmPath: "/speech.pcm",
      durationSec: 1,
      ...(earlier === undefined ? {} : { earlier }),
    },
    neverAborted,
  );
  return { asked, result };
}

it("makes one attempt, and tells the times and probabilities of words", async () => {
  const { asked, result } = await draft(true);
  expect(asked).toEqual([
    "transcribe",
    expect.objectContaining({ isDraft: true, wordTimes: true }),
  ]);
  expect(result).toMatchObject({ text: "Guten Tag", language: "de", words });
});

it("tells no times where the model gives none", async () => {
  const { asked, result } = await draft(false);
  expect(asked[1]).toMatchObject({ wordTimes: false });
  expect(result).not.toHaveProperty("words");
});

it("expects the tokens of an earlier draft by the same model", async () => {
  const { result } = await draft(true);
  expect(result?.decoded).toEqual({ model: "whisper-base", tokens: expect.any(Array) as number[] });
  const tokens = [7, 8];
  const { asked } = await draft(true, { model: "whisper-base", tokens });
  expect(asked[1]).toMatchObject({ expectedTokens: tokens });
  const other = await draft(true, { model: "moonshine-base", tokens });
  expect(other.asked[1]).not.toHaveProperty("expectedTokens");
});
