// Hostile texts and documents: every parser and pattern at lengths n and 2n, and randomly changed documents, parsed in
// child processes as in the app.

import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "../../../main/contract/errors.ts";
import { createNodePlatform } from "../../../main/cli/platform.ts";
import { createDocumentImport } from "../../../main/jobs/document-import/document-import.ts";
import { importScript } from "../../../main/jobs/document-import/import-script.ts";
import type { Row } from "../../support/report.ts";
import { quietLog } from "../../support/app.ts";
import { measureGrowth } from "../../support/growth.ts";
import { epubBytes, mutateDocument, seedDocuments } from "../../support/hostile-documents.ts";
import { hostileTexts, mixedText } from "../../support/hostile-texts.ts";
import { textFunctions } from "../../support/text-functions.ts";
import type { EndureContext, EndurePart } from "../part.ts";

const maxRatio = 2.5;
const maxDocumentMs = 30_000;

export const part: EndurePart = {
  defaultMinutes: 4,
  async run(context) {
    return [...growthRows(context), ...(await mutationRows(context)), await childRow(context)];
  },
};

/** Combines each function with each text: all combinations in a full run, as many as time allows in a short one. */
function growthRows({ random, minutes, isShort, log }: EndureContext): Row[] {
  const untilMs = performance.now() + minutes * 60_000 * (isShort ? 0.7 : 1);
  const mixed = Array.from({ length: 200 }, () => mixedText(random));
  const texts = [...hostileTexts, ...mixed]
    .map((text) => ({ text, order: random() }))
    .sort((a, b) => a.order - b.order);
  let worst = { ratio: 1, what: "nothing could be measured: all too fast" };
  let count = 0;
  for (const { text } of texts) {
    // Each function is tested with at least some texts.
    if (performance.now() > untilMs && (count >= 40 || isShort)) break;
    count += 1;
    for (const [name, run] of Object.entries(textFunctions)) {
      const { ratio, length } = measureGrowth(run, text.make, {
        maxRatio,
        maxLength: isShort ? 2_000 : 16_000,
      });
      if (ratio > maxRatio)
        log(`${name}: ${text.name}: ${ratio.toFixed(2)} from ${length} characters`);
      if (ratio > worst.ratio) worst = { ratio, what: `${name}: ${text.name}` };
    }
  }
  return [
    {
      area: "documents",
      what: `time at 2n over time at n, ${Object.keys(textFunctions).length} functions, ${count} texts`,
      value: worst.ratio,
      unit: "×",
      goal: { max: maxRatio },
      note: worst.what,
    },
  ];
}

/** In this process, so that thousands fit into the time. Anything that ends a process would end this one. */
async function mutationRows({ random, isShort }: EndureContext): Promise<Row[]> {
  const count = isShort ? 60 : 2_000;
  let [longestMs, unexpected] = [0, 0];
  let note = "";
  for (let at = 0; at < count; at++) {
    const { name, bytes } = mutateDocument(seedDocuments[at % seedDocuments.length]!, random);
    const startMs = performance.now();
    await importScript(name, bytes).catch((error: unknown) => {
      if (error instanceof AppError) return;
      unexpected += 1;
      note = String(error).slice(0, 120);
    });
    longestMs = Math.max(longestMs, performance.now() - startMs);
  }
  return [
    {
      area: "documents",
      what: `unexpected failures, ${count} changed documents`,
      value: unexpected,
      unit: "",
      goal: { max: 0 },
      note,
    },
    {
      area: "documents",
      what: "slowest of them",
      value: longestMs / 1000,
      unit: "s",
      goal: { max: maxDocumentMs / 1000 },
    },
  ];
}

/** Documents that take too much time or memory must be refused, and the process that parsed them must have exited. */
async function childRow({ scratchDir, random, isShort }: EndureContext): Promise<Row> {
  const dataDir = join(scratchDir, "data");
  await mkdir(dataDir, { recursive: true });
  const platform = createNodePlatform(dataDir);
  const documents = createDocumentImport({ launchChild: platform.launchChild, log: quietLog });
  const hostile = [
    { name: "spine.epub", bytes: epubBytes({ spineRepeats: 30_000 }) },
    { name: "dashes.md", bytes: Buffer.from(`${"-".repeat(100_000)}x`) },
    ...(isShort
      ? []
      : [
          { name: "bomb.epub", bytes: epubBytes({ chapter: "a".repeat(300 * 2 ** 20) }) },
          { name: "nested.epub", bytes: epubBytes({ chapter: "<div>".repeat(1_000_000) }) },
          ...Array.from({ length: 20 }, (_, at) => ({
            ...seedDocuments[1]!,
            bytes: Buffer.from(mixedText(random).make(at * 50_000)),
          })),
        ]),
  ];
  let longestMs = 0;
  try {
    for (const [at, { name, bytes }] of hostile.entries()) {
      const inputPath = join(scratchDir, `document-${at}`);
      const outputPath = `${inputPath}.json`;
      await writeFile(inputPath, bytes);
      const startMs = performance.now();
      await documents
        .read({ name, inputPath, outputPath }, new AbortController().signal)
        .catch((error: unknown) => {
          if (!(error instanceof AppError)) throw error;
        });
      longestMs = Math.max(longestMs, performance.now() - startMs);
      await Promise.all([inputPath, outputPath].map((path) => rm(path, { force: true })));
    }
  } finally {
    await documents.close();
  }
  return {
    area: "documents",
    what: `slowest of ${hostile.length} read in a process of its own`,
    value: longestMs / 1000,
    unit: "s",
    goal: { max: maxDocumentMs / 1000 + 5 },
  };
}
