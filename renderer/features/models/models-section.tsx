// All models: filters, the recommendation, what is being downloaded, the table, and models from elsewhere.

import { useEffect, useEffectEvent, useMemo, useRef, useState } from "react";
import type { ListedModel } from "../../../main/contract/window-api.ts";
import { languageInUse, t } from "../../messages/messages.ts";
import { takeIncomingFiles, useIncoming } from "../../stores/incoming.ts";
import { usePreferences } from "../../stores/preferences.ts";
import { Button } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { useLiveDownloads } from "./downloads.ts";
import { DownloadsSection } from "./downloads-section.tsx";
import { fromDropped, fromReceived } from "./dropped-files.ts";
import { ElsewhereSection } from "./elsewhere-section.tsx";
import { LicenceDialog } from "./get-button.tsx";
import { ModelFilters, useAddressFilter } from "./model-filters.tsx";
import {
  filterModels,
  groupModels,
  noFilter,
  sortModels,
  type ModelFilter,
  type ModelOrder,
} from "./model-list.ts";
import { ModelTable } from "./model-table.tsx";
import { RecommendationNote } from "./recommendation-note.tsx";
import { useModelImport } from "./use-model-import.ts";
import type { RoutingState } from "./use-routing.ts";

/** Of the person's transcriptions, or else of the window. */
function useOwnLanguage(): string {
  const transcribed = usePreferences((state) => state.transcribe.language);
  return transcribed ?? languageInUse();
}

export function ModelsSection({
  models,
  routingState,
}: {
  models: readonly ListedModel[];
  routingState: RoutingState;
}) {
  const [own, setOwn] = useState(noFilter);
  const [order, setOrder] = useState<ModelOrder>("suitability");
  const address = useAddressFilter();
  const filter = { ...own, language: address.language, task: address.task };
  const ownLanguage = useOwnLanguage();
  const language = filter.language || ownLanguage;
  const modelImport = useModelImport();
  const fileInput = useRef<HTMLInputElement>(null);
  const tokenInput = useRef<HTMLInputElement>(null);
  useLiveDownloads();
  const entries = useMemo(() => groupModels(models), [models]);
  const shown = sortModels(filterModels(entries, filter), order, language);

  function change({ language: code, task, ...rest }: Partial<ModelFilter>): void {
    setOwn({ ...own, ...rest });
    if (code !== undefined || task !== undefined)
      address.change({
        ...(code === undefined ? {} : { language: code }),
        ...(task === undefined ? {} : { task }),
      });
  }

  // Anywhere in the window: the drop area covers all of it. Before the frame, which would refuse the files.
  const importDropped = useEffectEvent((event: DragEvent): void => {
    if (event.dataTransfer?.types.includes("Files") !== true) return;
    event.preventDefault();
    modelImport.start(fromDropped(event.dataTransfer));
  });
  useEffect(() => {
    const controller = new AbortController();
    addEventListener("drop", importDropped, { capture: true, signal: controller.signal });
    return () => controller.abort();
  }, []);

  const hasIncoming = useIncoming(({ files }) => files.some(({ kind }) => kind === "model"));
  useEffect(() => {
    if (!modelImport.isBusy && hasIncoming)
      modelImport.start(fromReceived(takeIncomingFiles("model")));
  });

  return (
    <div className="model-list">
      <ModelFilters
        models={models}
        filter={filter}
        order={order}
        onChange={change}
        onOrder={setOrder}
      >
        {t("models.count", { count: shown.length })}
      </ModelFilters>
      <RecommendationNote models={models} task={filter.task || "transcribe"} language={language} />
      <DownloadsSection
        modelImport={modelImport}
        onChooseFile={() => fileInput.current?.click()}
        onEnterToken={() => tokenInput.current?.focus()}
      />
      {shown.length === 0 ? (
        <EmptyState title={t("models.none")} text={t("models.none.text")}>
          <Button onClick={() => change(noFilter)}>{t("models.filter.clear")}</Button>
        </EmptyState>
      ) : (
        <ModelTable
          entries={shown}
          isGrouped={order === "suitability"}
          language={language}
          routingState={routingState}
          models={models}
          onImport={() => fileInput.current?.click()}
        />
      )}
      <ElsewhereSection modelImport={modelImport} fileInput={fileInput} tokenInput={tokenInput} />
      <LicenceDialog />
    </div>
  );
}
