// A narration as a file, or one for each chapter: format, subtitles, loudness, title, author and cover. Takes the place
// of the right panel. How far a file is stands below the title of the page, as all work does.

import "./export-panel.css";
import { ImagePlus, Undo2, X } from "lucide-react";
import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { create, useStore } from "zustand";
import { narrationFormats, type NarrationExport } from "../../../../main/contract/studio.ts";
import { t } from "../../../messages/messages.ts";
import { Registered, useAction } from "../../../stores/actions.ts";
import { useTask } from "../../../stores/task.ts";
import { type UndoStep, useCanUndo, useUndo } from "../../../stores/undo.ts";
import { Button, IconButton } from "../../../ui/button.tsx";
import { Checkbox, Select, TextField } from "../../../ui/field.tsx";
import { isMade } from "../script/sentence-news.ts";
import { useNarration, useScript } from "../use-narration.ts";

type Form = Required<Pick<NarrationExport, "format" | "perChapter" | "normalise" | "subtitles">>;

/** As it was set last, for the next narration, too. */
const useForm = create<Form>(() => ({
  format: "m4b",
  perChapter: false,
  normalise: true,
  subtitles: "none",
}));
const change = (patch: Partial<Form>): void => useForm.setState(patch);
/** Containers that take a picture. */
const withCover: readonly NarrationExport["format"][] = ["mp3", "m4b", "flac"];

type ExportPanelProps = {
  /** Lets the person choose a picture. */ onPick: () => void;
  pickError: string | undefined;
  onClose: () => void;
};

export function ExportPanel({ onPick, pickError, onClose }: ExportPanelProps) {
  const { item, open } = useNarration();
  const chapters = useScript(
    (state) => state.sentences.filter(({ chapter }) => chapter !== undefined).length,
  );
  const unmade = useScript(
    (state) => state.sentences.filter((sentence) => !isMade(sentence)).length,
  );
  const isEmpty = useScript((state) => state.sentences.length === 0);
  const form = useForm();
  const file = useStore(open.file);
  const ref = useRef<HTMLFormElement>(null);
  useEffect(() => void open.file.load(), [open]);
  // Before the next key is pressed: it belongs in here.
  useLayoutEffect(() => ref.current?.querySelector("select")?.focus(), []);
  const noSave = isEmpty
    ? t("narrate.nothing")
    : unmade > 0
      ? t("narrate.export.unmade", { count: unmade })
      : undefined;
  const save = (): void =>
    void open.file.make({ ...form, perChapter: form.perChapter && chapters > 1 });
  useAction({
    id: "narrate.export.save",
    title: t("narrate.export.save"),
    run: save,
    disabledReason: noSave,
  });

  return (
    <form
      ref={ref}
      className="export-panel"
      aria-labelledby="export-panel-title"
      onSubmit={(event) => {
        event.preventDefault();
        if (noSave === undefined) save();
      }}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || event.defaultPrevented) return;
        event.preventDefault();
        onClose();
      }}
    >
      <div className="export-panel-head">
        <h2 id="export-panel-title">{t("narrate.export.title")}</h2>
        <IconButton label={t("shell.close")} isSmall side="left" onClick={onClose}>
          <X aria-hidden />
        </IconButton>
      </div>
      <div className="narrate-panel-body">
        <Select
          label={t("narrate.export.format")}
          value={form.format}
          onChange={(event) => change({ format: event.currentTarget.value as Form["format"] })}
        >
          {narrationFormats.map((format) => (
            <option key={format} value={format}>
              {t(`narrate.export.format.${format}`)}
            </option>
          ))}
        </Select>
        <Select
          label={t("narrate.export.subtitles")}
          value={form.subtitles}
          onChange={(event) =>
            change({ subtitles: event.currentTarget.value as Form["subtitles"] })
          }
        >
          {(["none", "srt", "vtt"] as const).map((kind) => (
            <option key={kind} value={kind}>
              {t(`narrate.export.subtitles.${kind}`)}
            </option>
          ))}
        </Select>
        <TextField
          label={t("narrate.title")}
          maxLength={300}
          placeholder={item.title}
          value={file.title ?? item.title}
          onChange={({ currentTarget: { value } }) =>
            open.file.setTitle(value === item.title ? undefined : value)
          }
        />
        <TextField
          label={t("narrate.export.author")}
          maxLength={200}
          value={file.author}
          onChange={(event) => open.file.setAuthor(event.currentTarget.value)}
        />
        <Cover isTaken={withCover.includes(form.format)} onPick={onPick} error={pickError} />
        <Checkbox
          label={t("narrate.export.normalise")}
          help={t("narrate.export.normalise.help")}
          checked={form.normalise}
          onChange={(event) => change({ normalise: event.currentTarget.checked })}
        />
        {chapters > 1 && (
          <Checkbox
            label={t("narrate.export.per-chapter", { count: chapters })}
            checked={form.perChapter}
            onChange={(event) => change({ perChapter: event.currentTarget.checked })}
          />
        )}
      </div>
      <div className="export-panel-foot">
        <Button
          type="submit"
          kind="primary"
          isBusy={file.making !== undefined}
          disabledReason={noSave}
        >
          {t("narrate.export.save")}
        </Button>
        <span className="secondary field-help" role="status">
          {file.savedName !== undefined && t("narrate.export.saved", { name: file.savedName })}
        </span>
      </div>
    </form>
  );
}

function Cover({
  isTaken,
  onPick,
  error,
}: {
  isTaken: boolean;
  onPick: () => void;
  error: string | undefined;
}) {
  const { open } = useNarration();
  const cover = useStore(open.file, (file) => file.cover);
  const [removal, setRemoval] = useState<UndoStep>();
  const isUndoable = useCanUndo(removal);
  const { isBusy, run } = useTask();
  const remove = (): void =>
    void run(async () =>
      setRemoval(await open.file.setCover(undefined, t("narrate.export.cover.remove"))),
    );
  const bringBack = (): void => void useUndo.getState().undo(removal);
  return (
    <div className="field" role="group" aria-label={t("narrate.export.cover.name")}>
      <div className="export-panel-cover">
        {cover !== undefined && <img src={cover} alt={t("narrate.export.cover.name")} />}
        <Button isSmall icon={<ImagePlus aria-hidden />} onClick={onPick}>
          {t("narrate.export.cover")}
        </Button>
        {/* One button, so that the focus stays when it takes back what it did. */}
        {(cover !== undefined || isUndoable || isBusy) && (
          <IconButton
            label={cover === undefined ? t("shell.undo") : t("narrate.export.cover.remove")}
            isSmall
            isBusy={isBusy}
            onClick={cover === undefined ? bringBack : remove}
          >
            {cover === undefined ? <Undo2 aria-hidden /> : <X aria-hidden />}
          </IconButton>
        )}
        {cover !== undefined && (
          <Registered
            id="narrate.cover.remove"
            title={t("narrate.export.cover.remove")}
            run={remove}
          />
        )}
      </div>
      {!isTaken && <span className="field-help">{t("narrate.export.cover.none")}</span>}
      {error !== undefined && (
        <span className="field-error" role="alert">
          {error}
        </span>
      )}
    </div>
  );
}
