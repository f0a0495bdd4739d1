// Texts about a model for the table, the recommendation and the details.

import type { ListedModel } from "../../../main/contract/window-api.ts";
import { formatCost, formatDecimal } from "../../messages/format.ts";
import { t } from "../../messages/messages.ts";
import { languageName } from "../../ui/language-name.ts";
import { useRowTabIndex } from "../../ui/rows.ts";

export const channelName = (channel: string) => (channel === "local" ? t("models.local") : channel);

export function priceText({
  channel,
  perMinuteUsd,
  perThousandCharactersUsd,
}: ListedModel): string | undefined {
  if (perMinuteUsd !== undefined)
    return t("models.price.perMinute", { cost: formatCost(perMinuteUsd) });
  if (perThousandCharactersUsd !== undefined)
    return t("models.price.perThousand", { cost: formatCost(perThousandCharactersUsd) });
  return channel === "local" ? t("models.price.free") : undefined;
}

/** In a few words. */
export function bestAt({ family, kind, languages = [], capabilities }: ListedModel): string {
  if (family === undefined || family === "silero" || family === "pyannote")
    return t(`models.kind.${kind}`);
  const isForOne = languages.length === 1;
  if (family === "whisper" && isForOne) return t("models.best.whisper-one");
  if (family === "whisper" && capabilities?.translatesTo.length === 0)
    return t("models.best.whisper-turbo");
  if (family === "parakeet" && isForOne) return t("models.best.parakeet-one");
  return t(`models.best.${family}`);
}

export function languageSummary({ languages }: ListedModel): string {
  if (languages === undefined) return "";
  return languages.length <= 3
    ? languages.map(languageName).join(", ")
    : t("models.languages.count", { count: languages.length });
}

/** What a speech-to-text model of this machine or the catalog can and cannot do; empty for others. */
export function abilities({ kind, capabilities, languages = [] }: ListedModel): {
  can: string[];
  cannot: string[];
} {
  if (kind !== "speech-to-text" || capabilities === undefined) return { can: [], cannot: [] };
  const { wordTimes, languageDetection, prompt, translatesTo } = capabilities;
  const targets = translatesTo.length === 0 ? ["en"] : translatesTo;
  const known: [string, boolean][] = [
    [t("models.ability.wordTimes"), wordTimes],
    [t("models.ability.prompt"), prompt],
    [
      t("models.ability.translation", { languages: targets.map(languageName).join(", ") }),
      translatesTo.length > 0,
    ],
  ];
  // With a single language there is nothing to detect.
  if (languages.length > 1)
    known.unshift([t("models.ability.languageDetection"), languageDetection]);
  const texts = (isAble: boolean): string[] =>
    known.filter(([, able]) => able === isAble).map(([text]) => text);
  return { can: texts(true), cannot: texts(false) };
}

type ErrorRate = Pick<NonNullable<ListedModel["errorRates"]>[string], "rate" | "unit">;

export const rateText = ({ rate, unit }: ErrorRate): string =>
  t(`models.accuracy.${unit}`, { percent: formatDecimal(100 * rate, 1) });

/** The published error rate, whose test set links to where it was published, and the one that the person measured. */
export function Accuracy({ model, language }: { model: ListedModel; language: string }) {
  const tabIndex = useRowTabIndex();
  const published = model.errorRates?.[language];
  const measured = model.measuredErrorRates?.[language];
  if (published === undefined && measured === undefined)
    return <span className="secondary">{t("models.accuracy.none")}</span>;
  return (
    <>
      {published !== undefined && (
        <>
          {rateText(published)}{" "}
          <a href={published.url} target="_blank" rel="noreferrer" tabIndex={tabIndex}>
            {published.testSet}
          </a>
        </>
      )}
      {measured !== undefined && (
        <span className="model-measured">
          {t("models.accuracy.measured", { rate: rateText(measured), count: measured.clips })}
        </span>
      )}
    </>
  );
}

export const formatSpeed = (speed: number): string =>
  t("models.speed.times", { times: formatDecimal(speed, speed < 10 ? 1 : 0) });

export const speedText = ({ measured }: ListedModel): string | undefined =>
  measured?.speed === undefined ? undefined : formatSpeed(measured.speed);

export const licenceText = ({ licence, mustAcceptLicence }: ListedModel): string =>
  licence === undefined
    ? ""
    : mustAcceptLicence === true
      ? t("models.licence.restricted", { licence })
      : licence;
