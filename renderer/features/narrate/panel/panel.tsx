// The right panel: how it is spoken, how words are pronounced, how the reading came out; below, what there is of it.
// The form of the export takes its place.

import "./panel.css";
import { useCallback, useMemo, useRef, useState } from "react";
import { formatCost, formatCount, formatLanguage, formatTime } from "../../../messages/format.ts";
import { t } from "../../../messages/messages.ts";
import { Registered, useAction } from "../../../stores/actions.ts";
import { useModels } from "../../../stores/models.ts";
import { FileInput } from "../../../ui/file-input.tsx";
import { Notice } from "../../../ui/notice.tsx";
import { Segmented } from "../../../ui/segmented.tsx";
import type { PanelTab } from "../open-narrations.ts";
import { useNarration, useScript, useView } from "../use-narration.ts";
import { ExportPanel } from "../export/export-panel.tsx";
import { dataAddress } from "../export/file-making.ts";
import { CheckTab, useCheck } from "./check-tab.tsx";
import { figuresOf } from "./figures.ts";
import { VoiceTab } from "./voice-tab.tsx";
import { addWord, WordsTab } from "./words-tab.tsx";

const tabs = ["voice", "words", "check"] as const satisfies readonly PanelTab[];

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
  const [addedWord, setAddedWord] = useState<number>();
  const [pickError, setPickError] = useState<string>();
  const picker = useRef<HTMLInputElement>(null);
  const show = (next: PanelTab): void => {
    open.view.setState({ tab: next });
    setAddedWord(undefined);
    onExport(false);
  };
  const add = (): void => {
    show("words");
    setAddedWord(addWord());
  };
  // Once: the tab may come back later, when the caret belongs elsewhere.
  const forgetAdded = useCallback(() => setAddedWord(undefined), []);
  const pick = (): void => picker.current?.click();
  async function take(picture: File): Promise<void> {
    setPickError(undefined);
    if (picture.size > maxCoverBytes) return setPickError(t("narrate.export.cover.size"));
    const address = await dataAddress(picture).catch(() => undefined);
    if (address === undefined) setPickError(t("narrate.export.cover.unreadable"));
    else await open.file.setCover(address, t("narrate.export.cover"));
  }
  useAction({ id: "narrate.words.add", title: t("narrate.words.add"), run: add });
  useAction({
    id: "narrate.cover",
    title: t("narrate.export.cover"),
    run: () => {
      onExport(true);
      pick();
    },
  });
  useAction({
    id: "narrate.check",
    title: t("narrate.check"),
    disabledReason: check.reason,
    run: () => {
      show("check");
      check.start();
    },
  });
  return (
    <aside
      className="narrate-panel"
      aria-label={isExporting ? t("narrate.export.title") : t("narrate.panel")}
    >
      {tabs.map((value) => (
        <Registered
          key={value}
          id={`narrate.panel.${value}`}
          title={t("shell.choice", {
            name: t("narrate.panel"),
            value: t(`narrate.panel.${value}`),
          })}
          run={() => show(value)}
        />
      ))}
      <FileInput
        ref={picker}
        accept="image/jpeg,image/png"
        aria-label={t("narrate.export.cover")}
        onFiles={([file]) => void take(file)}
      />
      {isExporting ? (
        <ExportPanel onPick={pick} pickError={pickError} onClose={() => onExport(false)} />
      ) : (
        <>
          <Segmented
            label={t("narrate.panel")}
            value={tab}
            choices={tabs.map((value) => ({ value, label: t(`narrate.panel.${value}`) }))}
            onChange={show}
          />
          <div className="narrate-panel-body">
            {tab === "voice" && <VoiceTab />}
            {tab === "words" && <WordsTab added={addedWord} onAdd={add} onReached={forgetAdded} />}
            {tab === "check" && <CheckTab check={check} />}
          </div>
          <FiguresList />
        </>
      )}
    </aside>
  );
}

function FiguresList() {
  const sentences = useScript((state) => state.sentences);
  const options = useScript((state) => state.options);
  const unspeakable = useScript((state) => state.unspeakable);
  const otherLanguage = useScript((state) => state.otherLanguage);
  const staleCount = useScript((state) => state.stale.size);
  const model = useModels(({ models }) => models.find(({ id }) => id === options.model));
  const figures = useMemo(
    () => figuresOf(sentences, options.speed, model),
    [sentences, options.speed, model],
  );
  const rows: readonly (readonly [string, string])[] = [
    [t("narrate.figures.characters"), formatCount(figures.characters)],
    [
      t("narrate.figures.sentences"),
      figures.chapters > 0
        ? t("narrate.figures.with-chapters", {
            sentences: figures.sentences,
            chapters: figures.chapters,
          })
        : formatCount(figures.sentences),
    ],
    [
      t("narrate.figures.made"),
      t("narrate.figures.of", { made: figures.made, all: figures.sentences }),
    ],
    [
      t("narrate.figures.length"),
      figures.isGuessed
        ? t("narrate.figures.about", { time: formatTime(figures.durationSec) })
        : formatTime(figures.durationSec),
    ],
    [t("narrate.figures.cost"), costText(figures.restUsd, model?.channel ?? "local")],
  ];
  return (
    <div className="narrate-figures">
      {otherLanguage !== undefined && (
        <Notice tone="warn">
          {t("narrate.other-language", { language: formatLanguage(otherLanguage) })}
        </Notice>
      )}
      {unspeakable.length > 0 && (
        <Notice tone="warn">
          {t("narrate.unspeakable", {
            words: unspeakable.slice(0, maxShown).join(", "),
            count: unspeakable.length,
          })}
        </Notice>
      )}
      {staleCount > 0 && <Notice>{t("narrate.stale", { count: staleCount })}</Notice>}
      <dl>
        {rows.map(([name, figure]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd className="figures">{figure}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

const maxShown = 6;

function costText(usd: number | undefined, channel: string): string {
  if (channel === "local") return t("narrate.figures.free");
  return usd === undefined ? t("narrate.figures.unpriced") : formatCost(usd);
}
