// Refuses what a recognizer cannot do, by the capabilities of its catalog entry, before anything is computed.

import { AppError } from "../../contract/errors.ts";
import type { CatalogEntry } from "../../contract/models.ts";
import type { TranscribeOptions } from "../engine.ts";

/** @throws AppError that names what the model cannot do */
export function requireCapabilities(
  { id, capabilities, languages }: Pick<CatalogEntry, "id" | "capabilities" | "languages">,
  { task, language, wordTimes }: Pick<TranscribeOptions, "task" | "language" | "wordTimes">,
): void {
  if (task === "translate" && !capabilities.translatesTo.includes("en"))
    throw new AppError("model.noTranslation", { model: id }, { param: "model" });
  if (wordTimes && !capabilities.wordTimes)
    throw new AppError("model.noWordTimes", { model: id }, { param: "timestamp_granularities" });
  if (language !== undefined && !languages.some(({ code }) => code === language)) {
    const known = languages.map(({ code }) => code).join(", ");
    throw new AppError(
      "model.otherLanguages",
      { model: id, language, languages: known },
      { param: "language" },
    );
  }
}
