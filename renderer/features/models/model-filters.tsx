// What the list of models shows, and in which order. Language and task are in the address, so that links can name them.

import type { ListedModel } from "../../../main/contract/window-api.ts";
import { languageInUse, t } from "../../messages/messages.ts";
import { go, useRoute } from "../../stores/route.ts";
import { Select, TextField } from "../../ui/field.tsx";
import { languageName } from "../../ui/language-name.ts";
import { languagesOf, orders, places, type ModelFilter, type ModelOrder } from "./model-list.ts";
import { tasks, type ModelTask } from "./model-tasks.ts";

/** Language and task of the address. */
export function useAddressFilter(): {
  language: string;
  task: ModelTask | "";
  change(patch: { language?: string; task?: string }): void;
} {
  const { query } = useRoute();
  return {
    language: query.get("language") ?? "",
    task: tasks.find((task) => task === query.get("task")) ?? "",
    change(patch) {
      const next = new URLSearchParams(query);
      for (const [name, value] of Object.entries(patch))
        if (value === "") next.delete(name);
        else next.set(name, value);
      go(next.size === 0 ? "/models" : `/models?${next}`, { replace: true });
    },
  };
}

export function ModelFilters({
  models,
  filter,
  order,
  onChange,
  onOrder,
  children,
}: {
  models: readonly ListedModel[];
  filter: ModelFilter;
  order: ModelOrder;
  onChange: (patch: Partial<ModelFilter>) => void;
  onOrder: (order: ModelOrder) => void;
  /** How many models match. */
  children: string;
}) {
  const languages = languagesOf(models)
    .map((code) => ({ code, name: languageName(code) }))
    .sort((a, b) => a.name.localeCompare(b.name, languageInUse()));
  return (
    <div className="model-filters" role="search" aria-label={t("models.filter")}>
      <Select
        label={t("models.language")}
        value={filter.language}
        onChange={({ currentTarget: { value } }) => onChange({ language: value })}
      >
        <option value="">{t("models.any")}</option>
        {languages.map(({ code, name }) => (
          <option key={code} value={code}>
            {name}
          </option>
        ))}
      </Select>
      <Select
        label={t("models.task")}
        value={filter.task}
        onChange={({ currentTarget: { value } }) =>
          onChange({ task: tasks.find((task) => task === value) ?? "" })
        }
      >
        <option value="">{t("models.any")}</option>
        {tasks.map((task) => (
          <option key={task} value={task}>
            {t(`models.task.${task}`)}
          </option>
        ))}
      </Select>
      <Select
        label={t("models.place")}
        value={filter.place}
        onChange={({ currentTarget: { value } }) =>
          onChange({ place: places.find((place) => place === value) ?? "" })
        }
      >
        <option value="">{t("models.any")}</option>
        {places.map((place) => (
          <option key={place} value={place}>
            {t(`models.place.${place}`)}
          </option>
        ))}
      </Select>
      <Select
        label={t("models.order")}
        value={order}
        onChange={({ currentTarget: { value } }) =>
          onOrder(orders.find((each) => each === value) ?? "suitability")
        }
      >
        {orders.map((each) => (
          <option key={each} value={each}>
            {t(`models.order.${each}`)}
          </option>
        ))}
      </Select>
      <TextField
        label={t("models.filter.text")}
        type="search"
        data-models-filter
        value={filter.text}
        onChange={({ currentTarget: { value } }) => onChange({ text: value })}
      />
      <span className="model-count" role="status">
        {children}
      </span>
    </div>
  );
}
