// The grapheme-to-phoneme network on onnxruntime-node, with its data, for tests of the English front end.

import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { createG2p, type G2pAlphabet, type G2p } from "../../main/engines/tts/g2p.ts";
import { type EnglishFrontEnd, createEnglishFrontEnd } from "../../main/text/english/front-end.ts";
import { readTaggerData } from "../../main/text/english/tagger.ts";
import { createJsonTable } from "../../main/text/json-table.ts";

const folder = new URL("../../main/engines/weights/hibari/", import.meta.url);

export async function loadHibariG2p(): Promise<G2p["predict"]> {
  const alphabet = JSON.parse(readFileSync(new URL("oov.json", folder), "utf8")) as G2pAlphabet;
  return (await createG2p(readFileSync(new URL("oov.onnx", folder)), alphabet)).predict;
}

/** Content of one of the large JSON files. */
export function readHibariData(name: "lexicon_us_gold" | "lexicon_us_silver" | "tagger"): string {
  return gunzipSync(readFileSync(new URL(`${name}.json.gz`, folder))).toString("utf8");
}

/** The front end as the engine builds it. */
export async function createHibariFrontEnd(): Promise<EnglishFrontEnd> {
  return createEnglishFrontEnd({
    gold: createJsonTable(readHibariData("lexicon_us_gold")),
    silver: createJsonTable(readHibariData("lexicon_us_silver")),
    tagger: readTaggerData(readHibariData("tagger")),
    predictPhonemes: await loadHibariG2p(),
  });
}

/** Sentences with the reference's phonemes. */
export function readPhonemeReference(): { text: string; phonemes: string }[] {
  const lines = readFileSync(new URL("phonemes-reference.tsv", folder), "utf8")
    .split("\n")
    .filter((line) => line !== "");
  return lines.map((line) => {
    const [text = "", phonemes = ""] = line.split("\t");
    return { text, phonemes };
  });
}
