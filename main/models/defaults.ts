// Which installed model serves a request: what the names fixed in OpenAI's clients stand for, by language. A person's
// choice goes first, for English speech then the models that come with the app, then the model made for the fewest
// languages (for the most, if the language is unknown), and of several the largest. Streaming models go after these,
// but first while somebody speaks. Kokoro of a repository, and a model whose trial gave a wrong result, go last.

import { builtInNames, isBuiltInName } from "../contract/channels.ts";
import { sizeOfFiles } from "../contract/model-size.ts";
import {
  type InstalledModel,
  isAuxiliary,
  type ModelFamily,
  type ModelInfo,
} from "../contract/models.ts";
import { openAiVoices } from "../contract/openai.ts";
import type { ModelChoices } from "../contract/preferences.ts";
import { knowsVoice, parseVoiceBlend } from "../contract/voice-blend.ts";

/** What transcribes a request. */
export type TranscriptionModels = {
  /** Codes of contract/languages.ts that can be transcribed, or translated if that was asked for. */
  readonly languages: readonly string[];
  /** Detects the language of speech; omitted if there is no choice, or nothing that detects it. */
  readonly detector?: InstalledModel;
  /** Tried before the language is detected, since it is fast and its confidence tells whether speech is English. */
  readonly englishFirst?: InstalledModel;
  /** undefined: an unknown language. */
  modelFor(language: string | undefined): InstalledModel;
  /** Takes speech that goes on instead of `modelFor`; absent where a model was asked for by name. */
  streamingModelFor?(language: string | undefined): InstalledModel | undefined;
};

export type SpeechModel = {
  readonly model: InstalledModel;
  readonly quality: "standard" | "high";
};

export interface ModelNames {
  /** Models and names that can serve requests. Returns the same array until a model changes. */
  list(): readonly ModelInfo[];
  /** The models that serve a name or have it, those for English first; empty if it is unknown. */
  behind(name: string): readonly InstalledModel[];
  /**
   * undefined if no model here can do that under this name.
   * @param needs of several models behind a name, those that give times of words, if there are any
   */
  transcription(
    name: string,
    task: "transcribe" | "translate",
    needs?: { readonly wordTimes: boolean },
  ): TranscriptionModels | undefined;
  /**
   * @param voice a model that has it goes first; may be a blend
   * @param language of the text; undefined if unknown
   * @param english the family that speaks English unless a person chose otherwise; default: that of the name
   */
  speech(
    name: string,
    voice?: string,
    language?: string,
    english?: ModelFamily,
  ): SpeechModel | undefined;
}

/** What comes with the app for a purpose goes before what was installed; a person's choice goes before both. */
const englishFamilies = {
  standard: ["hibari"],
  high: ["kokoro-compact", "hibari"],
} as const satisfies Record<SpeechModel["quality"], readonly ModelFamily[]>;

type Choice = Readonly<Record<string, string>>;
/** Key of a choice for all languages without their own, except English. */
export const otherLanguages = "other";

const canTranscribe = ({ kind }: InstalledModel): boolean => kind === "speech-to-text";
const canSpeak = ({ kind }: InstalledModel): boolean => kind === "text-to-speech";
const canTranslate = ({ capabilities }: InstalledModel): boolean =>
  capabilities.translatesTo.includes("en");
const codesOf = ({ languages }: InstalledModel): string[] => languages.map(({ code }) => code);
const sizeOf = ({ files }: InstalledModel): number => sizeOfFiles(files);

/** @param models must return the same array until a model changes */
export function createModelNames(
  models: () => readonly InstalledModel[],
  choices: () => ModelChoices,
): ModelNames {
  let seen: readonly InstalledModel[] | undefined;
  let listed: readonly ModelInfo[] = [];

  /** Without voice activity detection nothing can be transcribed. */
  function usable(): readonly InstalledModel[] {
    const whole = models().filter(({ damaged }) => damaged === undefined);
    const hasVad = whole.some(({ kind }) => kind === "voice-activity");
    return whole.filter((model) => (canTranscribe(model) && hasVad) || canSpeak(model));
  }

  const findUsable = (id: string): InstalledModel | undefined =>
    usable().find((model) => model.id === id);

  const names: ModelNames = {
    list() {
      const now = models();
      if (now !== seen) {
        seen = now;
        listed = [
          ...builtInNames.flatMap((name) => toAliasInfo(name, names.behind(name)[0])),
          ...usable().map(toModelInfo),
        ];
      }
      return listed;
    },
    behind(name) {
      if (name !== "whisper-1")
        return isBuiltInName(name)
          ? distinct(
              ["en", ...usable().filter(canSpeak).flatMap(codesOf)].map(
                (language) => names.speech(name, undefined, language)?.model,
              ),
            )
          : distinct([findUsable(name)]);
      const tasks = (["transcribe", "translate"] as const).map((task) =>
        names.transcription(name, task),
      );
      return distinct(
        tasks.flatMap((found) =>
          found === undefined
            ? []
            : ["en", ...found.languages, undefined]
                .map((language) => found.modelFor(language))
                .concat(found.detector ?? []),
        ),
      );
    },
    transcription(name, task, { wordTimes } = { wordTimes: false }) {
      const recognizers = usable().filter(canTranscribe);
      const timed = recognizers.filter(({ capabilities }) => capabilities.wordTimes);
      if (name === "whisper-1")
        return automaticModels(
          wordTimes && timed.length > 0 ? timed : recognizers,
          chooseDetector(recognizers),
          choices(),
          task,
        );
      const model = recognizers.find(({ id }) => id === name);
      return model && namedModel(model, recognizers, task);
    },
    speech(name, voice, language, english) {
      if (!isBuiltInName(name)) {
        const model = findUsable(name);
        return model !== undefined && canSpeak(model) ? { model, quality: "standard" } : undefined;
      }
      if (name === "whisper-1") return undefined;
      const quality = name === "tts-1-hd" ? "high" : "standard";
      const { speak, speakHd } = choices();
      const choice = quality === "high" ? speakHd : speak;
      const speakers = usable().filter(canSpeak);
      const ofVoice =
        voice === undefined ? [] : speakers.filter((model) => hasVoiceOfItsOwn(model, voice));
      const candidates = ofVoice.length > 0 ? ofVoice : speakers;
      const first = english === undefined ? englishFamilies[quality] : [english];
      const model =
        (language === undefined ? undefined : choose(candidates, choice, language, first)) ??
        choose(candidates, choice, "en", first) ??
        chooseForAny(candidates, choice);
      return model === undefined ? undefined : { model, quality };
    },
  };
  return names;
}

/** What `whisper-1` takes for each language. */
function automaticModels(
  recognizers: readonly InstalledModel[],
  detector: InstalledModel | undefined,
  choices: ModelChoices,
  task: "transcribe" | "translate",
): TranscriptionModels | undefined {
  const candidates =
    task === "transcribe" ? recognizers : recognizers.filter((model) => canTranslate(model));
  const choice = choices[task];
  const anyLanguage = chooseForAny(candidates, choice);
  if (anyLanguage === undefined) return undefined;
  // English speech is its own translation.
  const english = choose(recognizers, choices.transcribe, "en");
  const languages = new Set(candidates.toSorted(byMostLanguages).flatMap(codesOf));
  if (english !== undefined) languages.add("en");
  return {
    languages: [...languages],
    ...(detector === undefined || languages.size === 1 ? {} : { detector }),
    ...(isEnglishTest(english) && detector !== undefined ? { englishFirst: english } : {}),
    modelFor: (language) =>
      (language === "en" ? english : undefined) ??
      (language === undefined ? undefined : choose(candidates, choice, language)) ??
      anyLanguage,
    streamingModelFor(language) {
      const streaming = recognizers.filter((model) => isStreaming(model) && !isDoubtful(model));
      return language === undefined ? undefined : choose(streaming, choices.transcribe, language);
    },
  };
}

function namedModel(
  model: InstalledModel,
  recognizers: readonly InstalledModel[],
  task: "transcribe" | "translate",
): TranscriptionModels | undefined {
  if (task === "translate" && !canTranslate(model)) return undefined;
  const languages = codesOf(model);
  const detector = detectsLanguages(model)
    ? model
    : tellsLanguage(model)
      ? undefined
      : chooseDetector(recognizers);
  return {
    languages,
    ...(detector === undefined || languages.length === 1 ? {} : { detector }),
    modelFor: () => model,
  };
}

const isDoubtful = ({ measured }: InstalledModel): boolean => measured?.doubt !== undefined;
const byDoubt = (one: InstalledModel, other: InstalledModel): number =>
  Number(isDoubtful(one)) - Number(isDoubtful(other));
/** Besides the names that clients expect of every model. Only one family blends voices. */
export function hasVoiceOfItsOwn({ family, voices = [] }: InstalledModel, voice: string): boolean {
  const isOwn = (id: string): boolean => voices.some((own) => own.id === id);
  return parseVoiceBlend(voice).length === 1
    ? isOwn(voice)
    : family === "kokoro-compact" &&
        knowsVoice(voice, (id) => isOwn(id) || openAiVoices.some((name) => name === id));
}

const isStreaming = ({ capabilities }: InstalledModel): boolean => capabilities.streaming;
/** Such a model is less accurate: it hears hardly anything of what follows a word. */
const byStreaming = (one: InstalledModel, other: InstalledModel): number =>
  Number(isStreaming(one)) - Number(isStreaming(other));
/** The one that comes with the app has the same voices, reads more, and is as loud as the others. */
const byKokoro = (one: InstalledModel, other: InstalledModel): number =>
  Number(one.family === "kokoro") - Number(other.family === "kokoro");
/** The vocabularies of this family have no punctuation. */
const byPunctuation = (one: InstalledModel, other: InstalledModel): number =>
  Number(one.family === "zipformer") - Number(other.family === "zipformer");
const byFewestLanguages = (one: InstalledModel, other: InstalledModel): number =>
  byDoubt(one, other) ||
  byStreaming(one, other) ||
  byKokoro(one, other) ||
  one.languages.length - other.languages.length ||
  byPunctuation(one, other) ||
  sizeOf(other) - sizeOf(one);
const byMostLanguages = (one: InstalledModel, other: InstalledModel): number =>
  byDoubt(one, other) ||
  byStreaming(one, other) ||
  other.languages.length - one.languages.length ||
  sizeOf(other) - sizeOf(one);

/** The candidate for a language. @param english families that go first in English */
function choose(
  candidates: readonly InstalledModel[],
  choice: Choice,
  language: string,
  english: readonly ModelFamily[] = [],
): InstalledModel | undefined {
  const able = candidates.filter((model) => codesOf(model).includes(language));
  const chosenId = choice[language] ?? (language === "en" ? undefined : choice[otherLanguages]);
  return (
    able.find(({ id }) => id === chosenId) ??
    english
      .map((first) => able.find(({ family }) => language === "en" && family === first))
      .find((model) => model !== undefined) ??
    able.toSorted(byFewestLanguages)[0]
  );
}

/** The candidate for an unknown language. */
const chooseForAny = (
  candidates: readonly InstalledModel[],
  choice: Choice,
): InstalledModel | undefined =>
  candidates.find(({ id }) => id === choice[otherLanguages]) ??
  candidates.toSorted(byMostLanguages)[0];

/** Gives the probabilities of languages. */
const detectsLanguages = ({ family, languages }: InstalledModel): boolean =>
  family === "whisper" && languages.length > 1;

/** Names the language of what it transcribes. Others transcribe several, but cannot say which one it was. */
export const tellsLanguage = (model: InstalledModel): boolean =>
  detectsLanguages(model) || model.family === "sense-voice";

/** The model needs to know which of its languages is spoken. */
export const needsLanguage = ({ family, languages }: InstalledModel): boolean =>
  family === "canary" && languages.length > 1;

/** Takes phonemes in a text, and can tell those of a text. */
export const readsPhonemes = ({ family }: InstalledModel): boolean =>
  family === "hibari" || family === "kokoro-compact";

/** The one that comes with the app, otherwise the smallest: a large model detects languages little better. */
const chooseDetector = (recognizers: readonly InstalledModel[]): InstalledModel | undefined =>
  recognizers
    .filter(detectsLanguages)
    .toSorted(
      (one, other) =>
        Number(other.origin === "shipped") - Number(one.origin === "shipped") ||
        sizeOf(one) - sizeOf(other),
    )[0];

/** Its confidence in speech of other languages was measured, see inference/language-decision.ts. */
const isEnglishTest = (model: InstalledModel | undefined): model is InstalledModel =>
  model?.family === "moonshine";

const distinct = (models: readonly (InstalledModel | undefined)[]): InstalledModel[] =>
  [...new Set(models)].filter((model) => model !== undefined);

const toModelInfo = ({ id, created, ownedBy, kind }: InstalledModel): ModelInfo => ({
  id,
  created,
  ownedBy,
  kind: isAuxiliary(kind) ? "unknown" : kind,
});

const toAliasInfo = (id: string, model: InstalledModel | undefined): ModelInfo[] =>
  model === undefined ? [] : [{ ...toModelInfo(model), id, ownedBy: "hearsay" }];
