// The vocabulary with its pronunciations for all narrations: a word and how to say it. Each can be played.

import { Plus, Trash2, Volume2 } from "lucide-react";
import { useEffect, useLayoutEffect, useRef } from "react";
import { useStore } from "zustand";
import { synthesizeSpeech } from "../../../api/speech.ts";
import { t } from "../../../messages/messages.ts";
import { vocabulary } from "../../../stores/vocabulary.ts";
import type { WordRow } from "../../../stores/vocabulary-store.ts";
import { useTask } from "../../../stores/task.ts";
import { Button, IconButton } from "../../../ui/button.tsx";
import { TextField } from "../../../ui/field.tsx";
import { Notice } from "../../../ui/notice.tsx";
import { playClip } from "../playing/clip.ts";
import { useScript } from "../use-narration.ts";
import { UnknownWords } from "./unknown-words.tsx";

/** Adds a row at the top. @returns its key */
export const addWord = (word?: string): number => vocabulary.add(word);

type PronunciationsTabProps = {
  /** The row to focus; `onFocused` resets it. */
  addedKey: number | undefined;
  onAdd: (word?: string) => void;
  onFocused: () => void;
};

export function PronunciationsTab({ addedKey, onAdd, onFocused }: PronunciationsTabProps) {
  const { rows, isLoaded, isSaving, error } = useStore(vocabulary);
  useEffect(() => {
    void vocabulary.load();
    // Saves the last change when the tab closes.
    return () => void vocabulary.save();
  }, []);
  return (
    <>
      <p className="field-help">{t("narrate.words.about")}</p>
      {error !== undefined && <Notice tone="bad">{error}</Notice>}
      <div>
        <Button
          isSmall
          icon={<Plus aria-hidden />}
          disabledReason={isLoaded ? undefined : t("narrate.words.loading")}
          onClick={() => onAdd()}
        >
          {t("narrate.words.add")}
        </Button>{" "}
        <span className="secondary field-help" role="status">
          {isSaving ? t("narrate.words.saving") : ""}
        </span>
      </div>
      <ul className="narrate-words" aria-label={t("narrate.panel.words")}>
        {rows.map((row) => (
          <Row key={row.key} row={row} isNew={row.key === addedKey} onFocused={onFocused} />
        ))}
      </ul>
      <UnknownWords
        entries={rows}
        disabledReason={isLoaded ? undefined : t("narrate.words.loading")}
        onSet={onAdd}
      />
    </>
  );
}

function Row({ row, isNew, onFocused }: { row: WordRow; isNew: boolean; onFocused: () => void }) {
  const word = useRef<HTMLInputElement>(null);
  const says = useRef<HTMLInputElement>(null);
  // In a layout effect: the next key press must already reach the field.
  useLayoutEffect(() => {
    if (!isNew) return;
    (word.current?.value === "" ? word : says).current?.focus();
    onFocused();
  }, [isNew, onFocused]);
  const options = useScript((state) => state.options);
  const task = useTask();
  const phonemes = /^\/(.+)\/$/.exec(row.says.trim())?.[1];
  const spokenText = phonemes === undefined ? row.says : `[${row.word}](/${phonemes}/)`;
  const playWord = (): void =>
    void task.run(async (signal) => {
      const objectUrl = URL.createObjectURL(
        await synthesizeSpeech(spokenText, { model: options.model, voice: options.voice }, signal),
      );
      await playClip(objectUrl, `word ${row.key}`);
    });
  return (
    <li>
      <div className="narrate-word">
        <TextField
          ref={word}
          label={t("narrate.words.word")}
          isLabelHidden
          placeholder={t("narrate.words.word")}
          maxLength={60}
          value={row.word}
          onChange={(event) => vocabulary.change(row.key, { word: event.currentTarget.value })}
        />
        <TextField
          ref={says}
          label={t("narrate.words.says")}
          isLabelHidden
          placeholder={t("narrate.words.says")}
          maxLength={200}
          value={row.says}
          onChange={(event) => vocabulary.change(row.key, { says: event.currentTarget.value })}
        />
        <IconButton
          label={t("narrate.words.play", { word: row.word })}
          isSmall
          isBusy={task.isBusy}
          disabledReason={row.says.trim() === "" ? t("narrate.words.nothing") : undefined}
          onClick={playWord}
        >
          <Volume2 aria-hidden />
        </IconButton>
        <IconButton
          label={t("narrate.words.remove", { word: row.word })}
          isSmall
          onClick={() => vocabulary.remove(row.key)}
        >
          <Trash2 aria-hidden />
        </IconButton>
      </div>
      {task.error !== undefined && <Notice tone="bad">{task.error}</Notice>}
    </li>
  );
}
