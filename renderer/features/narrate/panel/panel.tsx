// The right panel: voice, cast, pronunciations, check; metrics below. The export panel replaces it.

import "./panel.css";
import "../../../ui/sheet.css";
import { X } from "lucide-react";
import { useCallback, useLayoutEffect, useMemo, useRef, useState, type ReactNode } from "react";
import { formatCost, formatCount, formatLanguage, formatTime } from "../../../messages/format.ts";
import { t } from "../../../messages/messages.ts";
import { RegisterAction, useAction } from "../../../stores/actions.ts";
import { useModels } from "../../../stores/models.ts";
import { IconButton } from "../../../ui/button.tsx";
import { FileInput } from "../../../ui/file-input.tsx";
import { Notice } from "../../../ui/notice.tsx";
import { focusPanel } from "../../../ui/panel-focus.ts";
import { Segmented } from "../../../ui/segmented.tsx";
import type { PanelTab } from "../open-narrations.ts";
import { useNarration, useScript, useView } from "../use-narration.ts";
import { ExportPanel } from "../export/export-panel.tsx";
import { readAsDataUrl } from "../export/audiobook-export.ts";
import { CastTab } from "../cast/cast-tab.tsx";
import { CheckTab, useCheck } from "./check-tab.tsx";
import { computeNarrationMetrics } from "./narration-metrics.ts";
import { VoiceTab } from "./voice-tab.tsx";
import { addWord, PronunciationsTab } from "./pronunciations-tab.tsx";

const tabs = ["voice", "cast", "words", "check"] as const satisfies readonly PanelTab[];

const maxCoverBytes = 11_000_000;

export function Panel({
  isExporting,
  onExport,
}: {
  isExporting: boolean;
  onExport: (isOpen: boolean) => void;
}) {
  const { open } = useNarration();
  const tab = useView((view) => view.tab);
  const check = useCheck();
  const isSheetOpen = useView((view) => view.isSheetOpen);
  const [addedWordKey, setAddedWordKey] = useState<number>();
  const cover = useCoverPicker();
  const panel = useSheetFocus(isSheetOpen);
  const showTab = (next: PanelTab): void => {
    open.view.setState({ tab: next, isSheetOpen: true });
    setAddedWordKey(undefined);
    onExport(false);
  };
  const closeSheet = (): void => {
    document.querySelector<HTMLElement>(".narration-header-sheet")?.focus();
    open.view.setState({ isSheetOpen: false });
  };
  const addWordRow = (word?: string): void => {
    showTab("words");
    setAddedWordKey(addWord(word));
  };
  // Cleared once the field has the focus: when the tab is shown again, the caret belongs elsewhere.
  const clearAddedWord = useCallback(() => setAddedWordKey(undefined), []);
  useAction({ id: "narrate.words.add", title: t("narrate.words.add"), run: () => addWordRow() });
  useAction({
    id: "narrate.cover",
    title: t("narrate.export.cover"),
    run: () => {
      onExport(true);
      cover.openPicker();
    },
  });
  useAction({
    id: "narrate.check",
    title: t("narrate.check"),
    disabledReason: check.disabledReason,
    run: () => {
      showTab("check");
      check.start();
    },
  });
  return (
    <aside
      ref={panel}
      className="narrate-panel sheet"
      data-open={isSheetOpen || isExporting || undefined}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || event.defaultPrevented || !isSheetOpen) return;
        closeSheet();
      }}
      aria-label={isExporting ? t("narrate.export.title") : t("narrate.panel")}
    >
      {tabs.map((value) => (
        <RegisterAction
          key={value}
          id={`narrate.panel.${value}`}
          title={t("frame.choice", {
            name: t("narrate.panel"),
            value: t(`narrate.panel.${value}`),
          })}
          run={() => showTab(value)}
        />
      ))}
      <FileInput
        ref={cover.input}
        accept="image/jpeg,image/png"
        aria-label={t("narrate.export.cover")}
        onFiles={([file]) => void cover.store(file)}
      />
      {isExporting ? (
        <ExportPanel
          onPick={cover.openPicker}
          pickError={cover.error}
          onClose={() => onExport(false)}
        />
      ) : (
        <TabbedPanel onTab={showTab} onClose={closeSheet}>
          {tab === "voice" && <VoiceTab />}
          {tab === "cast" && <CastTab />}
          {tab === "words" && (
            <PronunciationsTab
              addedKey={addedWordKey}
              onAdd={addWordRow}
              onFocused={clearAddedWord}
            />
          )}
          {tab === "check" && <CheckTab check={check} />}
        </TabbedPanel>
      )}
    </aside>
  );
}

/** `children`: the content of the open tab. */
function TabbedPanel({
  onTab,
  onClose,
  children,
}: {
  onTab: (tab: PanelTab) => void;
  onClose: () => void;
  children: ReactNode;
}) {
  const tab = useView((view) => view.tab);
  return (
    <>
      <div className="narrate-panel-head">
        <Segmented
          label={t("narrate.panel")}
          value={tab}
          choices={tabs.map((value) => ({ value, label: t(`narrate.panel.${value}`) }))}
          onChange={onTab}
        />
        <IconButton
          label={t("narrate.panel.close")}
          className="sheet-close"
          isSmall
          onClick={onClose}
        >
          <X aria-hidden />
        </IconButton>
      </div>
      <div className="narrate-panel-body">{children}</div>
      <MetricsList />
    </>
  );
}

/** Asks for the focus when the sheet opens over the script. */
function useSheetFocus(isSheetOpen: boolean) {
  const panel = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    // Beside the script, the panel is always open.
    if (
      isSheetOpen &&
      panel.current !== null &&
      getComputedStyle(panel.current).position !== "static"
    )
      focusPanel(panel.current);
  }, [isSheetOpen]);
  return panel;
}

/** The file dialog for a cover, and why the chosen file was refused. */
function useCoverPicker() {
  const { open } = useNarration();
  const [error, setError] = useState<string>();
  const input = useRef<HTMLInputElement>(null);
  async function store(picture: File): Promise<void> {
    setError(undefined);
    if (picture.size > maxCoverBytes) return setError(t("narrate.export.cover.size"));
    const dataUrl = await readAsDataUrl(picture).catch(() => undefined);
    if (dataUrl === undefined) setError(t("narrate.export.cover.unreadable"));
    else await open.audiobook.setCover(dataUrl, t("narrate.export.cover"));
  }
  return { input, error, store, openPicker: (): void => input.current?.click() };
}

function MetricsList() {
  const sentences = useScript((state) => state.sentences);
  const options = useScript((state) => state.options);
  const unspeakable = useScript((state) => state.unspeakable);
  const otherLanguages = useScript((state) => state.otherLanguages);
  const staleCount = useScript((state) => state.stale.size);
  const model = useModels(({ models }) => models.find(({ id }) => id === options.model));
  const metrics = useMemo(
    () => computeNarrationMetrics(sentences, options.speed, model),
    [sentences, options.speed, model],
  );
  const rows: readonly (readonly [string, string])[] = [
    [t("narrate.figures.characters"), formatCount(metrics.characterCount)],
    [
      t("narrate.figures.sentences"),
      metrics.chapterCount > 0
        ? t("narrate.figures.with-chapters", {
            sentences: metrics.sentenceCount,
            chapters: metrics.chapterCount,
          })
        : formatCount(metrics.sentenceCount),
    ],
    [
      t("narrate.figures.generated"),
      t("narrate.figures.of", { generated: metrics.generatedCount, all: metrics.sentenceCount }),
    ],
    [
      t("narrate.figures.length"),
      metrics.isEstimated
        ? t("narrate.figures.about", { time: formatTime(metrics.durationSec) })
        : formatTime(metrics.durationSec),
    ],
    [t("narrate.figures.cost"), costText(metrics.remainingUsd, model?.channel ?? "local")],
  ];
  return (
    <div className="narrate-figures">
      {otherLanguages.length > 0 && (
        <Notice tone="warn">
          {t("narrate.other-language", {
            languages: otherLanguages.map((code) => formatLanguage(code)).join(", "),
            count: otherLanguages.length,
          })}
        </Notice>
      )}
      {unspeakable.length > 0 && (
        <Notice tone="warn">
          {t("narrate.unspeakable", {
            words: unspeakable.slice(0, maxListedWords).join(", "),
            count: unspeakable.length,
          })}
        </Notice>
      )}
      {staleCount > 0 && <Notice>{t("narrate.stale", { count: staleCount })}</Notice>}
      <dl>
        {rows.map(([name, metricValue]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd className="figures">{metricValue}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

const maxListedWords = 6;

function costText(usd: number | undefined, channel: string): string {
  if (channel === "local") return t("narrate.figures.free");
  return usd === undefined ? t("narrate.figures.unpriced") : formatCost(usd);
}
