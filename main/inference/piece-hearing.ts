// Hears the pieces of one file with the model, or the two models, that are right for them. Where no language was
// given, it is found out once, from the first of the speech. An English model, where there is one, hears first, since
// it is the faster one: what it is not sure of decides whether the multilingual one is asked what language it is.

import { AppError } from "../contract/errors.ts";
import type {
  FailedStretch,
  ModelBundle,
  TranscriptSegment,
  TranscriptionJob,
} from "../contract/speech.ts";
import type { HearingOptions } from "../engines/engine.ts";
import type { PieceSpan } from "../audio/dsp/segments.ts";
import type { PoolJob } from "../engines/pool/pool.ts";
import { meanLogprob } from "./mean-logprob.ts";
import { alikeGroups, neighbourGroups } from "./piece-groups.ts";

export type HearingModels = {
  bundle: ModelBundle;
  /** Hears what `bundle`, which then knows English only, does not. */
  multilingual: ModelBundle | undefined;
  /** What they know, together. */
  languages: readonly string[];
};

/** What came of one piece: its segments, or the stretch that could not be heard. */
export type Heard = { untilSec: number; segments: TranscriptSegment[]; failed?: FailedStretch };

export type PieceHearing = {
  /** Waits while the language of the file is being found out. */
  settled(): Promise<void>;
  /** It is not known yet, and more pieces are needed to find it out. */
  isFindingLanguage(): boolean;
  /** Pieces that are best heard in one go by the model that will hear them, in time order by their first. */
  groups(pieces: readonly PieceSpan[]): PieceSpan[][];
  /** One answer a piece. */
  hear(pcmPath: string, pieces: readonly PieceSpan[]): Promise<Heard[]>;
  /** No more pieces will come, or not before some of these are heard: the language is told by what there is. */
  end(): void;
  /** The language of the whole, as far as it is known; `undefined` before. */
  language(): string | undefined;
  /** A file no longer than this is best heard in one go, as far as it is known now. */
  wholeSec(): number;
};

/**
 * Mean log-probabilities of English text by the English model. Measured with Moonshine base: English clips, over
 * the telephone and with noise too, −0.05 to −0.20; German, French, Spanish and Portuguese ones −0.30 to −1.44.
 */
const surelyEnglish = -0.15;
/** In a file that is English a piece must be this bad to be asked about, and this long. */
const hardlyEnglish = -0.35;
const minForeignSec = 2;
/** So much voice, or so many pieces, decide on the language of a file. */
const decidingSec = 8;
const decidingPieces = 8;
/** The most that is listened to for it. */
const detectionSec = 30;
/** What is less probable than this is no language to leave the English model for: of two seconds it is as often wrong. */
const minProbability = 0.5;

type Hints = Pick<HearingOptions, "language" | "likelyLanguage">;
/** Pieces given before the language was known, and what the English model makes of them, where there is one. */
type Early = { pcmPath: string; pieces: readonly PieceSpan[]; heard: Promise<Heard[]> | undefined };

export function createPieceHearing(
  { bundle, multilingual, languages }: HearingModels,
  job: TranscriptionJob,
  poolJob: PoolJob,
  poolSize: number,
): PieceHearing {
  const { task, prompt, temperature, wordTimes } = job;
  /** Tells languages apart, where there is something to tell. */
  const detector =
    job.language === undefined && languages.length > 1 ? (multilingual ?? bundle) : undefined;
  let language = job.language;
  const early: Early[] = [];
  let isDeciding = false;
  const decided = Promise.withResolvers<string>();
  decided.promise.catch(() => {});
  let regrouped: Map<PieceSpan, Promise<Heard>> | undefined;

  /** The English model, except where the speech is, or may be, of another language. */
  const modelFor = (spoken: string | undefined): ModelBundle =>
    multilingual !== undefined && spoken !== undefined && spoken !== "en" ? multilingual : bundle;

  function optionsFor(model: ModelBundle, hints: Hints): HearingOptions {
    // English speech is its own translation; where the model must translate, its own timestamps tell what belongs where.
    const translates = task === "translate" && hints.language !== "en";
    const isEnglishModel = multilingual !== undefined && model === bundle;
    return {
      task: translates && !isEnglishModel ? "translate" : "transcribe",
      timestamps: translates && !isEnglishModel,
      temperature,
      wordTimes,
      ...hints,
      ...(prompt === undefined ? {} : { prompt }),
    };
  }

  /** What fails twice is tried piece by piece, and named where it fails then. A model that cannot be loaded hears nothing at all. */
  async function hearBy(
    model: ModelBundle,
    hints: Hints,
    pcmPath: string,
    pieces: readonly PieceSpan[],
  ): Promise<Heard[]> {
    try {
      const segments = await poolJob.run("hear", {
        model,
        pcmPath,
        pieces: [...pieces],
        options: optionsFor(model, hints),
      });
      return pieces.map(({ endSec }, index) => ({
        untilSec: endSec,
        segments: segments[index] ?? [],
      }));
    } catch (error) {
      if (!(error instanceof AppError) || error.key !== "engine_failed") throw error;
      const [piece] = pieces;
      if (pieces.length === 1 && piece !== undefined) {
        const { startSec, endSec } = piece;
        return [
          { untilSec: endSec, segments: [], failed: { startSec, endSec, message: error.message } },
        ];
      }
      return (await Promise.all(pieces.map((one) => hearBy(model, hints, pcmPath, [one])))).flat();
    }
  }

  async function hearEarly(pcmPath: string, pieces: readonly PieceSpan[]): Promise<Heard[]> {
    const heard =
      multilingual === undefined ? undefined : hearBy(bundle, { language: "en" }, pcmPath, pieces);
    heard?.catch(decided.reject);
    early.push({ pcmPath, pieces, heard });
    const known = early.flatMap((group) => group.pieces);
    if (known.length >= decidingPieces || voicedSec(known) >= decidingSec) decide();
    const found = await decided.promise;
    if (heard !== undefined && found === "en") return withForeign(await heard, pcmPath, pieces);
    regrouped ??= hearRegrouped();
    return Promise.all(pieces.map((piece) => regrouped?.get(piece) as Promise<Heard>));
  }

  /** The early pieces as they would have been heard, had the language been known. */
  function hearRegrouped(): Map<PieceSpan, Promise<Heard>> {
    const answers = new Map<PieceSpan, Promise<Heard>>();
    for (const [pcmPath, groups] of Map.groupBy(early, (group) => group.pcmPath)) {
      const pieces = groups
        .flatMap((group) => group.pieces)
        .sort((one, other) => one.fromSec - other.fromSec);
      for (const [index, answer] of heardTogether(hearing, pcmPath, pieces).entries())
        answers.set(pieces[index] as PieceSpan, answer);
    }
    return answers;
  }

  async function hearKnown(
    found: string,
    pcmPath: string,
    pieces: readonly PieceSpan[],
  ): Promise<Heard[]> {
    if (multilingual === undefined || found !== "en")
      return hearBy(modelFor(found), { likelyLanguage: found }, pcmPath, pieces);
    return withForeign(await hearBy(bundle, { language: "en" }, pcmPath, pieces), pcmPath, pieces);
  }

  /** Pieces of an English file that do not sound like it: heard again, and kept where they surely are no English. */
  async function withForeign(
    heard: Heard[],
    pcmPath: string,
    pieces: readonly PieceSpan[],
  ): Promise<Heard[]> {
    if (multilingual === undefined) return heard;
    const doubtful = pieces.filter(
      (piece, index) =>
        piece.voicedSec >= minForeignSec &&
        meanLogprob(heard[index]?.segments ?? []) < hardlyEnglish,
    );
    if (doubtful.length === 0) return heard;
    const again = await unlessModelFails(
      hearBy(multilingual, { likelyLanguage: "en" }, pcmPath, doubtful),
      [],
    );
    return heard.map((first, index) => {
      const other = again[doubtful.indexOf(pieces[index] as PieceSpan)];
      return other?.segments.some((segment) => segment.language !== "en") === true ? other : first;
    });
  }

  function decide(): void {
    if (isDeciding || detector === undefined) return;
    isDeciding = true;
    const found = detect(detector);
    // Where hearing failed before, nobody waits for it.
    found.catch(() => {});
    decided.resolve(found);
  }

  async function detect(model: ModelBundle): Promise<string> {
    language = await guess(model);
    return language;
  }

  /** English where nothing tells otherwise. */
  async function guess(model: ModelBundle): Promise<string> {
    const [first] = early;
    if (first === undefined) return "en";
    if (multilingual !== undefined) {
      const heard = await Promise.all(early.map((group) => group.heard ?? []));
      if (meanLogprob(heard.flat().flatMap(({ segments }) => segments)) >= surelyEnglish)
        return "en";
    }
    const pieces: PieceSpan[] = [];
    for (const piece of early
      .filter(({ pcmPath }) => pcmPath === first.pcmPath)
      .flatMap((group) => group.pieces)
      .toSorted((one, other) => one.fromSec - other.fromSec)) {
      if (pieces.reduce((sum, taken) => sum + lengthSec(taken), lengthSec(piece)) <= detectionSec)
        pieces.push(piece);
    }
    const [best] = await unlessModelFails(
      poolJob.run("detect-language", { model, pcmPath: first.pcmPath, pieces }),
      [],
    );
    return best === undefined || (multilingual !== undefined && best.probability < minProbability)
      ? "en"
      : best.language;
  }

  const hearing: PieceHearing = {
    async settled() {
      if (isDeciding) await decided.promise;
    },
    isFindingLanguage: () => detector !== undefined && language === undefined,
    groups(pieces) {
      const { togetherSec, wholeSec = 0 } = modelFor(language);
      return togetherSec === undefined
        ? alikeGroups(pieces, poolSize)
        : neighbourGroups(pieces, togetherSec, wholeSec, poolSize);
    },
    hear(pcmPath, pieces) {
      if (detector === undefined)
        return hearBy(
          modelFor(language),
          language === undefined ? {} : { language },
          pcmPath,
          pieces,
        );
      return language === undefined
        ? hearEarly(pcmPath, pieces)
        : hearKnown(language, pcmPath, pieces);
    },
    end: decide,
    language: () => language,
    wholeSec: () => (hearing.isFindingLanguage() ? 0 : (modelFor(language).wholeSec ?? 0)),
  };
  return hearing;
}

/** What a model that is only asked for a second opinion fails at is done without it. */
async function unlessModelFails<Answer>(
  answer: Promise<Answer>,
  otherwise: Answer,
): Promise<Answer> {
  try {
    return await answer;
  } catch (error) {
    if (
      error instanceof AppError &&
      (error.key === "engine_failed" || error.key === "model_unusable")
    )
      return otherwise;
    throw error;
  }
}

/** Each piece's own answer, in their order, all from the engines here. */
export function heardTogether(
  hearing: PieceHearing,
  pcmPath: string,
  pieces: readonly PieceSpan[],
): Promise<Heard>[] {
  const answers = new Map(pieces.map((piece) => [piece, answerLater()]));
  for (const group of hearing.groups(pieces)) {
    hearing.hear(pcmPath, group).then(
      (heard) =>
        group.forEach((piece, index) => answers.get(piece)?.resolve(heard[index] as Heard)),
      (error: unknown) => group.forEach((piece) => answers.get(piece)?.reject(error)),
    );
  }
  return [...answers.values()].map(({ promise }) => promise);
}

export function answerLater(): PromiseWithResolvers<Heard> {
  const answer = Promise.withResolvers<Heard>();
  // Its failure is reported when its turn comes, which may be never.
  answer.promise.catch(() => {});
  return answer;
}

const lengthSec = ({ fromSec, toSec }: PieceSpan): number => toSec - fromSec;
const voicedSec = (pieces: readonly PieceSpan[]): number =>
  pieces.reduce((sum, piece) => sum + piece.voicedSec, 0);
