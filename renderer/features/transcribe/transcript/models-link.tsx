// The way from a transcript to a better model for its language.

import { t } from "../../../messages/messages.ts";
import { languageName } from "../../../ui/language-name.ts";
import { isTranslated, spokenLanguages } from "../document/languages.ts";
import { isUncertain } from "../document/low-confidence.ts";
import { useDocument, useTranscript } from "./use-transcript.ts";

/** @param isHint shown in the header: says more if the model was unsure of many words */
export function ModelsLink({ isHint = false }: { isHint?: boolean }) {
  const { item } = useTranscript();
  const language = useDocument(({ segments }) => spokenLanguages(segments)[0]);
  const isUnsure = useDocument(({ segments }) => isUncertain(segments));
  const task = useDocument(({ document, segments }) =>
    isTranslated(document?.options, spokenLanguages(segments), item.channels)
      ? "translate"
      : "transcribe",
  );
  if (language === undefined || item.state !== "done" || !item.hasMedia) return null;
  const query = new URLSearchParams({ language, task, for: item.id });
  const isWarning = isHint && isUnsure;
  return (
    <span className={isWarning ? "transcript-unsure" : undefined}>
      {isHint && " · "}
      {isWarning && `${t("transcribe.better.unsure")} `}
      <a href={`#/models?${query}`}>
        {t(isUnsure ? "transcribe.better.find" : "transcribe.better", {
          language: languageName(language),
        })}
      </a>
    </span>
  );
}
