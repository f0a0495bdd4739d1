// Select of the language that is spoken in a recording.

import { languageNames } from "../../main/contract/languages.ts";
import { languageInUse } from "../messages/messages.ts";
import { Select } from "./field.tsx";
import { languageName } from "./language-name.ts";

type LanguageSelectProps = {
  label: string;
  isLabelHidden?: boolean | undefined;
  /** Text of the entry for "any language". */
  anyText: string;
  value: string | undefined;
  /** Languages that the model does not know cannot be chosen. */
  knowsLanguage(code: string): boolean;
  /** Shown where the chosen one is not known. */
  unknownText: string;
  onChange: (language: string | undefined) => void;
};

export function LanguageSelect({
  label,
  isLabelHidden,
  anyText,
  value,
  knowsLanguage,
  unknownText,
  onChange,
}: LanguageSelectProps) {
  const languages = [...languageNames.keys()]
    .map((code) => ({ code, name: languageName(code) }))
    .toSorted((one, other) => one.name.localeCompare(other.name, languageInUse()));
  return (
    <Select
      label={label}
      isLabelHidden={isLabelHidden}
      error={value === undefined || knowsLanguage(value) ? undefined : unknownText}
      value={value ?? ""}
      onChange={(event) => onChange(event.currentTarget.value || undefined)}
    >
      <option value="">{anyText}</option>
      {languages.map(({ code, name }) => (
        <option key={code} value={code} disabled={!knowsLanguage(code)}>
          {name}
        </option>
      ))}
    </Select>
  );
}
