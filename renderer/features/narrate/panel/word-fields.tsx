// A word and how to say it, to edit and to hear.

import { Trash2, Volume2 } from "lucide-react";
import { useLayoutEffect, useRef } from "react";
import type { Pronunciation } from "../../../../main/contract/narration.ts";
import { maxSaysCharacters, maxWordCharacters } from "../../../../main/contract/vocabulary.ts";
import { synthesizeSpeech } from "../../../api/speech.ts";
import { t } from "../../../messages/messages.ts";
import { useTask } from "../../../stores/task.ts";
import { IconButton } from "../../../ui/button.tsx";
import { TextField } from "../../../ui/field.tsx";
import { Notice } from "../../../ui/notice.tsx";
import { playClip } from "../playing/clip.ts";
import { useScript } from "../use-narration.ts";

type WordFieldsProps = {
  /** Of the clip that is played. */
  id: string;
  entry: Pronunciation;
  /** Gets the focus; `onFocused` resets it. */
  isNew: boolean;
  onFocused: () => void;
  onChange: (change: Partial<Pronunciation>) => void;
  onRemove: () => void;
};

export function WordFields({ id, entry, isNew, onFocused, onChange, onRemove }: WordFieldsProps) {
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
  const phonemes = /^\/(.+)\/$/.exec(entry.says.trim())?.[1];
  const spokenText = phonemes === undefined ? entry.says : `[${entry.word}](/${phonemes}/)`;
  const playWord = (): void =>
    void task.run(async (signal) => {
      const objectUrl = URL.createObjectURL(
        await synthesizeSpeech(spokenText, { model: options.model, voice: options.voice }, signal),
      );
      await playClip(objectUrl, `word ${id}`);
    });
  return (
    <li>
      <div className="narrate-word">
        <TextField
          ref={word}
          label={t("narrate.words.word")}
          isLabelHidden
          placeholder={t("narrate.words.word")}
          maxLength={maxWordCharacters}
          value={entry.word}
          onChange={(event) => onChange({ word: event.currentTarget.value })}
        />
        <TextField
          ref={says}
          label={t("narrate.words.says")}
          isLabelHidden
          placeholder={t("narrate.words.says")}
          maxLength={maxSaysCharacters}
          value={entry.says}
          onChange={(event) => onChange({ says: event.currentTarget.value })}
        />
        <IconButton
          label={t("narrate.words.play", { word: entry.word })}
          isSmall
          isBusy={task.isBusy}
          disabledReason={entry.says.trim() === "" ? t("narrate.words.nothing") : undefined}
          onClick={playWord}
        >
          <Volume2 aria-hidden />
        </IconButton>
        <IconButton
          label={t("narrate.words.remove", { word: entry.word })}
          isSmall
          onClick={onRemove}
        >
          <Trash2 aria-hidden />
        </IconButton>
      </div>
      {task.error !== undefined && <Notice tone="bad">{task.error}</Notice>}
    </li>
  );
}
