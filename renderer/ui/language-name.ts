// Names of the languages that models hear: the browser's, or the English ones of the contract where it knows none.

import { languageNames } from "../../main/contract/languages.ts";
import { formatLanguage } from "../messages/format.ts";

/** @param code one of the contract's; `jw` is the speech models' own for Javanese */
export function languageName(code: string): string {
  const english = languageNames.get(code);
  return formatLanguage(
    code === "jw" ? "jv" : code,
    english === undefined ? code : english.charAt(0).toUpperCase() + english.slice(1),
  );
}
