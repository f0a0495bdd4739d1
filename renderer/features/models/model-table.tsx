// Table of all models of all channels; a row expands in place.

import { ChevronRight } from "lucide-react";
import { useState } from "react";
import type { ListedModel as Model } from "../../../main/contract/window-api.ts";
import { formatSize } from "../../messages/format.ts";
import { languageInUse, t } from "../../messages/messages.ts";
import { Button } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Select, TextField } from "../../ui/field.tsx";
import { languageName } from "../../ui/language-name.ts";
import { useRows } from "../../ui/rows.ts";
import "../../ui/table.css";
import { channelName, ModelDetails, priceText } from "./model-details.tsx";
import {
  channelsOf,
  kinds,
  languagesOf,
  noFilter,
  rowKey,
  filterModels,
  type ModelFilter,
} from "./model-list.ts";
import type { RoutingState } from "./use-routing.ts";

export function ModelTable({
  models,
  routingState,
}: {
  models: readonly Model[];
  routingState: RoutingState;
}) {
  const [filter, setFilter] = useState<ModelFilter>(noFilter);
  const [open, setOpen] = useState<string>();
  const visibleModels = filterModels(models, filter);
  const keys = visibleModels.map(rowKey);
  const rows = useRows({ count: keys.length, keyOf: (index) => keys[index] ?? index });
  return (
    <div className="model-list">
      <ModelFilters models={models} filter={filter} onChange={setFilter}>
        {t("models.count", { count: visibleModels.length })}
      </ModelFilters>
      {visibleModels.length === 0 ? (
        <EmptyState title={t("models.none")} text={t("models.none.text")}>
          <Button onClick={() => setFilter(noFilter)}>{t("models.filter.clear")}</Button>
        </EmptyState>
      ) : (
        <div className="table-scroll">
          <table className="table models-table">
            <thead>
              <tr>
                <th>{t("models.id")}</th>
                <th>{t("models.kind")}</th>
                <th>{t("models.channel")}</th>
                <th className="models-table-languages">{t("models.languages")}</th>
                <th className="table-figure">{t("models.size")}</th>
                <th className="table-figure">{t("models.price")}</th>
              </tr>
            </thead>
            <tbody
              {...rows.list}
              onKeyDown={(event) => {
                if (event.key === "Escape" && !event.defaultPrevented) setOpen(undefined);
                rows.list.onKeyDown(event);
              }}
            >
              {visibleModels.map((model, index) => {
                const key = rowKey(model);
                return (
                  <ModelRows
                    key={key}
                    model={model}
                    models={models}
                    routingState={routingState}
                    index={index}
                    tabIndex={rows.tabIndexOf(index)}
                    isOpen={key === open}
                    onToggle={(isOpen) => setOpen(isOpen ? key : undefined)}
                  />
                );
              })}
            </tbody>
          </table>
        </div>
      )}
    </div>
  );
}

const languageSummary = ({ languages }: Model) =>
  languages === undefined
    ? ""
    : languages.length <= 3
      ? languages.map(languageName).join(", ")
      : t("models.languages.count", { count: languages.length });

function ModelFilters({
  models,
  filter,
  onChange,
  children,
}: {
  models: readonly Model[];
  filter: ModelFilter;
  onChange: (filter: ModelFilter) => void;
  /** How many models match. */
  children: string;
}) {
  const change = (patch: Partial<ModelFilter>) => onChange({ ...filter, ...patch });
  const languages = languagesOf(models)
    .map((code) => ({ code, name: languageName(code) }))
    .sort((a, b) => a.name.localeCompare(b.name, languageInUse()));
  return (
    <div className="model-filters" role="search" aria-label={t("models.filter")}>
      <TextField
        label={t("models.filter.text")}
        type="search"
        data-models-filter
        value={filter.text}
        onChange={({ currentTarget: { value } }) => change({ text: value })}
      />
      <Select
        label={t("models.kind")}
        value={filter.kind}
        onChange={({ currentTarget: { value } }) =>
          change({ kind: kinds.find((kind) => kind === value) ?? "" })
        }
      >
        <option value="">{t("models.any")}</option>
        {kinds.map((kind) => (
          <option key={kind} value={kind}>
            {t(`models.kind.${kind}`)}
          </option>
        ))}
      </Select>
      <Select
        label={t("models.channel")}
        value={filter.channel}
        onChange={({ currentTarget: { value } }) => change({ channel: value })}
      >
        <option value="">{t("models.any")}</option>
        {channelsOf(models).map(({ channel, prefix }) => (
          <option key={channel} value={channel}>
            {prefix === undefined
              ? channelName(channel)
              : t("models.channel.prefixed", { channel, prefix })}
          </option>
        ))}
      </Select>
      <Select
        label={t("models.language")}
        value={filter.language}
        onChange={({ currentTarget: { value } }) => change({ language: value })}
      >
        <option value="">{t("models.any")}</option>
        {languages.map(({ code, name }) => (
          <option key={code} value={code}>
            {name}
          </option>
        ))}
      </Select>
      <span className="model-count" role="status">
        {children}
      </span>
    </div>
  );
}

/** A model's row and, below it, its details while it is open. */
function ModelRows({
  model,
  models,
  routingState,
  index,
  tabIndex,
  isOpen,
  onToggle,
}: {
  model: Model;
  models: readonly Model[];
  routingState: RoutingState;
  index: number;
  tabIndex: 0 | -1;
  isOpen: boolean;
  onToggle: (isOpen: boolean) => void;
}) {
  return (
    <>
      <tr data-row={index} className={isOpen ? "models-table-open" : undefined}>
        <td>
          <button
            type="button"
            className="model-name"
            aria-expanded={isOpen}
            onClick={() => onToggle(!isOpen)}
            tabIndex={tabIndex}
          >
            <ChevronRight aria-hidden />
            {model.id}
          </button>
        </td>
        <td>{t(`models.kind.${model.kind}`)}</td>
        <td>{channelName(model.channel)}</td>
        <td className="models-table-languages">{languageSummary(model)}</td>
        <td className="table-figure">
          {model.sizeBytes === undefined ? "" : formatSize(model.sizeBytes)}
        </td>
        <td className="table-figure">{priceText(model) ?? ""}</td>
      </tr>
      {isOpen && (
        <tr className="models-table-inside" data-inside={index}>
          <td colSpan={6}>
            <ModelDetails
              model={model}
              models={models}
              routing={routingState.routing}
              prefix={model.prefix}
            />
          </td>
        </tr>
      )}
    </>
  );
}
