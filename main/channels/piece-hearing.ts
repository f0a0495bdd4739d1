// Hears the pieces of one file with the model, or the two models, that are right for them. Where no language was
// given, the English model hears first, since it is the faster one; what it is not sure of decides whether the
// multilingual one is asked what language it is.

import { AppError } from '../contract/errors.ts';
import type { FailedStretch, ModelBundle, TranscriptSegment, TranscriptionJob } from '../contract/speech.ts';
import type { HearingOptions } from '../engines/engine.ts';
import type { PieceSpan } from '../audio/segments.ts';
import type { PoolJob } from '../engines/pool/pool.ts';

export type HearingModels = {
  bundle: ModelBundle;
  /** Hears what `bundle`, which then knows English only, does not. */
  multilingual: ModelBundle | undefined;
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
  /** No more pieces will come. */
  end(): void;
  /** The language of the whole, as far as it is known; `undefined` before. */
  language(): string | undefined;
};

/** Pieces decoded together by a model that hears them one by one; more do not get faster. */
export const mostPiecesTogether = 4;
/** Runs of neighbours heard in one task. */
const mostRunsTogether = 4;

/**
 * Mean log-probabilities of English text by the English model. Measured with Moonshine base: English clips, over
 * the telephone and with noise too, −0.05 to −0.20; German, French, Spanish and Portuguese ones −0.30 to −1.44.
 */
const surelyEnglish = -0.15;
/** In a file that is English a piece must be this bad to be asked about, and this long. */
const hardlyEnglish = -0.35;
const leastForeignSec = 2;
/** So much voice, or so many pieces, decide on the language of a file. */
const decidingSec = 8;
const decidingPieces = 8;
/** The most that is listened to for it. */
const detectionSec = 30;

export function createPieceHearing({ bundle, multilingual }: HearingModels, job: TranscriptionJob, poolJob: PoolJob, poolSize: number): PieceHearing {
  const { task, prompt, temperature, wordTimes } = job;
  const isAuto = multilingual !== undefined && job.language === undefined;
  let language = job.language;
  const early: { pcmPath: string; pieces: readonly PieceSpan[]; heard: Promise<Heard[]> }[] = [];
  let isDeciding = false;
  const decided = Promise.withResolvers<string>();
  decided.promise.catch(() => {});

  /** The English model, except where the speech is, or may be, of another language. */
  const modelFor = (spoken: string | undefined): ModelBundle => (multilingual !== undefined && spoken !== undefined && spoken !== 'en' ? multilingual : bundle);

  function optionsFor(model: ModelBundle, hints: Pick<HearingOptions, 'language' | 'likelyLanguage'>): HearingOptions {
    // English speech is its own translation; where the model must translate, its own timestamps tell what belongs where.
    const translates = task === 'translate' && hints.language !== 'en';
    const isEnglishModel = multilingual !== undefined && model === bundle;
    return { task: translates && !isEnglishModel ? 'translate' : 'transcribe', timestamps: translates && !isEnglishModel, temperature, wordTimes, ...hints, ...(prompt === undefined ? {} : { prompt }) };
  }

  /** What fails twice is tried piece by piece, and named where it fails then. */
  async function hearBy(model: ModelBundle, hints: Pick<HearingOptions, 'language' | 'likelyLanguage'>, pcmPath: string, pieces: readonly PieceSpan[]): Promise<Heard[]> {
    try {
      const segments = await poolJob.run('hear', { model, pcmPath, pieces: [...pieces], options: optionsFor(model, hints) });
      return pieces.map(({ endSec }, index) => ({ untilSec: endSec, segments: segments[index] ?? [] }));
    } catch (error) {
      if (!(error instanceof AppError) || error.key !== 'engine_failed') throw error;
      const [piece] = pieces;
      if (pieces.length === 1 && piece !== undefined) {
        const { startSec, endSec } = piece;
        return [{ untilSec: endSec, segments: [], failed: { startSec, endSec, message: error.message } }];
      }
      return (await Promise.all(pieces.map((one) => hearBy(model, hints, pcmPath, [one])))).flat();
    }
  }

  async function hearAsEnglish(pcmPath: string, pieces: readonly PieceSpan[]): Promise<Heard[]> {
    const heard = hearBy(bundle, { language: 'en' }, pcmPath, pieces);
    heard.catch(decided.reject);
    if (!isDeciding) {
      early.push({ pcmPath, pieces, heard });
      const known = early.flatMap((group) => group.pieces);
      if (known.length >= decidingPieces || voicedSec(known) >= decidingSec) decide();
    }
    const found = await decided.promise;
    return found === 'en' ? withForeign(await heard, pcmPath, pieces) : hearBy(modelFor(found), { likelyLanguage: found }, pcmPath, pieces);
  }

  /** Pieces of an English file that do not sound like it: heard again, and kept where they surely are no English. */
  async function withForeign(heard: Heard[], pcmPath: string, pieces: readonly PieceSpan[]): Promise<Heard[]> {
    if (multilingual === undefined) return heard;
    const doubtful = pieces.filter((piece, index) => piece.voicedSec >= leastForeignSec && meanLogprob([heard[index] as Heard]) < hardlyEnglish);
    if (doubtful.length === 0) return heard;
    const again = await hearBy(multilingual, { likelyLanguage: 'en' }, pcmPath, doubtful);
    return heard.map((first, index) => {
      const other = again[doubtful.indexOf(pieces[index] as PieceSpan)];
      return other?.segments.some((segment) => segment.language !== 'en') === true ? other : first;
    });
  }

  function decide(): void {
    if (isDeciding) return;
    isDeciding = true;
    decided.resolve(detect());
  }

  async function detect(): Promise<string> {
    language = await guess();
    return language;
  }

  async function guess(): Promise<string> {
    const [first] = early;
    if (first === undefined || multilingual === undefined) return 'en';
    const heard = (await Promise.all(early.map((group) => group.heard))).flat();
    if (meanLogprob(heard) >= surelyEnglish) return 'en';
    const pieces: PieceSpan[] = [];
    for (const piece of early.filter(({ pcmPath }) => pcmPath === first.pcmPath).flatMap((group) => group.pieces).toSorted((one, other) => one.fromSec - other.fromSec)) {
      if (pieces.reduce((sum, taken) => sum + lengthSec(taken), lengthSec(piece)) <= detectionSec) pieces.push(piece);
    }
    const guesses = await poolJob.run('detect-language', { model: multilingual, pcmPath: first.pcmPath, pieces });
    return guesses[0]?.language ?? 'en';
  }

  return {
    async settled() {
      if (isDeciding) await decided.promise;
    },
    isFindingLanguage: () => isAuto && language === undefined,
    groups(pieces) {
      const { togetherSec } = modelFor(language);
      return togetherSec === undefined ? alikeGroups(pieces, poolSize) : neighbourGroups(pieces, togetherSec, poolSize);
    },
    hear(pcmPath, pieces) {
      if (!isAuto) return hearBy(modelFor(language), language === undefined ? {} : { language }, pcmPath, pieces);
      if (language === undefined || language === 'en') return hearAsEnglish(pcmPath, pieces);
      return hearBy(modelFor(language), { likelyLanguage: language }, pcmPath, pieces);
    },
    end() {
      if (isAuto) decide();
    },
    language: () => language,
  };
}

/** Each piece's own answer, in their order, all from the engines here. */
export function heardTogether(hearing: PieceHearing, pcmPath: string, pieces: readonly PieceSpan[]): Promise<Heard>[] {
  const answers = new Map(pieces.map((piece) => [piece, answerLater()]));
  for (const group of hearing.groups(pieces)) {
    hearing.hear(pcmPath, group).then(
      (heard) => group.forEach((piece, index) => answers.get(piece)?.resolve(heard[index] as Heard)),
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

/** By tokens, ends included; −∞ where there was voice and no word for it. */
function meanLogprob(heard: readonly Heard[]): number {
  const segments = heard.flatMap((one) => one.segments);
  const tokens = segments.reduce((sum, segment) => sum + segment.tokens.length + 1, 0);
  return tokens === 0 ? -Infinity : segments.reduce((sum, segment) => sum + segment.avgLogprob * (segment.tokens.length + 1), 0) / tokens;
}

const lengthSec = ({ fromSec, toSec }: PieceSpan): number => toSec - fromSec;
const earliestSec = (group: readonly PieceSpan[]): number => Math.min(...group.map(({ fromSec }) => fromSec));
const voicedSec = (pieces: readonly PieceSpan[]): number => pieces.reduce((sum, piece) => sum + piece.voicedSec, 0);

/** Spread over the pool first, in batches where there are more: pieces of like length, so that none waits for another. */
function alikeGroups(pieces: readonly PieceSpan[], poolSize: number): PieceSpan[][] {
  const size = Math.min(mostPiecesTogether, Math.max(1, Math.floor(pieces.length / poolSize)));
  const groups = chunks(pieces.toSorted((one, other) => lengthSec(one) - lengthSec(other)), size);
  return groups.sort((one, other) => earliestSec(one) - earliestSec(other));
}

/** Neighbours up to a length; several of these in one task where there are enough for the whole pool. */
function neighbourGroups(pieces: readonly PieceSpan[], togetherSec: number, poolSize: number): PieceSpan[][] {
  const runs: PieceSpan[][] = [];
  let filledSec = Infinity;
  for (const piece of pieces) {
    if (filledSec + lengthSec(piece) > togetherSec) {
      runs.push([]);
      filledSec = 0;
    }
    runs.at(-1)?.push(piece);
    filledSec += lengthSec(piece);
  }
  const size = Math.min(mostRunsTogether, Math.max(1, Math.floor(runs.length / poolSize)));
  return chunks(runs, size).map((group) => group.flat());
}

function chunks<Value>(values: readonly Value[], size: number): Value[][] {
  return Array.from({ length: Math.ceil(values.length / size) }, (_, chunk) => values.slice(chunk * size, (chunk + 1) * size));
}
