// Intelligibility of the app's speech: its voices transcribed, and its phonemes compared with the reference's.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openAiVoices } from "../../main/contract/openai.ts";
import { shippedModel } from "../../main/models/shipped-models.ts";
import { roundTripText } from "../support/english-texts.ts";
import { editDistance, wordErrors } from "../support/word-error-rate.ts";
import type { InProcessApp } from "./in-process-app.ts";
import { type Results, type Row, logProgress } from "../support/report.ts";

/** Each voice reads a text, which is then transcribed as a measure of intelligibility. */
export async function evaluateRoundTrip(
  { synthesize, transcribeText }: InProcessApp,
  scratchDir: string,
): Promise<Results> {
  const rows: Row[] = [];
  const raw: Record<string, unknown> = {};
  for (const id of openAiVoices) {
    logProgress(`voice ${id}`);
    const path = join(scratchDir, `${id}.wav`);
    writeFileSync(path, await synthesize(roundTripText, id));
    const transcript = await transcribeText(path);
    const errors = wordErrors(roundTripText, transcript);
    rows.push({
      area: "round trip",
      what: `word error rate of ${id}`,
      value: 100 * errors.rate,
      unit: "%",
      goal: { max: id === "nova" ? 4 : 8 },
      note: `${errors.substituted} wrong, ${errors.deleted} missing, ${errors.inserted} added of ${errors.referenceWords} words`,
    });
    raw[id] = { transcript, ...errors };
  }
  return { rows, raw: { roundTrip: raw } };
}

/** Compares the front end's phonemes with the reference's, by character and without spaces. */
export async function evaluatePhonemes({ app }: InProcessApp): Promise<Results> {
  logProgress("phonemes");
  const lines = readFileSync(join(shippedModel("hibari").dir, "phonemes-reference.tsv"), "utf8")
    .split("\n")
    .filter((line) => line !== "");
  const reference = lines.map((line) => line.split("\t") as [string, string]);
  const actualPhonemes = await app.phonemes(
    reference.map(([text]) => text),
    new AbortController().signal,
  );
  let errors = 0;
  let length = 0;
  const mismatches: object[] = [];
  for (const [index, [text, phonemes]] of reference.entries()) {
    const expected = [...phonemes.replaceAll(" ", "")];
    const distance = editDistance(expected, [...(actualPhonemes[index] ?? "").replaceAll(" ", "")]);
    if (distance > 0)
      mismatches.push({
        text,
        expected: phonemes,
        actualPhonemes: actualPhonemes[index],
        distance,
      });
    errors += distance;
    length += expected.length;
  }
  const note = `${errors} of ${length} in ${reference.length} sentences`;
  return {
    rows: [
      {
        area: "front end",
        what: "phoneme error rate",
        value: (100 * errors) / length,
        unit: "%",
        goal: { max: 1.5 },
        note,
      },
    ],
    raw: { phonemes: { errors, length, differing: mismatches } },
  };
}
