// Names of languages that models transcribe: the browser's, or the contract's English name as a fallback.

import { languageNames } from "../../main/contract/languages.ts";
import { formatLanguage } from "../messages/format.ts";

/** @param code one of the contract's; `jw` is the speech models' own code for Javanese */
export function languageName(code: string): string {
  const english = languageNames.get(code);
  return formatLanguage(
    code === "jw" ? "jv" : code,
    english === undefined ? code : english.charAt(0).toUpperCase() + english.slice(1),
  );
}
