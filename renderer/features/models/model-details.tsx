// Details of a model and its actions, expanded below its row.

import { Columns2, FileDown, FlaskConical, Tags, Trash2 } from "lucide-react";
import { useState, type ReactNode } from "react";
import { providerName } from "../../../main/contract/measurements.ts";
import type { ListedModel } from "../../../main/contract/window-api.ts";
import { modelExportUrl } from "../../api/binary.ts";
import { downloadUrl } from "../../bridge/bridge.ts";
import { formatSize } from "../../messages/format.ts";
import { localize } from "../../messages/localize.ts";
import { languageInUse, t } from "../../messages/messages.ts";
import { RegisterAction } from "../../stores/actions.ts";
import { go } from "../../stores/route.ts";
import { Button } from "../../ui/button.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { languageName } from "../../ui/language-name.ts";
import { Notice } from "../../ui/notice.tsx";
import { MeasureSpeed } from "./measure-speed.tsx";
import type { ModelEntry } from "./model-list.ts";
import {
  abilities,
  Accuracy,
  channelName,
  licenceText,
  priceText,
  speedText,
} from "./model-texts.tsx";
import { PriceForm } from "./price-form.tsx";
import { RemoveDialog } from "./remove-dialog.tsx";

const maxListedNames = 12;

/** A model may know a hundred languages or have hundreds of voices, so the full list is collapsed. */
function Names({ names }: { names: readonly string[] }) {
  const [isExpanded, setExpanded] = useState(false);
  if (isExpanded || names.length <= maxListedNames) return names.join(", ");
  return (
    <>
      {names.slice(0, maxListedNames).join(", ")}{" "}
      <Button kind="quiet" isSmall aria-expanded={false} onClick={() => setExpanded(true)}>
        {t("models.languages.more", { count: names.length - maxListedNames })}
      </Button>
    </>
  );
}

function memoryText({ memory = [], measured, memoryNeedBytes, lacks }: ListedModel): string {
  const [used] = memory;
  const measuredBytes = used?.bytes ?? measured?.memoryBytes;
  const text =
    measuredBytes !== undefined
      ? t("models.memory.measured", {
          size: formatSize(measuredBytes),
          loaded: String(used?.isLoaded ?? false),
        })
      : memoryNeedBytes === undefined
        ? t("models.memory.unmeasured")
        : t("models.memory.estimated", { size: formatSize(memoryNeedBytes) });
  return lacks === "memory" ? `${text} ${t("models.lacks.memory")}` : text;
}

export function ModelDetails({
  entry,
  names,
  language,
}: {
  entry: ModelEntry;
  names: readonly string[];
  language: string;
}) {
  const [priced, setPriced] = useState<ListedModel>();
  const { model, offers, place } = entry;
  const { can, cannot } = abilities(model);
  const channels = [...new Set(offers.map(({ channel }) => channel))];
  return (
    <div className="model-details">
      {model.damaged !== undefined && <Notice tone="warn">{localize(model.damaged)}</Notice>}
      {model.measured?.doubt !== undefined && (
        <Notice tone="warn">{localize(model.measured.doubt)}</Notice>
      )}
      <dl className="model-facts">
        {names.length > 0 && (
          <Fact name={t("models.names.api")} isWide>
            {names.map((name) => (
              <span key={name} className="model-api-name">
                <code>{name}</code>
                <CopyButton label={t("models.id.copy.name", { name })} text={name} />
              </span>
            ))}
          </Fact>
        )}
        {channels.length > 0 && (
          <Fact name={t("models.channel")}>{channels.map(channelName).join(", ")}</Fact>
        )}
        <Fact name={t("models.maker")}>{model.ownedBy}</Fact>
        <Fact name={t("models.licence")}>
          <Licence model={model} />
        </Fact>
        <Fact name={t("models.price")}>
          {[...new Set((offers.length === 0 ? [model] : offers).map((offer) => priceText(offer)))]
            .map((price) => price ?? t("models.unknown"))
            .join(", ")}
        </Fact>
        {model.sizeBytes !== undefined && (
          <Fact name={t("models.size")}>{formatSize(model.sizeBytes)}</Fact>
        )}
        {place === "here" && (
          <Fact name={t("models.speed")}>{speedText(model) ?? t("models.speed.unmeasured")}</Fact>
        )}
        {place === "here" && <Provider model={model} />}
        {model.family !== undefined && (
          <Fact name={t("models.memory")} isWide>
            {memoryText(model)}
          </Fact>
        )}
        {(model.errorRates?.[language] ?? model.measuredErrorRates?.[language]) !== undefined && (
          <Fact name={t("models.accuracy.in", { language: languageName(language) })} isWide>
            <span>
              <Accuracy model={model} language={language} />
            </span>
          </Fact>
        )}
        {can.length > 0 && (
          <Fact name={t("models.can")} isWide>
            {can.join(" · ")}
          </Fact>
        )}
        {cannot.length > 0 && (
          <Fact name={t("models.cannot")} isWide>
            {cannot.join(" · ")}
          </Fact>
        )}
        {model.voices !== undefined && (
          <Fact name={t("models.voices")} isWide>
            <Names names={model.voices.map((voice) => voice.name)} />
          </Fact>
        )}
        <Fact name={t("models.languages")} isWide>
          {model.languages === undefined ? (
            t("models.unknown")
          ) : (
            <Names
              names={model.languages
                .map(languageName)
                .sort((a, b) => a.localeCompare(b, languageInUse()))}
            />
          )}
        </Fact>
      </dl>
      {priced === undefined ? (
        <Actions entry={entry} isHere={place === "here"} onPrice={setPriced} />
      ) : (
        <PriceForm model={priced} onDone={() => setPriced(undefined)} />
      )}
    </div>
  );
}

const Provider = ({ model: { measured, isCpuOnly } }: { model: ListedModel }) =>
  isCpuOnly === true ? (
    <Fact name={t("models.provider")}>{t("models.provider.cpuOnly")}</Fact>
  ) : (
    measured?.providerReasons && (
      <Fact name={t("models.provider")} isWide>
        <p>{providerName(measured.provider ?? "cpu")}</p>
        {measured.providerReasons.map((reason) => (
          <p key={reason.message} className="secondary">
            {localize(reason)}
          </p>
        ))}
      </Fact>
    )
  );

const Licence = ({ model }: { model: ListedModel }) =>
  model.licenceUrl === undefined ? (
    licenceText(model) || t("models.unknown")
  ) : (
    <a href={model.licenceUrl} target="_blank" rel="noreferrer">
      {licenceText(model)}
    </a>
  );

function Actions({
  entry: { model, offers },
  isHere,
  onPrice,
}: {
  entry: ModelEntry;
  isHere: boolean;
  onPrice: (model: ListedModel) => void;
}) {
  const [isRemoving, setRemoving] = useState(false);
  const [offer] = offers;
  const remote = offers.find(({ channel }) => channel !== "local");
  const isOwn = isHere && model.origin !== "shipped";
  return (
    <div className="model-actions">
      {offer !== undefined && <TryButtons model={offer} />}
      {remote !== undefined && (
        <>
          <Button onClick={() => onPrice(remote)}>{t("models.price.set")}</Button>
          <RegisterAction
            id="models.price"
            title={t("models.price.set")}
            run={() => onPrice(remote)}
          />
        </>
      )}
      {isOwn && (
        <>
          {model.state === "ready" && (
            <Button
              icon={<FileDown aria-hidden />}
              onClick={() => downloadUrl(modelExportUrl(model.id))}
            >
              {t("models.export")}
            </Button>
          )}
          <Button icon={<Trash2 aria-hidden />} onClick={() => setRemoving(true)}>
            {t("models.remove")}
          </Button>
          <RemoveDialog model={model} isOpen={isRemoving} onClose={() => setRemoving(false)} />
        </>
      )}
      {isHere && model.state === "ready" && <MeasureSpeed id={model.id} />}
    </div>
  );
}

function TryButtons({ model }: { model: ListedModel }) {
  const address = `/models/try?model=${encodeURIComponent(model.id)}`;
  return (
    <>
      <Button kind="primary" icon={<FlaskConical aria-hidden />} onClick={() => go(address)}>
        {t("models.try.this")}
      </Button>
      <Button icon={<Columns2 aria-hidden />} onClick={() => go(`${address}&compare=1`)}>
        {t("models.compare")}
      </Button>
      {model.kind !== "unknown" && (
        <Button icon={<Tags aria-hidden />} onClick={() => go("/models/names")}>
          {t("models.point")}
        </Button>
      )}
    </>
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
