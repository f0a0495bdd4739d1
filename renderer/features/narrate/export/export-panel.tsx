// Export panel: a narration as one file or one per chapter, with format, subtitles, loudness, title, author and cover.
// Replaces the right panel. Progress is shown below the page's title.

import "./export-panel.css";
import { ImagePlus, Undo2, X } from "lucide-react";
import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { create, useStore } from "zustand";
import { narrationFormats, type NarrationExport } from "../../../../main/contract/narration.ts";
import { t } from "../../../messages/messages.ts";
import { RegisterAction, useAction } from "../../../stores/actions.ts";
import { useTask } from "../../../stores/task.ts";
import { type UndoStep, useCanUndo, useUndo } from "../../../stores/undo.ts";
import { Button, IconButton } from "../../../ui/button.tsx";
import { Checkbox, Select, TextField } from "../../../ui/field.tsx";
import { isGenerated } from "../script/sentence-updates.ts";
import { useNarration, useScript } from "../use-narration.ts";

type Form = Required<Pick<NarrationExport, "format" | "perChapter" | "normalise" | "subtitles">>;

/** Remembered for the next narration. */
const useForm = create<Form>(() => ({
  format: "m4b",
  perChapter: false,
  normalise: true,
  subtitles: "none",
}));
const updateForm = (patch: Partial<Form>): void => useForm.setState(patch);
/** Containers that can hold a cover. */
const formatsWithCover: readonly NarrationExport["format"][] = ["mp3", "m4b", "flac", "epub"];

type ExportPanelProps = {
  /** Opens the file dialog for a cover. */
  onPick: () => void;
  pickError: string | undefined;
  onClose: () => void;
};

export function ExportPanel({ onPick, pickError, onClose }: ExportPanelProps) {
  const { open } = useNarration();
  const chapterCount = useScript(
    (state) => state.sentences.filter(({ chapter }) => chapter !== undefined).length,
  );
  const notGeneratedCount = useScript(
    (state) => state.sentences.filter((sentence) => !isGenerated(sentence)).length,
  );
  const isEmpty = useScript((state) => state.sentences.length === 0);
  const form = useForm();
  const audiobook = useStore(open.audiobook);
  const ref = useRef<HTMLFormElement>(null);
  useEffect(() => void open.audiobook.load(), [open]);
  // In a layout effect: the next key press must already reach the panel.
  useLayoutEffect(() => ref.current?.querySelector("select")?.focus(), []);
  const saveDisabledReason = isEmpty
    ? t("narrate.nothing")
    : notGeneratedCount > 0
      ? t("narrate.export.not-generated", { count: notGeneratedCount })
      : undefined;
  const save = (): void =>
    void open.audiobook.exportFile({ ...form, perChapter: form.perChapter && chapterCount > 1 });
  useAction({
    id: "narrate.export.save",
    title: t("narrate.export.save"),
    run: save,
    disabledReason: saveDisabledReason,
  });

  return (
    <form
      ref={ref}
      className="export-panel"
      aria-labelledby="export-panel-title"
      onSubmit={(event) => {
        event.preventDefault();
        if (saveDisabledReason === undefined) save();
      }}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || event.defaultPrevented) return;
        event.preventDefault();
        onClose();
      }}
    >
      <div className="export-panel-head">
        <h2 id="export-panel-title">{t("narrate.export.title")}</h2>
        <IconButton label={t("frame.close")} isSmall side="left" onClick={onClose}>
          <X aria-hidden />
        </IconButton>
      </div>
      <div className="narrate-panel-body">
        <ExportFields chapterCount={chapterCount} onPick={onPick} pickError={pickError} />
        <a className="export-panel-feed" href="#/server/feed">
          {t("narrate.export.feed")}
        </a>
      </div>
      <div className="export-panel-foot">
        <Button
          type="submit"
          kind="primary"
          isBusy={audiobook.exportProgress !== undefined}
          disabledReason={saveDisabledReason}
        >
          {t("narrate.export.save")}
        </Button>
        <span className="secondary field-help" role="status">
          {audiobook.savedName !== undefined &&
            t("narrate.export.saved", { name: audiobook.savedName })}
        </span>
      </div>
    </form>
  );
}

/** What is exported and how: form values are for every narration, title, author and cover are of this one. */
function ExportFields({
  chapterCount,
  onPick,
  pickError,
}: Omit<ExportPanelProps, "onClose"> & { chapterCount: number }) {
  const { item, open } = useNarration();
  const form = useForm();
  const audiobook = useStore(open.audiobook);
  return (
    <>
      <Select
        label={t("narrate.export.format")}
        value={form.format}
        help={form.format === "epub" ? t("narrate.export.format.epub.help") : undefined}
        onChange={(event) => updateForm({ format: event.currentTarget.value as Form["format"] })}
      >
        {narrationFormats.map((format) => (
          <option key={format} value={format}>
            {t(`narrate.export.format.${format}`)}
          </option>
        ))}
      </Select>
      {form.format !== "epub" && (
        <Select
          label={t("narrate.export.subtitles")}
          value={form.subtitles}
          onChange={(event) =>
            updateForm({ subtitles: event.currentTarget.value as Form["subtitles"] })
          }
        >
          {(["none", "srt", "vtt"] as const).map((kind) => (
            <option key={kind} value={kind}>
              {t(`narrate.export.subtitles.${kind}`)}
            </option>
          ))}
        </Select>
      )}
      <TextField
        label={t("narrate.title")}
        maxLength={300}
        placeholder={item.title}
        value={audiobook.title ?? item.title}
        onChange={({ currentTarget: { value } }) =>
          open.audiobook.setTitle(value === item.title ? undefined : value)
        }
      />
      <TextField
        label={t("narrate.export.author")}
        maxLength={200}
        value={audiobook.author}
        onChange={(event) => open.audiobook.setAuthor(event.currentTarget.value)}
      />
      <Cover
        isSupported={formatsWithCover.includes(form.format)}
        onPick={onPick}
        error={pickError}
      />
      <Checkbox
        label={t("narrate.export.normalise")}
        help={t("narrate.export.normalise.help")}
        checked={form.normalise}
        onChange={(event) => updateForm({ normalise: event.currentTarget.checked })}
      />
      {chapterCount > 1 && form.format !== "epub" && (
        <Checkbox
          label={t("narrate.export.per-chapter", { count: chapterCount })}
          checked={form.perChapter}
          onChange={(event) => updateForm({ perChapter: event.currentTarget.checked })}
        />
      )}
    </>
  );
}

function Cover({
  isSupported,
  onPick,
  error,
}: {
  isSupported: boolean;
  onPick: () => void;
  error: string | undefined;
}) {
  const { open } = useNarration();
  const cover = useStore(open.audiobook, (audiobook) => audiobook.cover);
  const [removalStep, setRemovalStep] = useState<UndoStep>();
  const canUndoRemoval = useCanUndo(removalStep);
  const { isBusy, run } = useTask();
  const remove = (): void =>
    void run(async () =>
      setRemovalStep(await open.audiobook.setCover(undefined, t("narrate.export.cover.remove"))),
    );
  const restoreCover = (): void => void useUndo.getState().undo(removalStep);
  return (
    <div className="field" role="group" aria-label={t("narrate.export.cover.name")}>
      <div className="export-panel-cover">
        {cover !== undefined && <img src={cover} alt={t("narrate.export.cover.name")} />}
        <Button isSmall icon={<ImagePlus aria-hidden />} onClick={onPick}>
          {t("narrate.export.cover")}
        </Button>
        {/* One button for removing and undoing, so that it keeps the focus. */}
        {(cover !== undefined || canUndoRemoval || isBusy) && (
          <IconButton
            label={cover === undefined ? t("frame.undo") : t("narrate.export.cover.remove")}
            isSmall
            isBusy={isBusy}
            onClick={cover === undefined ? restoreCover : remove}
          >
            {cover === undefined ? <Undo2 aria-hidden /> : <X aria-hidden />}
          </IconButton>
        )}
        {cover !== undefined && (
          <RegisterAction
            id="narrate.cover.remove"
            title={t("narrate.export.cover.remove")}
            run={remove}
          />
        )}
      </div>
      {!isSupported && <span className="field-help">{t("narrate.export.cover.none")}</span>}
      {error !== undefined && (
        <span className="field-error" role="alert">
          {error}
        </span>
      )}
    </div>
  );
}
