// The English front end with its files: the dictionaries of Hibari's folder, which every English voice here reads by,
// and for British voices those of their own.

import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import {
  createEnglishFrontEnd,
  type EnglishFrontEnd,
  type EnglishFrontEndData,
} from "../../text/english/front-end.ts";
import type { LexiconData, LexiconEntry } from "../../text/english/lexicon.ts";
import { readTaggerData, type TaggerData } from "../../text/english/tagger.ts";
import { createJsonTable } from "../../text/json-table.ts";
import { createG2p, type G2pAlphabet } from "./g2p.ts";

/** Verified content of one of a model's files. Nothing is validated again, since its checksum was right. */
export type ReadFile = (fileName: string) => Promise<Uint8Array>;

export type LoadedFrontEnd = EnglishFrontEnd & { close(): Promise<void> };

/** American English. @param read files of Hibari */
export async function loadEnglishFrontEnd(
  read: ReadFile,
  readingTagger: Promise<TaggerData> = readTagger(read),
): Promise<LoadedFrontEnd> {
  const [onnx, alphabet, lexica, tagger] = await Promise.all([
    read("oov.onnx"),
    readText(read, "oov.json"),
    readLexica(read, "us"),
    readingTagger,
  ]);
  const g2p = await createG2p(onnx, JSON.parse(alphabet) as G2pAlphabet);
  return {
    ...createEnglishFrontEnd({ ...lexica, tagger, predictPhonemes: g2p.predict }),
    close: g2p.close,
  };
}

export async function loadBritishFrontEnd(
  /** Files of the voice's own model. */
  readOwn: ReadFile,
  readingTagger: Promise<TaggerData>,
  predictPhonemes: EnglishFrontEndData["predictPhonemes"],
): Promise<EnglishFrontEnd> {
  const [lexica, tagger] = await Promise.all([readLexica(readOwn, "gb"), readingTagger]);
  return createEnglishFrontEnd({ ...lexica, tagger, predictPhonemes, accent: "british" });
}

/** Phoneme → id, the same for all models that were trained on misaki's phonemes. @param read files of Hibari */
export async function readPhonemeIds(read: ReadFile): Promise<ReadonlyMap<string, number>> {
  const ids = JSON.parse(await readText(read, "vocab.json")) as Record<string, number>;
  return new Map(Object.entries(ids));
}

async function readLexica(
  read: ReadFile,
  accent: "us" | "gb",
): Promise<{ gold: LexiconData; silver: LexiconData }> {
  const [gold, silver] = await Promise.all([
    readText(read, `lexicon_${accent}_gold.json.gz`),
    readText(read, `lexicon_${accent}_silver.json.gz`),
  ]);
  return {
    gold: createJsonTable<LexiconEntry>(gold),
    silver: createJsonTable<LexiconEntry>(silver),
  };
}

/** The tagger takes 25 MB, so that both accents share one. @param read files of Hibari */
export const readTagger = async (read: ReadFile): Promise<TaggerData> =>
  readTaggerData(await readText(read, "tagger.json.gz"));

async function readText(read: ReadFile, name: string): Promise<string> {
  const bytes = await read(name);
  return new TextDecoder().decode(name.endsWith(".gz") ? await promisify(gunzip)(bytes) : bytes);
}
