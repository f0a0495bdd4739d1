// Which installed model serves a request: what the names fixed in OpenAI's clients stand for, by language. A person's
// choice for the language goes first, then their choice for all other languages (English is never among these), then
// the model made for the fewest languages, which knows them best, and of several the largest. If the language is
// unknown, the model with the most languages goes first. For speech, a model whose voices are those fixed in OpenAI's
// clients goes before the others. A model whose trial gave a wrong result goes after all others.

import { aliasNames, isAliasName } from "../contract/channels.ts";
import { sizeOfFiles } from "../contract/model-size.ts";
import type { InstalledModel, ModelInfo } from "../contract/models.ts";
import type { ModelChoices } from "../contract/preferences.ts";

/** What transcribes a request. */
export type TranscriptionModels = {
  /** Codes of contract/languages.ts that can be transcribed, or translated if that was asked for. */
  readonly languages: readonly string[];
  /** Detects the language of speech; absent if there is no choice, or nothing that detects it. */
  readonly detector?: InstalledModel;
  /** Tried before the language is detected, since it is fast and its confidence tells whether speech is English. */
  readonly englishFirst?: InstalledModel;
  /** undefined: an unknown language. */
  modelFor(language: string | undefined): InstalledModel;
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
   * @param voice a model that has it goes first
   * @param language of the text; undefined if unknown
   */
  speech(name: string, voice?: string, language?: string): SpeechModel | undefined;
}

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
          ...aliasNames.flatMap((name) => toAliasInfo(name, names.behind(name)[0])),
          ...usable().map(toModelInfo),
        ];
      }
      return listed;
    },
    behind(name) {
      if (name !== "whisper-1")
        return isAliasName(name)
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
    speech(name, voice, language) {
      if (!isAliasName(name)) {
        const model = findUsable(name);
        return model !== undefined && canSpeak(model) ? { model, quality: "standard" } : undefined;
      }
      if (name === "whisper-1") return undefined;
      const quality = name === "tts-1-hd" ? "high" : "standard";
      const { speak, speakHd } = choices();
      const choice = quality === "high" ? speakHd : speak;
      const speakers = usable().filter(canSpeak);
      const ofVoice = speakers.filter(({ voices }) => voices?.some(({ id }) => id === voice));
      const candidates = ofVoice.length > 0 ? ofVoice : speakers;
      const model =
        (language === undefined ? undefined : choose(candidates, choice, language)) ??
        choose(candidates, choice, "en") ??
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

const byDoubt = (one: InstalledModel, other: InstalledModel): number =>
  Number(one.measured?.doubt !== undefined) - Number(other.measured?.doubt !== undefined);
const byFixedVoices = (one: InstalledModel, other: InstalledModel): number =>
  Number(other.family === "hibari") - Number(one.family === "hibari");
const byFewestLanguages = (one: InstalledModel, other: InstalledModel): number =>
  byDoubt(one, other) ||
  byFixedVoices(one, other) ||
  one.languages.length - other.languages.length ||
  sizeOf(other) - sizeOf(one);
const byMostLanguages = (one: InstalledModel, other: InstalledModel): number =>
  byDoubt(one, other) ||
  other.languages.length - one.languages.length ||
  sizeOf(other) - sizeOf(one);

/** The candidate for a language. */
function choose(
  candidates: readonly InstalledModel[],
  choice: Choice,
  language: string,
): InstalledModel | undefined {
  const able = candidates.filter((model) => codesOf(model).includes(language));
  const chosenId = choice[language] ?? (language === "en" ? undefined : choice[otherLanguages]);
  return able.find(({ id }) => id === chosenId) ?? able.toSorted(byFewestLanguages)[0];
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
export const readsPhonemes = ({ family }: InstalledModel): boolean => family === "hibari";

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
  kind: kind === "voice-activity" ? "unknown" : kind,
});

const toAliasInfo = (id: string, model: InstalledModel | undefined): ModelInfo[] =>
  model === undefined ? [] : [{ ...toModelInfo(model), id, ownedBy: "hearsay" }];
