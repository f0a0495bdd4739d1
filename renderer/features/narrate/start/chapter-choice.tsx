// Which chapters of a book or document become a narration; title pages, imprints and the like are not selected.

import "./chapter-choice.css";
import { useState } from "react";
import {
  type DocumentChapter,
  type ImportedDocument,
  scriptOfChapters,
} from "../../../../main/contract/documents.ts";
import { t } from "../../../messages/messages.ts";
import { Button } from "../../../ui/button.tsx";
import { Checkbox } from "../../../ui/field.tsx";

type ChapterChoiceProps = {
  document: ImportedDocument;
  onChoose: (script: string) => void;
  onCancel: () => void;
};

export function ChapterChoice({ document, onChoose, onCancel }: ChapterChoiceProps) {
  const { chapters = [], script, title } = document;
  const [selected, setSelected] = useState(() => selectText(chapters));
  const toggle = (index: number): void => {
    const changed = new Set(selected);
    if (!changed.delete(index)) changed.add(index);
    setSelected(changed);
  };
  return (
    <div className="page-body">
      <form
        className="chapter-choice"
        aria-labelledby="chapter-choice-title"
        onSubmit={(event) => {
          event.preventDefault();
          onChoose(scriptOfChapters(document, (index) => selected.has(index)));
        }}
      >
        <div className="chapter-choice-head">
          <h2 id="chapter-choice-title">{t("narrate.chapters.title", { title })}</h2>
          <div>
            <Button isSmall kind="quiet" onClick={() => setSelected(new Set(chapters.keys()))}>
              {t("narrate.chapters.all")}
            </Button>
            <Button isSmall kind="quiet" onClick={() => setSelected(new Set())}>
              {t("narrate.chapters.none")}
            </Button>
          </div>
        </div>
        <ul>
          {chapters.map((chapter, index) => (
            // Chapters are never reordered.
            <li key={index}>
              <Checkbox
                label={titleOf(chapter, script)}
                checked={selected.has(index)}
                onChange={() => toggle(index)}
              />
              <span className="secondary figures">
                {t("narrate.chapters.words", {
                  count: countWords(script.slice(chapter.start, chapters[index + 1]?.start)),
                })}
              </span>
            </li>
          ))}
        </ul>
        <div className="chapter-choice-foot">
          <Button onClick={onCancel}>{t("frame.cancel")}</Button>
          <Button
            kind="primary"
            type="submit"
            disabledReason={selected.size === 0 ? t("narrate.chapters.nothing") : undefined}
          >
            {t("narrate.chapters.import", { count: selected.size })}
          </Button>
        </div>
      </form>
    </div>
  );
}

/** All of them if nothing else is there. */
function selectText(chapters: readonly DocumentChapter[]): ReadonlySet<number> {
  const text = chapters.flatMap(({ isText }, index) => (isText ? [index] : []));
  return new Set(text.length > 0 ? text : chapters.keys());
}

const maxOpeningCharacters = 60;

/** The first words of what has no title. */
function titleOf({ title, start }: DocumentChapter, script: string): string {
  if (title !== "") return title;
  const opening = script.slice(start, start + maxOpeningCharacters).replace(/\s+/g, " ");
  return t("narrate.chapters.untitled", { opening });
}

const countWords = (text: string): number => text.match(/\S+/g)?.length ?? 0;
