// Files of text-to-speech families, in sherpa-onnx's layouts and, for Piper and Kokoro, the model hub's.

import { languageNames } from "../../contract/languages.ts";
import { noCapabilities as capabilities } from "../../contract/models.ts";
import { allPresent, isFields, readFields, type RecognizeFamily } from "./family-recognizer.ts";
import type { FileFinder } from "./file-finder.ts";
import { toKokoroVoice } from "../kokoro-voices.ts";
import { languagesInName } from "./languages-in-name.ts";

/** Variants of graphs, the fastest on a CPU first: quantized ones save memory but are slower here. */
const variants = ["", ".fp32", ".fp16", "_fp16", ".int8", "_quantized"];

/** A voice of Kokoro: 510 styles of 256 numbers of four bytes. */
const kokoroVoiceBytes = 510 * 256 * 4;

const piper: RecognizeFamily = async (files, set) => {
  const config = files.only((name) => name.endsWith(".onnx.json"));
  if (config === undefined) return undefined;
  const model = config.slice(0, -".json".length);
  const { phoneme_id_map: phonemeIds, language, espeak } = await readFields(set, config);
  if (files.sizeBytes(model) === 0 || !isFields(phonemeIds)) return undefined;
  // `en_US`, or eSpeak's `en-us`
  const locale = isFields(language) ? language["code"] : isFields(espeak) ? espeak["voice"] : "";
  const code = String(locale).split(/[-_]/)[0] ?? "";
  return {
    family: "piper",
    kind: "text-to-speech",
    roles: { model, config, ...optionalRoles(files) },
    missingRoles: [],
    languages: languageNames.has(code) ? [code] : [],
    capabilities,
  };
};

/** Kokoro and Kitten in sherpa-onnx's layout differ in the size of their voices. */
const kokoroOrKitten: RecognizeFamily = async (files) => {
  const roles = allPresent({
    model: files.graph(/model/, variants),
    voices: files.named("voices.bin"),
    tokens: files.named("tokens.txt"),
  });
  if (roles === undefined) return undefined;
  const isKokoro = files.sizeBytes(roles.voices) % kokoroVoiceBytes === 0;
  return {
    family: isKokoro ? "kokoro" : "kitten",
    kind: "text-to-speech",
    roles: { ...roles, ...optionalRoles(files) },
    missingRoles: [],
    languages: files.named("lexicon-zh.txt") === undefined ? ["en"] : ["en", "zh"],
    capabilities,
  };
};

/** As on the model hub: one file for each voice. */
const kokoroOfHub: RecognizeFamily = async (files, set) => {
  const roles = allPresent({
    model: files.graph(/model/, variants),
    tokenizer: files.named("tokenizer.json"),
    voices: files.folder("voices"),
  });
  const voiceFiles = set.files.filter(({ name }) => /(^|\/)voices\/[a-z]{2}_\w+\.bin$/.test(name));
  if (roles === undefined || voiceFiles.length === 0) return undefined;
  if (voiceFiles.some(({ sizeBytes }) => sizeBytes !== kokoroVoiceBytes)) return undefined;
  const voices = voiceFiles.flatMap(
    ({ name }) => toKokoroVoice(name.slice(name.lastIndexOf("/") + 1, -".bin".length)) ?? [],
  );
  return {
    family: "kokoro",
    kind: "text-to-speech",
    roles,
    missingRoles: [],
    languages: [...new Set(voices.map(({ language }) => language))],
    entryFields: { voices },
    capabilities,
  };
};

const matcha: RecognizeFamily = async (files, set) => {
  // Its release archives do not contain a vocoder: one fits several models.
  const vocoder = files.only((name) => /^(vocos|hifigan).*\.onnx$/.test(name));
  const isMatcha = vocoder !== undefined || /matcha/i.test(set.name);
  const acousticModel =
    files.only((name) => /^model-steps-\d+\.onnx$/.test(name)) ??
    (isMatcha ? files.named("model.onnx") : undefined);
  const tokens = files.named("tokens.txt");
  if (acousticModel === undefined || tokens === undefined) return undefined;
  return {
    family: "matcha",
    kind: "text-to-speech",
    roles: {
      acousticModel,
      ...optionalRoles(files),
      ...(vocoder === undefined ? {} : { vocoder }),
    },
    missingRoles: vocoder === undefined ? ["vocoder"] : [],
    languages: languagesInName(set.name),
    capabilities,
  };
};

/** Voices of Piper's kind that know words by a lexicon, such as sherpa-onnx's for Chinese. */
const vits: RecognizeFamily = async (files, set) => {
  const roles = allPresent({
    model: files.graph(/[^.]+/, variants),
    tokens: files.named("tokens.txt"),
    lexicon: files.named("lexicon.txt"),
  });
  if (roles === undefined) return undefined;
  // As the graph says in its metadata; recognizers may come with a lexicon, too.
  const isVits = await set.contains?.(roles.model, "vits");
  if (!(isVits ?? /vits/i.test(set.name))) return undefined;
  return {
    family: "piper",
    kind: "text-to-speech",
    roles: { ...roles, ...optionalRoles(files) },
    missingRoles: [],
    languages: languagesInName(set.name),
    capabilities,
  };
};

/** The order matters where one family's files are a part of another's. */
export const textToSpeechFamilies: readonly RecognizeFamily[] = [
  piper,
  kokoroOrKitten,
  kokoroOfHub,
  matcha,
  vits,
];

/**
 * Tokens, lexicons and rules, as far as they are there. Data of eSpeak NG is not kept, since the app has its own, nor
 * are jieba's (`dict/`), which the library no longer reads.
 */
function optionalRoles(files: FileFinder): Record<string, string> {
  const found: Record<string, string | undefined> = {
    tokens: files.named("tokens.txt"),
    lexicon: files.named("lexicon.txt"),
    lexiconEnglish: files.named("lexicon-us-en.txt"),
    lexiconBritish: files.named("lexicon-gb-en.txt"),
    lexiconChinese: files.named("lexicon-zh.txt"),
    dateRules: files.only((name) => /^date(-zh)?\.fst$/.test(name)),
    numberRules: files.only((name) => /^number(-zh)?\.fst$/.test(name)),
    phoneRules: files.only((name) => /^phone(-zh)?\.fst$/.test(name)),
    heteronymRules: files.named("new_heteronym.fst"),
    otherRules: files.named("rule.fst"),
    ruleArchive: files.named("rule.far"),
  };
  return Object.fromEntries(
    Object.entries(found).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
