// The reference text of a clip and its language, with which errors can be counted.

import { languageNames } from "../../../main/contract/languages.ts";
import { maxMeasuredCharacters } from "../../../main/contract/measurements.ts";
import { t } from "../../messages/messages.ts";
import { Select, TextArea } from "../../ui/field.tsx";
import { languageName } from "../../ui/language-name.ts";

export type ReferenceText = { readonly text: string; readonly language: string };

export function ReferenceTextFields({
  value,
  onChange,
}: {
  value: ReferenceText;
  onChange: (value: ReferenceText) => void;
}) {
  const languages = [...languageNames.keys()]
    .map((code) => ({ code, name: languageName(code) }))
    .toSorted((one, other) => one.name.localeCompare(other.name));
  return (
    <>
      <TextArea
        label={t("models.measure.text")}
        help={t("models.measure.text.help")}
        maxLength={maxMeasuredCharacters}
        value={value.text}
        onChange={({ currentTarget: { value: text } }) => onChange({ ...value, text })}
      />
      {value.text.trim() !== "" && (
        <Select
          label={t("models.measure.language")}
          value={value.language}
          onChange={({ currentTarget: { value: language } }) => onChange({ ...value, language })}
        >
          {languages.map(({ code, name }) => (
            <option key={code} value={code}>
              {name}
            </option>
          ))}
        </Select>
      )}
    </>
  );
}
