// Details of a model and its actions, expanded below its row.

import { Columns2, FlaskConical, Tags } from "lucide-react";
import { useState, type ReactNode } from "react";
import type { Routing } from "../../../main/contract/channels.ts";
import type { ListedModel as Model } from "../../../main/contract/window-api.ts";
import { formatCost, formatSize } from "../../messages/format.ts";
import { languageInUse, t } from "../../messages/messages.ts";
import { RegisterAction } from "../../stores/actions.ts";
import { go } from "../../stores/route.ts";
import { Button } from "../../ui/button.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { languageName } from "../../ui/language-name.ts";
import { aliasesOfModel } from "./aliases.ts";
import { PriceForm } from "./price-form.tsx";

export const channelName = (channel: string) => (channel === "local" ? t("models.local") : channel);

export function priceText({
  channel,
  perMinuteUsd,
  perThousandCharactersUsd,
}: Model): string | undefined {
  if (perMinuteUsd !== undefined)
    return t("models.price.perMinute", { cost: formatCost(perMinuteUsd) });
  if (perThousandCharactersUsd !== undefined)
    return t("models.price.perThousand", { cost: formatCost(perThousandCharactersUsd) });
  return channel === "local" ? t("models.price.free") : undefined;
}

const maxListedLanguages = 12;

/** A model may know a hundred languages, so the full list is collapsed. */
function Languages({ languages }: { languages: readonly string[] }) {
  const [isExpanded, setExpanded] = useState(false);
  const names = languages.map(languageName).sort((a, b) => a.localeCompare(b, languageInUse()));
  if (isExpanded || names.length <= maxListedLanguages) return names.join(", ");
  return (
    <>
      {names.slice(0, maxListedLanguages).join(", ")}{" "}
      <Button kind="quiet" isSmall aria-expanded={false} onClick={() => setExpanded(true)}>
        {t("models.languages.more", { count: names.length - maxListedLanguages })}
      </Button>
    </>
  );
}

/** If several models belong to a name, each value says which model it is of. */
const Memory = ({ memory }: { memory: NonNullable<Model["memory"]> }) =>
  memory.map(({ model, bytes, isLoaded }) => (
    <div key={model}>
      {memory.length > 1 && `${model}: `}
      {bytes === undefined
        ? t("models.memory.unmeasured")
        : t("models.memory.measured", { size: formatSize(bytes), loaded: String(isLoaded) })}
    </div>
  ));

export function ModelDetails({
  model,
  models,
  routing,
  prefix,
}: {
  model: Model;
  models: readonly Model[];
  routing: Routing | undefined;
  prefix: string | undefined;
}) {
  const [isEditingPrice, setEditingPrice] = useState(false);
  const aliases = routing === undefined ? [] : aliasesOfModel(routing, model, models);
  const address = `/models/try?model=${encodeURIComponent(model.id)}`;
  return (
    <div className="model-details">
      <dl className="model-facts">
        <Fact name={t("models.id")}>
          <code>{model.id}</code>
          <CopyButton label={t("models.id.copy")} text={model.id} />
        </Fact>
        <Fact name={t("models.channel")}>
          {prefix === undefined
            ? channelName(model.channel)
            : t("models.channel.prefixed", { channel: model.channel, prefix })}
        </Fact>
        <Fact name={t("models.maker")}>{model.ownedBy}</Fact>
        <Fact name={t("models.size")}>
          {model.sizeBytes === undefined ? t("models.unknown") : formatSize(model.sizeBytes)}
        </Fact>
        <Fact name={t("models.licence")}>{model.licence ?? t("models.unknown")}</Fact>
        <Fact name={t("models.price")}>{priceText(model) ?? t("models.unknown")}</Fact>
        <Fact name={t("models.pointed")}>
          {aliases.length === 0 ? t("models.pointed.none") : aliases.join(", ")}
        </Fact>
        {model.memory !== undefined && (
          <Fact name={t("models.memory")} isWide>
            <Memory memory={model.memory} />
          </Fact>
        )}
        <Fact name={t("models.languages")} isWide>
          {model.languages === undefined ? (
            t("models.unknown")
          ) : (
            <Languages languages={model.languages} />
          )}
        </Fact>
      </dl>
      {isEditingPrice ? (
        <PriceForm model={model} onDone={() => setEditingPrice(false)} />
      ) : (
        <div className="model-actions">
          <Button kind="primary" icon={<FlaskConical aria-hidden />} onClick={() => go(address)}>
            {t("models.try")}
          </Button>
          <Button icon={<Columns2 aria-hidden />} onClick={() => go(`${address}&compare=1`)}>
            {t("models.compare")}
          </Button>
          {model.kind !== "unknown" && (
            <Button icon={<Tags aria-hidden />} onClick={() => go("/models/names")}>
              {t("models.point")}
            </Button>
          )}
          {model.channel !== "local" && (
            <>
              <Button onClick={() => setEditingPrice(true)}>{t("models.price.set")}</Button>
              <RegisterAction
                id="models.price"
                title={t("models.price.set")}
                run={() => setEditingPrice(true)}
              />
            </>
          )}
        </div>
      )}
    </div>
  );
}

const Fact = ({
  name,
  isWide,
  children,
}: {
  name: string;
  isWide?: boolean;
  children: ReactNode;
}) => (
  <div className={isWide ? "model-fact-wide" : undefined}>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);
