// Words and how to say them: those of this narration, and the vocabulary for all narrations.

import { Plus } from "lucide-react";
import { useEffect, useState } from "react";
import { useStore } from "zustand";
import { maxPronunciations, type Pronunciation } from "../../../../main/contract/narration.ts";
import { t } from "../../../messages/messages.ts";
import { vocabulary } from "../../../stores/vocabulary.ts";
import { Button } from "../../../ui/button.tsx";
import { Notice } from "../../../ui/notice.tsx";
import { useNarration, useScript } from "../use-narration.ts";
import { UnknownWords } from "./unknown-words.tsx";
import { WordFields } from "./word-fields.tsx";

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
  const own = useScript((state) => state.options.pronunciations) ?? noWords;
  useEffect(() => {
    void vocabulary.load();
    // Saves the last change when the tab closes.
    return () => void vocabulary.save();
  }, []);
  return (
    <>
      <OwnWords words={own} />
      <section className="narrate-word-list" aria-labelledby="all-words">
        <h2 id="all-words">{t("narrate.words.all")}</h2>
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
            <WordFields
              key={row.key}
              id={String(row.key)}
              entry={row}
              isNew={row.key === addedKey}
              onFocused={onFocused}
              onChange={(change) => vocabulary.change(row.key, change)}
              onRemove={() => vocabulary.remove(row.key)}
            />
          ))}
        </ul>
      </section>
      <UnknownWords
        entries={[...rows, ...own]}
        disabledReason={isLoaded ? undefined : t("narrate.words.loading")}
        onSet={onAdd}
      />
    </>
  );
}

const noWords: readonly Pronunciation[] = [];

/** Pronunciations that are stored with the narration. */
function OwnWords({ words }: { words: readonly Pronunciation[] }) {
  const { open } = useNarration();
  const [isFirstNew, setFirstNew] = useState(false);
  const setWords = (pronunciations: Pronunciation[]): void =>
    open.store.setOptions({ ...open.store.getState().options, pronunciations });
  return (
    <section className="narrate-word-list" aria-labelledby="own-words">
      <h2 id="own-words">{t("narrate.words.own")}</h2>
      <p className="field-help">{t("narrate.words.own.about")}</p>
      <div>
        <Button
          isSmall
          icon={<Plus aria-hidden />}
          disabledReason={
            words.length < maxPronunciations
              ? undefined
              : t("narrate.words.own.full", { max: maxPronunciations })
          }
          onClick={() => {
            setWords([{ word: "", says: "" }, ...words]);
            setFirstNew(true);
          }}
        >
          {t("narrate.words.own.add")}
        </Button>
      </div>
      <ul className="narrate-words" aria-labelledby="own-words">
        {words.map((entry, index) => (
          <WordFields
            key={words.length - index}
            id={`own ${words.length - index}`}
            entry={entry}
            isNew={isFirstNew && index === 0}
            onFocused={() => setFirstNew(false)}
            onChange={(change) => setWords(words.with(index, { ...entry, ...change }))}
            onRemove={() => setWords(words.toSpliced(index, 1))}
          />
        ))}
      </ul>
    </section>
  );
}
