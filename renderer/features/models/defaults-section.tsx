// What Automatic takes for each language, and what the names for speech take.

import { useState } from "react";
import { t } from "../../messages/messages.ts";
import { useModels } from "../../stores/models.ts";
import { changePreferences, usePreferences } from "../../stores/preferences.ts";
import { Select } from "../../ui/field.tsx";
import { languageName } from "../../ui/language-name.ts";
import { Section } from "../../ui/page-frame.tsx";
import "../../ui/table.css";
import {
  choicesFor,
  defaultKinds,
  otherLanguages,
  rowsOf,
  takenModels,
  withChoice,
  type DefaultKind,
} from "./defaults.ts";
import { languagesOf } from "./model-list.ts";

/** A longer list would hide the arrow. */
const maxNames = 2;

export const DefaultsSection = () =>
  defaultKinds.map((kind) => <DefaultsOfKind key={kind} kind={kind} />);

function DefaultsOfKind({ kind }: { kind: DefaultKind }) {
  const { models } = useModels();
  const chosen = usePreferences((state) => state.models[kind]);
  const [added, setAdded] = useState<readonly string[]>([]);
  const rows = rowsOf(kind, chosen, added);
  const unlisted = languagesOf(choicesFor(models, kind, otherLanguages))
    .filter((code) => !rows.includes(code))
    .map((code) => ({ code, name: languageName(code) }))
    .sort((one, other) => one.name.localeCompare(other.name));
  return (
    <Section title={t(`models.defaults.${kind}`)} about={t(`models.defaults.${kind}.about`)}>
      <table className="table model-names">
        <thead className="unseen">
          <tr>
            <th>{t("models.language")}</th>
            <th>{t("models.id")}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((language) => (
            <DefaultRow key={language} kind={kind} language={language} rows={rows} />
          ))}
        </tbody>
      </table>
      {unlisted.length > 0 && (
        <div className="model-defaults-add">
          <Select
            label={t("models.defaults.add.of", { names: t(`models.defaults.${kind}`) })}
            isLabelHidden
            isQuiet
            value=""
            onChange={({ currentTarget: { value } }) => setAdded([...added, value])}
          >
            <option value="">{t("models.defaults.add")}</option>
            {unlisted.map(({ code, name }) => (
              <option key={code} value={code}>
                {name}
              </option>
            ))}
          </Select>
        </div>
      )}
    </Section>
  );
}

function DefaultRow({
  kind,
  language,
  rows,
}: {
  kind: DefaultKind;
  language: string;
  rows: readonly string[];
}) {
  const { models, defaults } = useModels();
  const preferences = usePreferences((state) => state.models);
  const chosenId = preferences[kind][language];
  const choices = choicesFor(models, kind, language);
  const nameOf = (id: string | undefined): string =>
    models.find((model) => model.id === id && model.channel === "local")?.name ?? id ?? "";
  const taken = takenModels(defaults[kind], language, rows);
  const name =
    language !== otherLanguages
      ? languageName(language)
      : t(rows.length === 1 ? "models.defaults.all" : "models.defaults.other");
  const isGone = chosenId !== undefined && !choices.some(({ id }) => id === chosenId);
  return (
    <tr>
      <td>{name}</td>
      <td>
        <Select
          label={t("models.defaults.of", { names: t(`models.defaults.${kind}`), language: name })}
          isLabelHidden
          value={chosenId ?? ""}
          onChange={({ currentTarget: { value } }) =>
            void changePreferences({
              models: withChoice(preferences, kind, language, value === "" ? undefined : value),
            })
          }
        >
          <option value="">
            {taken.length === 0
              ? t("models.defaults.nothing")
              : chosenId === undefined && taken.length <= maxNames
                ? t("models.defaults.automatic", { name: taken.map(nameOf).join(", ") })
                : t("models.defaults.automatic.plain")}
          </option>
          {isGone && (
            <option value={chosenId}>
              {t("models.defaults.gone", { name: nameOf(chosenId) })}
            </option>
          )}
          {choices.map(({ id, name: modelName }) => (
            <option key={id} value={id}>
              {modelName ?? id}
            </option>
          ))}
        </Select>
      </td>
    </tr>
  );
}
