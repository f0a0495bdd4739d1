// The line above a script: title to change in place, whether it is saved, listen, make with its progress, export.

import "./narration-header.css";
import { AudioLines, ChevronLeft, Download, Pause, Play } from "lucide-react";
import { useStore } from "zustand";
import type { Item } from "../../../main/contract/studio.ts";
import { call } from "../../api/client.ts";
import { formatTime } from "../../messages/format.ts";
import { t } from "../../messages/messages.ts";
import { told } from "../../messages/told.ts";
import { removeItemWithToast } from "../../stores/item-removal.ts";
import { useAction } from "../../stores/actions.ts";
import { go } from "../../stores/route.ts";
import { keepItem, renameItem } from "../../stores/items.ts";
import { pause, usePlayer } from "../../stores/player.ts";
import { useTask } from "../../stores/task.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { Notice } from "../../ui/notice.tsx";
import { TitleField } from "../../ui/title-field.tsx";
import { FileProgress } from "./export/file-progress.tsx";
import { isMade } from "./script/sentence-news.ts";
import { useNarration, useScript, useView } from "./use-narration.ts";
import { WorkLine } from "./work-line.tsx";

export function NarrationHeader({
  isExporting,
  onExport,
}: {
  isExporting: boolean;
  onExport: (isOpen: boolean) => void;
}) {
  const { item, open } = useNarration();
  const task = useTask();
  const count = useScript((state) => state.sentences.length);
  const made = useScript((state) => state.sentences.filter(isMade).length);
  const chosenId = useView((view) => view.chosenId);
  const isPlaying = usePlayer((player) => player.isPlaying && player.source?.id === item.id);
  const isRunning = item.state === "running";
  const nothing = count === 0 ? t("narrate.nothing") : undefined;
  const noMake =
    nothing ??
    (isRunning ? t("narrate.is-running") : made === count ? t("narrate.all-made") : undefined);
  const make = (): void => void task.run(() => open.make());
  const listen = (): void => {
    if (isPlaying) pause();
    else
      void open.playFrom(
        item.title,
        usePlayer.getState().source?.id === item.id
          ? undefined
          : open.store.getState().sentences[0]?.id,
      );
  };
  const again = (): void => {
    const sentence = open.store.getState().sentences.find(({ id }) => id === chosenId);
    if (sentence !== undefined)
      void task.run(() => open.make({ sentenceIds: [sentence.id], isNewTake: isMade(sentence) }));
  };
  const noSentence = chosenId === undefined ? t("narrate.sentence.none") : undefined;
  useAction({
    id: "narrate.make",
    title: t("narrate.make"),
    keys: "m",
    run: make,
    disabledReason: noMake,
  });
  useAction({
    id: "narrate.listen",
    title: isPlaying ? t("shell.player.pause") : t("narrate.listen"),
    keys: "l",
    run: listen,
    disabledReason: nothing,
  });
  useAction({
    id: "narrate.play-from",
    title: t("narrate.play-from"),
    keys: "mod+Enter",
    worksInText: true,
    run: () => void open.playFrom(item.title, chosenId),
    disabledReason: nothing ?? noSentence,
  });
  useAction({
    id: "narrate.again",
    title: t("narrate.sentence.again"),
    keys: "mod+shift+Enter",
    worksInText: true,
    run: again,
    disabledReason: noSentence,
  });
  useAction({
    id: "narrate.export",
    title: t("narrate.export"),
    keys: "e",
    run: () => onExport(true),
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
  const isComplete = count > 0 && made === count;
  return (
    <>
      <header className="narration-header">
        <IconButton label={t("narrate.back")} side="bottom" onClick={back}>
          <ChevronLeft aria-hidden />
        </IconButton>
        <div className="narration-header-text">
          <Title />
          <Saving />
        </div>
        <div className="narration-header-tools">
          <Button
            icon={isPlaying ? <Pause aria-hidden /> : <Play aria-hidden />}
            disabledReason={nothing}
            onClick={listen}
          >
            {isPlaying ? t("shell.player.pause") : t("narrate.listen")}
          </Button>
          <Button
            kind={isComplete ? "secondary" : "primary"}
            icon={<AudioLines aria-hidden />}
            isBusy={task.isBusy}
            disabledReason={noMake}
            onClick={make}
          >
            {t("narrate.make")}
          </Button>
          {/* While the panel is open, saving is the main thing. */}
          <Button
            kind={isComplete && !isExporting ? "primary" : "secondary"}
            icon={<Download aria-hidden />}
            aria-expanded={isExporting}
            onClick={() => onExport(!isExporting)}
          >
            {t("narrate.export")}
          </Button>
        </div>
      </header>
      <Work made={made} count={count} error={task.error} />
    </>
  );
}

const back = (): void => go("/narrate");
const cancel = async ({ id }: Item): Promise<void> => keepItem(await call("cancelItem", {}, id));

/** What is going on, or how it ended where that was not well. */
function Work({ made, count, error }: { made: number; count: number; error: string | undefined }) {
  const { item, open } = useNarration();
  const task = useTask();
  const making = useStore(open.file, (file) => file.making);
  const message = error ?? task.error;
  const fileError = useStore(open.file, (file) => file.error);
  const shown = [
    item.state === "running" && (
      <WorkLine
        key="running"
        label={t("narrate.progress")}
        part={item.progress}
        cancelLabel={t("narrate.cancel")}
        isStopping={task.isBusy}
        onCancel={() => void task.run(() => cancel(item))}
      >
        {made < count
          ? t("narrate.figures.of", { made, all: count })
          : t("narrate.progress.percent", { percent: Math.floor(item.progress * 100) })}
        {item.leftSec !== undefined &&
          item.leftSec >= minLeftSec &&
          ` · ${t("narrate.progress.left", { left: formatTime(item.leftSec) })}`}
      </WorkLine>
    ),
    making !== undefined && <FileProgress key="file" making={making} />,
    item.state === "failed" && (
      <Notice
        key="failed"
        tone="bad"
        action={
          <Button isSmall isBusy={task.isBusy} onClick={() => void task.run(() => open.make())}>
            {t("narrate.go-on")}
          </Button>
        }
      >
        {told(item.error ?? "")}
      </Notice>
    ),
    ...[message, fileError].map(
      (text, place) =>
        text !== undefined && (
          <Notice key={place} tone="bad">
            {text}
          </Notice>
        ),
    ),
  ].filter((part) => part !== false);
  return shown.length === 0 ? null : <div className="narration-works">{shown}</div>;
}

const minLeftSec = 2;

function Title() {
  const { item } = useNarration();
  return (
    <TitleField
      label={t("narrate.title")}
      maxLength={300}
      value={item.title}
      onKeep={(title) => renameItem(item.id, title)}
    />
  );
}

function Saving() {
  const { item, open } = useNarration();
  const saving = useScript((state) => state.saving);
  const message = useScript((state) => state.message);
  const where = item.channels
    .map((channel) =>
      channel === "local" ? t("narrate.made-here") : t("narrate.made-by", { channel }),
    )
    .join(", ");
  return (
    <p className="narration-saving">
      <span role="status">{t(`narrate.saving.${saving}`)}</span>
      {where !== "" && ` · ${where}`}
      {(saving === "retrying" || saving === "stuck") && (
        <>
          <span className="field-error"> {message}</span>{" "}
          <Button kind="quiet" isSmall onClick={() => void open.store.save()}>
            {t("shell.retry")}
          </Button>
        </>
      )}
    </p>
  );
}
