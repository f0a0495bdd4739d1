// Header of a narration: editable title, save state, listen, generate with progress, export.

import "./narration-header.css";
import {
  AudioLines,
  ChevronLeft,
  Download,
  Ellipsis,
  FolderOpen,
  Pause,
  PenLine,
  Play,
  SlidersHorizontal,
} from "lucide-react";
import { useStore } from "zustand";
import type { Item } from "../../../main/contract/library-item.ts";
import { call } from "../../api/client.ts";
import { formatTime } from "../../messages/format.ts";
import { t } from "../../messages/messages.ts";
import { localize } from "../../messages/localize.ts";
import { removeItemWithToast } from "../../stores/item-removal.ts";
import { useAction } from "../../stores/actions.ts";
import { go } from "../../stores/route.ts";
import { storeItem, renameItem } from "../../stores/items.ts";
import { pause, usePlayer } from "../../stores/player.ts";
import { useTask } from "../../stores/task.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { Menu } from "../../ui/menu.tsx";
import { Notice } from "../../ui/notice.tsx";
import { TitleField } from "../../ui/title-field.tsx";
import { ExportProgress } from "./export/export-progress.tsx";
import { isGenerated } from "./script/sentence-updates.ts";
import { useNarration, useScript, useView } from "./use-narration.ts";
import { ProgressLine } from "./progress-line.tsx";

export function NarrationHeader({
  isExporting,
  onExport,
  onNew,
  onPick,
}: {
  isExporting: boolean;
  onExport: (isOpen: boolean) => void;
  onNew: () => void;
  onPick: () => void;
}) {
  const { item } = useNarration();
  const generation = useGeneration();
  const playback = usePlayback();
  const { sentenceCount, generatedCount } = generation;
  useHeaderActions(generation, playback, () => onExport(true));
  const isComplete = sentenceCount > 0 && generatedCount === sentenceCount;
  return (
    <>
      <header className="narration-header">
        <IconButton label={t("narrate.back")} side="bottom" onClick={back}>
          <ChevronLeft aria-hidden />
        </IconButton>
        <h1 className="unseen">{item.title}</h1>
        <div className="narration-header-text">
          <Title />
          <SavingStatus />
        </div>
        <div className="narration-header-tools">
          <Button
            icon={playback.isPlaying ? <Pause aria-hidden /> : <Play aria-hidden />}
            disabledReason={generation.emptyReason}
            onClick={playback.toggle}
          >
            {playback.isPlaying ? t("frame.player.pause") : t("narrate.listen")}
          </Button>
          <Button
            kind={isComplete ? "secondary" : "primary"}
            icon={<AudioLines aria-hidden />}
            isBusy={generation.task.isBusy}
            disabledReason={generation.disabledReason}
            onClick={generation.start}
          >
            {t("narrate.generate")}
          </Button>
          {/* While the export panel is open, its own save button is the primary one. */}
          <Button
            kind={isComplete && !isExporting ? "primary" : "secondary"}
            icon={<Download aria-hidden />}
            aria-expanded={isExporting}
            onClick={() => onExport(!isExporting)}
          >
            {t("narrate.export")}
          </Button>
          <SheetButton />
          <Menu
            items={[
              { label: t("narrate.new"), icon: <PenLine aria-hidden />, keys: "n", run: onNew },
              {
                label: t("narrate.pick"),
                icon: <FolderOpen aria-hidden />,
                keys: "o",
                run: onPick,
              },
            ]}
          >
            <IconButton label={t("narrate.more")}>
              <Ellipsis aria-hidden />
            </IconButton>
          </Menu>
        </div>
      </header>
      <WorkStatus
        generatedCount={generatedCount}
        sentenceCount={sentenceCount}
        error={generation.task.error}
      />
    </>
  );
}

/** Shows the panel where the window is too narrow for it beside the script. */
function SheetButton() {
  const { open } = useNarration();
  const isOpen = useView((view) => view.isSheetOpen);
  return (
    <IconButton
      label={t("narrate.panel")}
      className="narration-header-sheet"
      aria-expanded={isOpen}
      aria-pressed={isOpen}
      onClick={() => open.view.setState({ isSheetOpen: !isOpen })}
    >
      <SlidersHorizontal aria-hidden />
    </IconButton>
  );
}

const back = (): void => go("/narrate");
const cancel = async ({ id }: Item): Promise<void> => storeItem(await call("cancelItem", {}, id));

/** How much of the narration is generated, and generating the rest. */
function useGeneration() {
  const { item, open } = useNarration();
  const task = useTask();
  const sentenceCount = useScript((state) => state.sentences.length);
  const generatedCount = useScript((state) => state.sentences.filter(isGenerated).length);
  const isRunning = item.state === "running";
  const emptyReason = sentenceCount === 0 ? t("narrate.nothing") : undefined;
  const disabledReason =
    emptyReason ??
    (isRunning
      ? t("narrate.is-running")
      : generatedCount === sentenceCount
        ? t("narrate.all-generated")
        : undefined);
  const start = (): void => void task.run(() => open.generate());
  return { sentenceCount, generatedCount, isRunning, emptyReason, disabledReason, start, task };
}

/** Whether this narration is playing, and its play button. */
function usePlayback() {
  const { item, open } = useNarration();
  const isPlaying = usePlayer((player) => player.isPlaying && player.source?.id === item.id);
  const toggle = (): void => {
    if (isPlaying) pause();
    else
      void open.playFrom(
        item.title,
        usePlayer.getState().source?.id === item.id
          ? undefined
          : open.store.getState().sentences[0]?.id,
      );
  };
  return { isPlaying, toggle };
}

/** The narration's actions in the palette and on keys. */
function useHeaderActions(
  generation: ReturnType<typeof useGeneration>,
  playback: ReturnType<typeof usePlayback>,
  openExport: () => void,
): void {
  const { item } = useNarration();
  const { task, emptyReason, isRunning } = generation;
  useAction({
    id: "narrate.generate",
    title: t("narrate.generate"),
    keys: "m",
    run: generation.start,
    disabledReason: generation.disabledReason,
  });
  useAction({
    id: "narrate.listen",
    title: playback.isPlaying ? t("frame.player.pause") : t("narrate.listen"),
    keys: "l",
    run: playback.toggle,
    disabledReason: emptyReason,
  });
  useSentenceActions(generation);
  useAction({
    id: "narrate.export",
    title: t("narrate.export"),
    keys: "e",
    run: openExport,
  });
  useAction({ id: "narrate.back", title: t("narrate.back"), run: back });
  useAction({
    id: "narrate.rename",
    title: t("narrate.rename"),
    run: () => document.querySelector<HTMLInputElement>(".narration-header .title-field")?.select(),
  });
  useAction({
    id: "narrate.cancel",
    title: t("narrate.cancel"),
    run: () => void task.run(() => cancel(item)),
    disabledReason: isRunning ? undefined : t("narrate.not-running"),
  });
  useAction({
    id: "narrate.remove",
    title: t("narrate.remove", { title: item.title }),
    run: () =>
      void removeItemWithToast(item, t("narrate.removed", { title: item.title })).then(back),
  });
}

/** Actions for the sentence with the caret. */
function useSentenceActions({ task, emptyReason }: ReturnType<typeof useGeneration>): void {
  const { item, open } = useNarration();
  const selectedSentenceId = useView((view) => view.selectedSentenceId);
  const regenerate = (): void => {
    const sentence = open.store.getState().sentences.find(({ id }) => id === selectedSentenceId);
    if (sentence !== undefined)
      void task.run(() =>
        open.generate({ sentenceIds: [sentence.id], isNewTake: isGenerated(sentence) }),
      );
  };
  const noSelectionReason =
    selectedSentenceId === undefined ? t("narrate.sentence.none") : undefined;
  useAction({
    id: "narrate.play-from",
    title: t("narrate.play-from"),
    keys: "mod+Enter",
    worksInText: true,
    run: () => void open.playFrom(item.title, selectedSentenceId),
    disabledReason: emptyReason ?? noSelectionReason,
  });
  useAction({
    id: "narrate.regenerate",
    title: t("narrate.sentence.regenerate"),
    keys: "mod+shift+Enter",
    worksInText: true,
    run: regenerate,
    disabledReason: noSelectionReason,
  });
}

/** Work in progress, or the error it ended with. */
function WorkStatus({
  generatedCount,
  sentenceCount,
  error,
}: {
  generatedCount: number;
  sentenceCount: number;
  error: string | undefined;
}) {
  const { item, open } = useNarration();
  const task = useTask();
  const exportProgress = useStore(open.audiobook, (file) => file.exportProgress);
  const message = error ?? task.error;
  const exportError = useStore(open.audiobook, (file) => file.error);
  const visibleLines = [
    item.state === "running" && (
      <ProgressLine
        key="running"
        label={t("narrate.progress")}
        progress={item.progress}
        cancelLabel={t("narrate.cancel")}
        isStopping={task.isBusy}
        onCancel={() => void task.run(() => cancel(item))}
      >
        {generatedCount < sentenceCount
          ? t("narrate.figures.of", { generated: generatedCount, all: sentenceCount })
          : t("narrate.progress.percent", { percent: Math.floor(item.progress * 100) })}
        {item.leftSec !== undefined &&
          item.leftSec >= minRemainingSec &&
          ` · ${t("narrate.progress.left", { left: formatTime(item.leftSec) })}`}
      </ProgressLine>
    ),
    exportProgress !== undefined && <ExportProgress key="file" exportProgress={exportProgress} />,
    item.state === "failed" && (
      <Notice
        key="failed"
        tone="bad"
        action={
          <Button isSmall isBusy={task.isBusy} onClick={() => void task.run(() => open.generate())}>
            {t("narrate.resume")}
          </Button>
        }
      >
        {localize({ message: item.error ?? "", ...item.errorReference })}
      </Notice>
    ),
    ...[message, exportError].map(
      (text, index) =>
        text !== undefined && (
          <Notice key={index} tone="bad">
            {text}
          </Notice>
        ),
    ),
  ].filter((part) => part !== false);
  return visibleLines.length === 0 ? null : <div className="narration-works">{visibleLines}</div>;
}

const minRemainingSec = 2;

function Title() {
  const { item } = useNarration();
  return (
    <TitleField
      label={t("narrate.title")}
      maxLength={300}
      value={item.title}
      onSave={(title) => renameItem(item.id, title)}
    />
  );
}

function SavingStatus() {
  const { item, open } = useNarration();
  const saving = useScript((state) => state.saving);
  const message = useScript((state) => state.message);
  const generatedBy = item.channels
    .map((channel) =>
      channel === "local" ? t("narrate.generated-here") : t("narrate.generated-by", { channel }),
    )
    .join(", ");
  return (
    <p className="narration-saving">
      <span role="status">{t(`narrate.saving.${saving}`)}</span>
      {generatedBy !== "" && ` · ${generatedBy}`}
      {(saving === "retrying" || saving === "stuck") && (
        <>
          <span className="field-error"> {message}</span>{" "}
          <Button kind="quiet" isSmall onClick={() => void open.store.save()}>
            {t("frame.retry")}
          </Button>
        </>
      )}
    </p>
  );
}
