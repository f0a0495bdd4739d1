// Which model each alias resolves to (names that OpenAI's clients use), and its fallbacks.

import {
  aliasNames,
  type AliasName,
  isAliasName,
  type Routing,
} from "../../../main/contract/channels.ts";
import type { ListedModel } from "../../../main/contract/window-api.ts";
import { t } from "../../messages/messages.ts";
import { Select } from "../../ui/field.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Section } from "../../ui/page-frame.tsx";
import "../../ui/table.css";
import { aliasKinds, withFirstTarget, aliasTargets, withFallbackAt } from "./aliases.ts";
import { modelIdsOfKind } from "./model-list.ts";
import type { RoutingState } from "./use-routing.ts";

export function NamesSection({
  models,
  routingState: { routing, error, change },
}: {
  models: readonly ListedModel[];
  routingState: RoutingState;
}) {
  return (
    <Section title={t("models.names")} about={t("models.names.about")}>
      {error !== undefined && <Notice tone="bad">{error}</Notice>}
      {routing !== undefined && routing.prefer !== "listed" && (
        <Notice>{t(`models.names.prefer.${routing.prefer}`)}</Notice>
      )}
      {routing !== undefined && (
        <div className="table-scroll">
          <table className="table model-names">
            <thead>
              <tr>
                <th>{t("models.names.name")}</th>
                <th>{t("models.names.first")}</th>
                <th>{t("models.names.then")}</th>
              </tr>
            </thead>
            <tbody>
              {aliasNames.map((alias) => (
                <NameRow
                  key={alias}
                  alias={alias}
                  routing={routing}
                  ids={modelIdsOfKind(models, aliasKinds[alias])}
                  change={change}
                />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Section>
  );
}

function NameRow({
  alias,
  routing,
  ids,
  change,
}: {
  alias: AliasName;
  routing: Routing;
  ids: readonly string[];
  change: RoutingState["change"];
}) {
  const [first = alias, ...rest] = aliasTargets(routing, alias);
  // Other aliases resolve through their own lists; only the alias itself is certain to be the built-in model.
  const choices = [...new Set([alias, ...ids.filter((id) => !isAliasName(id)), first, ...rest])];
  const label = (id: string) => (id === alias ? t("models.names.builtIn") : id);
  return (
    <tr>
      <td>
        <code>{alias}</code>
      </td>
      <td>
        <Select
          label={t("models.names.first.of", { alias })}
          isLabelHidden
          value={first}
          onChange={({ currentTarget: { value } }) =>
            change((now) => withFirstTarget(now, alias, value))
          }
        >
          {choices.map((id) => (
            <option key={id} value={id}>
              {label(id)}
            </option>
          ))}
        </Select>
      </td>
      <td>
        <div className="model-names-then">
          {/* One empty select more than there are fallbacks, to add another. */}
          {[...rest, ""].map((fallback, index) => (
            <Select
              key={index}
              label={t("models.names.then.of", { alias, place: index + 1 })}
              isLabelHidden
              value={fallback}
              onChange={({ currentTarget: { value } }) =>
                change((now) =>
                  withFallbackAt(now, alias, index + 1, value === "" ? undefined : value),
                )
              }
            >
              <option value="">
                {fallback === "" && index > 0
                  ? t("models.names.nobody-more")
                  : t("models.names.nobody")}
              </option>
              {choices
                .filter((id) => id === fallback || (id !== first && !rest.includes(id)))
                .map((id) => (
                  <option key={id} value={id}>
                    {label(id)}
                  </option>
                ))}
            </Select>
          ))}
        </div>
      </td>
    </tr>
  );
}
