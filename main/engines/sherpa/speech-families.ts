// The library's configuration for each family that speaks. Files in the library's own layout are used as they are;
// for a Piper or Kokoro repository, what is missing is made from what is there.

import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { AppError } from "../../contract/errors.ts";
import type { InstalledModel, ModelFamily } from "../../contract/models.ts";
import { readOnnxMetadata } from "../../storage/onnx-metadata.ts";
import { findFile, requireFile } from "./model-folder.ts";
import { preparedFiles, readJson, tokensText } from "./prepared-files.ts";

export type SpeechModel = {
  /** The part of `model` that names the files. */
  readonly config: object;
  /** What rewrites a text before it is spoken, such as numbers as words. Release archives have some for Chinese. */
  readonly rules?: TextRules;
  /** Names of the speakers, in the order of their numbers; empty if the model has none. */
  readonly speakers: readonly string[];
  /** eSpeak's name for the language of a speaker, where speakers differ in it. */
  languageOf?(speaker: string): string;
};

/** Paths, joined by commas. */
export type TextRules = { readonly ruleFsts: string; readonly ruleFars: string };

/** @param dataDir eSpeak's dictionaries */
type LoadSpeechModel = (model: InstalledModel, dataDir: string) => Promise<SpeechModel>;

/** A graph with metadata is in the library's layout. */
const isConverted = (metadata: ReadonlyMap<string, string>): boolean => metadata.has("sample_rate");

function rulesOf(model: InstalledModel): TextRules {
  const find = (name: string): string[] => {
    const path = findFile(model, new RegExp(`(^|/)${name}(-zh)?\\.fst$`));
    return path === undefined ? [] : [path];
  };
  // In the library's order: the digits of a telephone number are no number. `rule` is older than the others.
  const rules = ["phone", "date", "number", "new_heteronym"].flatMap(find);
  return {
    ruleFsts: (rules.length > 0 ? rules : find("rule")).join(","),
    ruleFars: findFile(model, /(^|\/)rule\.far$/) ?? "",
  };
}

const splitNames = (names = ""): string[] => names.split(",").filter((name) => name !== "");

type PiperConfig = {
  audio: { sample_rate: number };
  espeak?: { voice: string };
  phoneme_type?: string;
  phoneme_id_map: Record<string, readonly number[]>;
  num_speakers: number;
  speaker_id_map?: Record<string, number>;
  inference?: { noise_scale?: number; length_scale?: number; noise_w?: number };
};

async function loadPiper(model: InstalledModel, dataDir: string): Promise<SpeechModel> {
  const graph = requireFile(model, /\.onnx$/, "*.onnx");
  const configPath = findFile(model, /\.onnx\.json$/);
  const metadata = await readOnnxMetadata(graph);
  const piper =
    configPath === undefined ? undefined : ((await readJson(configPath)) as PiperConfig);
  const files = isConverted(metadata)
    ? { model: graph, tokens: requireFile(model, /(^|\/)tokens\.txt$/, "tokens.txt") }
    : await preparePiper(model, graph, piper);
  const lexicon = findFile(model, /(^|\/)lexicon\.txt$/);
  const { noise_scale = 0.667, length_scale = 1, noise_w = 0.8 } = piper?.inference ?? {};
  const speakers = Object.entries(piper?.speaker_id_map ?? {}).sort(([, a], [, b]) => a - b);
  return {
    config: {
      vits: {
        ...files,
        // The library prefers eSpeak where it may choose.
        ...(lexicon === undefined ? { dataDir } : { lexicon }),
        noiseScale: noise_scale,
        noiseScaleW: noise_w,
        lengthScale: length_scale,
      },
    },
    rules: rulesOf(model),
    speakers: speakers.map(([name]) => name),
  };
}

async function preparePiper(model: InstalledModel, graph: string, piper: PiperConfig | undefined) {
  if (piper === undefined)
    throw new AppError("model.incomplete", {
      model: model.id,
      file: `${basename(graph)}.json`,
    });
  // Others are trained on letters, or on phonemes of a program that is not here.
  if (piper.espeak === undefined || (piper.phoneme_type ?? "espeak") !== "espeak")
    throw new AppError("model.otherPhonemes", { model: model.id });
  const { espeak } = piper;
  const files = preparedFiles(model);
  return {
    model: await files.graph(graph, {
      model_type: "vits",
      comment: "piper",
      language: espeak.voice,
      voice: espeak.voice,
      has_espeak: 1,
      n_speakers: piper.num_speakers,
      sample_rate: piper.audio.sample_rate,
    }),
    tokens: await files.write(
      "tokens.txt",
      tokensText(
        Object.fromEntries(
          Object.entries(piper.phoneme_id_map).flatMap(([symbol, [id]]) =>
            // The library ends the process on longer ones.
            [...symbol].length === 1 && id !== undefined ? [[symbol, id]] : [],
          ),
        ),
      ),
    ),
  };
}

/** By the first letter of a speaker's name; `en` is that of Great Britain. */
const kokoroLanguages: Readonly<Record<string, string>> = {
  a: "en-us",
  b: "en",
  e: "es",
  f: "fr",
  h: "hi",
  i: "it",
  j: "ja",
  p: "pt-br",
  z: "cmn",
};
/** Floats of a speaker: a style of 256 for each number of phonemes. */
const kokoroStyle = { phonemes: 510, size: 256 };
const kokoroVoicePattern = /(^|\/)voices\/([a-z]{2}_[a-z0-9]+)\.bin$/;

const kokoroLanguageOf = (speaker: string): string => kokoroLanguages[speaker[0] ?? ""] ?? "en-us";

async function loadKokoro(model: InstalledModel, dataDir: string): Promise<SpeechModel> {
  const graph = requireFile(model, /(^|\/)model[^/]*\.onnx$/, "model.onnx");
  const metadata = await readOnnxMetadata(graph);
  if (isConverted(metadata)) {
    // With a lexicon, the library reads English and Chinese by it, whatever language is set.
    const lexica = model.files.filter(({ name }) => /lexicon.*\.txt$/.test(name));
    const lexicon = lexica.map(({ name }) => join(model.dir, name));
    return {
      config: {
        kokoro: { ...voicesLayout(model, graph), dataDir, lexicon: lexicon.join(",") },
      },
      rules: rulesOf(model),
      speakers: splitNames(metadata.get("speaker_names")),
      languageOf: kokoroLanguageOf,
    };
  }
  const voices = model.files
    .flatMap(({ name }) => {
      const [, , speaker] = kokoroVoicePattern.exec(name) ?? [];
      return speaker === undefined ? [] : [{ speaker, name }];
    })
    .sort((one, other) => one.speaker.localeCompare(other.speaker));
  if (voices.length === 0)
    throw new AppError("model.incomplete", { model: model.id, file: "voices/*.bin" });
  const speakers = voices.map(({ speaker }) => speaker);
  const files = preparedFiles(model);
  return {
    config: {
      kokoro: {
        model: await files.graph(graph, {
          model_type: "kokoro",
          has_espeak: 1,
          sample_rate: 24_000,
          version: 2,
          voice: "en-us",
          style_dim: `${kokoroStyle.phonemes},1,${kokoroStyle.size}`,
          n_speakers: speakers.length,
          speaker_names: speakers.join(","),
        }),
        voices: await files.write(
          "voices.bin",
          Buffer.concat(
            await Promise.all(voices.map(({ name }) => readFile(join(model.dir, name)))),
          ),
        ),
        tokens: await files.write("tokens.txt", await kokoroTokens(model)),
        dataDir,
        lang: "en-us",
      },
    },
    speakers,
    languageOf: kokoroLanguageOf,
  };
}

async function kokoroTokens(model: InstalledModel): Promise<string> {
  const path = requireFile(model, /(^|\/)tokenizer\.json$/, "tokenizer.json");
  const tokenizer = (await readJson(path)) as { model: { vocab: Record<string, number> } };
  // `$` is the id of the ends, not of a sign.
  const signs = Object.entries(tokenizer.model.vocab).filter(([sign]) => [...sign].length === 1);
  return tokensText(Object.fromEntries(signs));
}

const voicesLayout = (model: InstalledModel, graph: string) => ({
  model: graph,
  voices: requireFile(model, /(^|\/)voices\.bin$/, "voices.bin"),
  tokens: requireFile(model, /(^|\/)tokens\.txt$/, "tokens.txt"),
});

async function loadKitten(model: InstalledModel, dataDir: string): Promise<SpeechModel> {
  const graph = requireFile(model, /(^|\/)model[^/]*\.onnx$/, "model.onnx");
  const metadata = await readOnnxMetadata(graph);
  return {
    config: { kitten: { ...voicesLayout(model, graph), dataDir } },
    speakers: splitNames(metadata.get("speaker_names")),
  };
}

function loadMatcha(model: InstalledModel, dataDir: string): Promise<SpeechModel> {
  return Promise.resolve({
    config: {
      matcha: {
        acousticModel: requireFile(model, /(^|\/)model[^/]*\.onnx$/, "model-steps-3.onnx"),
        vocoder: requireFile(model, /(^|\/)(vocos|hifigan)[^/]*\.onnx$/, "vocos-22khz-univ.onnx"),
        tokens: requireFile(model, /(^|\/)tokens\.txt$/, "tokens.txt"),
        lexicon: findFile(model, /(^|\/)lexicon\.txt$/) ?? "",
        dataDir,
      },
    },
    rules: rulesOf(model),
    speakers: [],
  });
}

export const speechFamilies: Partial<Record<ModelFamily, LoadSpeechModel>> = {
  piper: loadPiper,
  kokoro: loadKokoro,
  kitten: loadKitten,
  matcha: loadMatcha,
};
