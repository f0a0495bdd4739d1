// Table of models, grouped by where they are; a row expands in place.

import { ChevronRight, FileUp } from "lucide-react";
import { Fragment, useState } from "react";
import type { ModelDownload } from "../../../main/contract/model-downloads.ts";
import type { ListedModel } from "../../../main/contract/window-api.ts";
import { formatSize } from "../../messages/format.ts";
import { t } from "../../messages/messages.ts";
import { Button } from "../../ui/button.tsx";
import { languageName } from "../../ui/language-name.ts";
import { RowTabIndex, useRows } from "../../ui/rows.ts";
import "../../ui/table.css";
import { useDownloads } from "./downloads.ts";
import { GetButton } from "./get-button.tsx";
import { ModelDetails } from "./model-details.tsx";
import { MeasureInRow } from "./measure-speed.tsx";
import type { ModelEntry } from "./model-list.ts";
import { clientNames } from "./aliases.ts";
import {
  Accuracy,
  bestAt,
  channelName,
  languageSummary,
  licenceText,
  speedText,
} from "./model-texts.tsx";
import { useDownChannels } from "./use-down-channels.ts";
import type { RoutingState } from "./use-routing.ts";

const columnCount = 8;

export function ModelTable({
  entries,
  isGrouped,
  language,
  routingState,
  models,
  onImport,
}: {
  entries: readonly ModelEntry[];
  /** They are sorted by place. */
  isGrouped: boolean;
  /** The one whose accuracy is shown. */
  language: string;
  routingState: RoutingState;
  models: readonly ListedModel[];
  /** Lets the person choose the file of a model. */
  onImport: () => void;
}) {
  const [open, setOpen] = useState<string>();
  const downloads = useDownloads((state) => state.downloads);
  const downChannels = useDownChannels();
  const rows = useRows({
    count: entries.length,
    keyOf: (index) => entries[index]?.key ?? index,
  });
  return (
    <div className="table-scroll">
      <table className="table models-table">
        <thead>
          <tr>
            <th>{t("models.id")}</th>
            <th className="models-table-wide models-table-languages">{t("models.languages")}</th>
            <th className="models-table-middle">
              {t("models.accuracy.in", { language: languageName(language) })}
            </th>
            <th className="table-figure models-table-broad">{t("models.speed")}</th>
            <th className="table-figure models-table-wide">{t("models.memory")}</th>
            <th className="table-figure models-table-middle">{t("models.size")}</th>
            <th className="models-table-wide models-table-licence">{t("models.licence")}</th>
            <th className="models-table-state">{t("models.state")}</th>
          </tr>
        </thead>
        <tbody
          {...rows.list}
          onKeyDown={(event) => {
            if (event.key === "Escape" && !event.defaultPrevented) setOpen(undefined);
            rows.list.onKeyDown(event);
          }}
        >
          {entries.map((entry, index) => (
            <Fragment key={entry.key}>
              {isGrouped && entry.place !== entries[index - 1]?.place && (
                <tr className="models-table-place">
                  <th colSpan={columnCount} scope="rowgroup">
                    {t(`models.place.${entry.place}`)}
                  </th>
                </tr>
              )}
              <ModelRow
                entry={entry}
                language={language}
                routingState={routingState}
                models={models}
                download={downloads.find(({ id }) => id === entry.model.id)}
                downChannels={downChannels}
                onImport={onImport}
                index={index}
                tabIndex={rows.tabIndexOf(index)}
                isOpen={entry.key === open}
                onToggle={(isOpen) => setOpen(isOpen ? entry.key : undefined)}
              />
            </Fragment>
          ))}
        </tbody>
      </table>
    </div>
  );
}

type ModelRowProps = {
  entry: ModelEntry;
  language: string;
  routingState: RoutingState;
  models: readonly ListedModel[];
  download: ModelDownload | undefined;
  downChannels: ReadonlySet<string>;
  onImport: () => void;
  index: number;
  tabIndex: 0 | -1;
  isOpen: boolean;
  onToggle: (isOpen: boolean) => void;
};

/** A model's row and, below it, its details while it is open. */
function ModelRow({ entry, language, routingState, models, index, ...rest }: ModelRowProps) {
  const { tabIndex, isOpen, onToggle, download, downChannels, onImport } = rest;
  const { model, title } = entry;
  const names = clientNames(entry, routingState.routing, models);
  return (
    <>
      <RowTabIndex value={tabIndex}>
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
              {title}
            </button>
            <p className="model-under secondary">{bestAt(model)}</p>
            {names.length > 0 && (
              <p className="model-under model-api-names">
                {names.map((name) => (
                  <code key={name}>{name}</code>
                ))}
              </p>
            )}
          </td>
          <td className="models-table-wide">{languageSummary(model)}</td>
          <td className="models-table-middle">
            {model.kind === "text-to-speech" ? "" : <Accuracy model={model} language={language} />}
          </td>
          <td className="table-figure models-table-broad">
            {speedText(model) ??
              (entry.place === "here" && model.state === "ready" && (
                <MeasureInRow id={model.id} title={title} />
              ))}
          </td>
          <td className="table-figure models-table-wide">
            <MemoryCell entry={entry} />
          </td>
          <td className="table-figure models-table-middle">
            {model.sizeBytes === undefined ? "" : formatSize(model.sizeBytes)}
          </td>
          <td className="models-table-wide">{licenceText(model)}</td>
          <td className="models-table-state">
            <State
              entry={entry}
              download={download}
              downChannels={downChannels}
              onImport={onImport}
            />
          </td>
        </tr>
      </RowTabIndex>
      {isOpen && (
        <tr className="models-table-inside" data-inside={index}>
          <td colSpan={columnCount}>
            <ModelDetails entry={entry} names={names} language={language} />
          </td>
        </tr>
      )}
    </>
  );
}

function MemoryCell({ entry: { model } }: { entry: ModelEntry }) {
  if (model.memoryNeedBytes === undefined) return null;
  return (
    <>
      {formatSize(model.memoryNeedBytes)}
      {model.lacks === "memory" && (
        <span className="model-lacks">{t("models.lacks.memory.short")}</span>
      )}
    </>
  );
}

function State({
  entry: { place, model, offers },
  download,
  downChannels,
  onImport,
}: Pick<ModelRowProps, "entry" | "download" | "downChannels" | "onImport">) {
  if (download !== undefined) {
    const percent = Math.floor((100 * download.doneBytes) / Math.max(1, download.totalBytes));
    return <span className="figures">{t(`models.state.${download.state}`, { percent })}</span>;
  }
  if (model.state === "damaged")
    return (
      <>
        <span className="model-lacks">{t("models.state.damaged")}</span>
        {model.isDownloadable === true ? (
          <GetButton model={model} isSmall />
        ) : (
          model.origin === "imported" && (
            <Button isSmall icon={<FileUp aria-hidden />} onClick={onImport}>
              {t("models.import.again")}
            </Button>
          )
        )}
      </>
    );
  if (place === "available") return <GetButton model={model} isSmall />;
  if (place === "here")
    return (
      <>
        <span className="secondary">
          {t(model.origin === "shipped" ? "models.state.shipped" : "models.state.here")}
        </span>
        {model.measured?.doubt !== undefined && (
          <span className="model-lacks">{t("models.state.doubtful")}</span>
        )}
      </>
    );
  const channels = [...new Set(offers.map(({ channel }) => channel))];
  return channels.map((channel) => (
    <div key={channel}>
      {channelName(channel)}
      {downChannels.has(channel) && <span className="model-lacks">{t("models.state.down")}</span>}
    </div>
  ));
}
