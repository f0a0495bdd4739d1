// What a draft asks of a model, and what it returns, with a scripted pool.

import { expect, it } from "vitest";
import type { InstalledModel } from "../../../main/contract/models.ts";
import type { DecodedText, DraftJob } from "../../../main/contract/speech.ts";
import type { Pool } from "../../../main/engines/pool/pool.ts";
import { transcribeDraft } from "../../../main/inference/draft-transcription.ts";
import { shippedModel, shippedModels } from "../../../main/models/shipped-models.ts";
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

const whisper = shippedModel("whisper-base");
const { batchMaxSec, ...whisperAlone } = whisper;
const streaming: InstalledModel = {
  ...whisperAlone,
  id: "streaming",
  family: "zipformer-streaming",
  languages: [{ code: "de" }],
  capabilities: { ...whisper.capabilities, streaming: true, prompt: false, translatesTo: [] },
  origin: "downloaded",
};
const growing = { id: "one", isOver: false };

/** The models that are asked for a draft, one after the other, and what they are asked. */
async function askedFor(job: Partial<DraftJob>, { failing = "" } = {}) {
  const asked: [model: string, options: { expectedTokens?: readonly number[] }][] = [];
  const run = (_task: string, input: { model: InstalledModel; options: object }) => {
    asked.push([input.model.id, input.options]);
    if (input.model.id === failing) return Promise.reject(new Error("no memory"));
    return Promise.resolve([[segment(0, 1, "Guten Tag")]]);
  };
  const result = await transcribeDraft(
    {
      pool: { job: () => ({ run }) } as unknown as Pool,
      names: localModels([...shippedModels(), streaming]).names,
    },
    {
      model: "whisper-1",
      task: "transcribe",
      language: "de",
      pcmPath: "/speech.pcm",
      durationSec: 1,
      utterance: growing,
      ...job,
    },
    neverAborted,
  );
  return { models: asked.map(([model]) => model), options: asked.map(([, each]) => each), result };
}

it("takes the streaming model of the language, with the neighbors of the model of the last pass", async () => {
  const { models, options, result } = await askedFor({ prompt: "Names" });
  expect(models).toEqual(["streaming"]);
  expect(options[0]).toMatchObject({ utterance: growing });
  expect(options[0]).not.toHaveProperty("prompt");
  expect(result).toMatchObject({
    isStreaming: true,
    batchMaxSec,
    decoded: { model: "streaming" },
  });
});

it("takes the model that was asked for by name, or that knows the language, or translates", async () => {
  for (const job of [
    { model: "whisper-base" },
    { language: "fr" },
    { task: "translate" as const },
  ]) {
    const { models, result } = await askedFor(job);
    expect(models).toEqual(["whisper-base"]);
    expect(result).not.toHaveProperty("isStreaming");
  }
  const byName = await askedFor({ model: "streaming" });
  expect([byName.models, byName.result?.batchMaxSec]).toEqual([["streaming"], undefined]);
});

it("expects no tokens of another model after the language is known", async () => {
  const earlier = { model: "whisper-base", tokens: [7, 8] };
  expect((await askedFor({ earlier })).options[0]).not.toHaveProperty("expectedTokens");
});

it("goes on with the model of the last pass where the streaming one fails", async () => {
  const { models, result } = await askedFor({}, { failing: "streaming" });
  expect(models).toEqual(["streaming", "whisper-base"]);
  expect(result?.text).toBe("Guten Tag");
});
