// Which model suits a language on this machine. Pure. A low published error rate decides first, then for how many
// languages the model was made, then its size.
// Kokoro by another engine goes last: the one that comes with the app has its voices, and reads more.
// The speed of a model that was not tried here is estimated from one of its family that was.

import type { ListedModel } from "../../../main/contract/window-api.ts";
import { languagesForTask, type ModelTask } from "./model-tasks.ts";

/** A text with more wrong words takes longer to correct than it saves. */
const maxGoodRate = 0.2;
/** Seconds of audio per second of work. */
const minSpeed = 1;

type Rank = { readonly quality: 0 | 1 | 2; readonly rate: number };

const rateOf = ({ errorRates }: ListedModel, language: string) => errorRates?.[language];
const testOf = (model: ListedModel, language: string): string | undefined => {
  const rate = rateOf(model, language);
  return rate === undefined ? undefined : `${rate.testSet} ${rate.unit}`;
};

/**
 * The test set of the language that most rates in any language are of. Rates are compared only within one test set,
 * since those of different sets cannot be compared.
 */
function sharedTest(models: readonly ListedModel[], language: string): string | undefined {
  const all = models.flatMap((model) =>
    Object.keys(model.errorRates ?? {}).map((code) => testOf(model, code)),
  );
  const countOf = (test: string): number => all.filter((each) => each === test).length;
  return models
    .map((model) => testOf(model, language))
    .filter((test) => test !== undefined)
    .toSorted((one, other) => countOf(other) - countOf(one))[0];
}

/** Gives the rates that can be compared: those of one test set, the one most used. */
export function comparableRate(
  models: readonly ListedModel[],
  language: string,
): (model: ListedModel) => number | undefined {
  const test = sharedTest(models, language);
  return (model) => (testOf(model, language) === test ? rateOf(model, language)?.rate : undefined);
}

/**
 * The lowest rate among smaller models of the same family. A model that was tested with another set or language counts
 * as good.
 */
function rateOfSmaller(
  { family, sizeBytes = 0 }: ListedModel,
  models: readonly ListedModel[],
  rateOfModel: (model: ListedModel) => number | undefined,
): number | undefined {
  const rates = models
    .filter((other) => other.family === family && (other.sizeBytes ?? 0) < sizeBytes)
    .map(rateOfModel)
    .filter((rate) => rate !== undefined);
  return rates.length === 0 ? undefined : Math.min(...rates);
}

/**
 * Sorts the better one first, for models among `models`. A low published error rate goes before none, and none before a
 * high one. Of several, to transcribe, the model made for the fewest languages goes first, as Automatic chooses
 * (models/defaults.ts); then the largest.
 */
export function bySuitability(
  models: readonly ListedModel[],
  language: string,
): (one: ListedModel, other: ListedModel) => number {
  const sharedRate = comparableRate(models, language);
  const rankOf = (model: ListedModel): Rank => {
    const isPublished = Object.keys(model.errorRates ?? {}).length > 0;
    const known =
      sharedRate(model) ?? (isPublished ? rateOfSmaller(model, models, sharedRate) : undefined);
    const rate = known ?? rateOf(model, language)?.rate;
    if (rate === undefined) return { quality: 1, rate: 0 };
    if (rate > maxGoodRate) return { quality: 2, rate };
    return { quality: 0, rate: known ?? maxGoodRate };
  };
  return (one, other) => {
    const [a, b] = [rankOf(one), rankOf(other)];
    const fewestLanguages =
      one.kind === "speech-to-text" && other.kind === "speech-to-text"
        ? (one.languages?.length ?? 0) - (other.languages?.length ?? 0)
        : 0;
    return (
      a.quality - b.quality ||
      a.rate - b.rate ||
      Number(one.family === "kokoro") - Number(other.family === "kokoro") ||
      fewestLanguages ||
      (other.sizeBytes ?? 0) - (one.sizeBytes ?? 0)
    );
  };
}

/** It is whole, fits into memory and on the disk, and was neither slower than speech nor wrong in its trial here. */
const isUsable = ({ channel, state, lacks, measured, family }: ListedModel): boolean =>
  channel === "local" &&
  family !== undefined &&
  state !== "damaged" &&
  lacks === undefined &&
  measured?.doubt === undefined;

/** As measured, or in proportion to the size of the measured model of its family that is nearest in size. */
function speedHere(
  { family, measured, sizeBytes = 0 }: ListedModel,
  models: readonly ListedModel[],
): number | undefined {
  if (measured?.speed !== undefined) return measured.speed;
  const [nearest] = models
    .flatMap((other) =>
      other.family === family && other.measured?.speed !== undefined && sizeBytes > 0
        ? [{ ratio: (other.sizeBytes ?? 0) / sizeBytes, speed: other.measured.speed }]
        : [],
    )
    .toSorted((one, other) => Math.abs(Math.log(one.ratio)) - Math.abs(Math.log(other.ratio)));
  return nearest && nearest.speed * nearest.ratio;
}

/** The one to have for a task in a language; undefined if none can do it here. */
export function recommend(
  models: readonly ListedModel[],
  task: ModelTask,
  language: string,
): ListedModel | undefined {
  const candidates = models.filter((model) => {
    const isSuitable = isUsable(model) && (speedHere(model, models) ?? minSpeed) >= minSpeed;
    const languages = isSuitable ? languagesForTask(model, task) : undefined;
    return languages !== undefined && languages !== "any" && languages.includes(language);
  });
  return candidates.toSorted(bySuitability(candidates, language))[0];
}
