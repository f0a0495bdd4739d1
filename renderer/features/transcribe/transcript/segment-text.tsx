// A segment's text, for reading or editing: always one text node, no elements for words.

import { useEffect, useLayoutEffect, useRef, type KeyboardEvent, type MouseEvent } from "react";
import type { DocumentSegment } from "../../../../main/contract/transcript-document.ts";
import { t } from "../../../messages/messages.ts";
import { formatTime } from "../../../messages/format.ts";
import { setCaret, caretOffset, textOffsetAtPoint, selectionRangeIn } from "./caret.ts";
import { useTranscript } from "./use-transcript.ts";

/** Registers the text for highlights while it is mounted. */
function useHighlightedRow(segment: DocumentSegment) {
  const { highlights } = useTranscript().open;
  const element = useRef<HTMLParagraphElement & HTMLDivElement>(null);
  const { id, text } = segment;
  useEffect(() => {
    if (element.current !== null) highlights.addRow(id, element.current);
  }, [highlights, id, text]);
  useEffect(() => () => highlights.removeRow(id), [highlights, id]);
  return element;
}

type ReadTextProps = { segment: DocumentSegment; onSeek: (offset: number) => void };

/** A click seeks to the word, a double click edits the text with the word selected. */
export function ReadText({ segment, onSeek }: ReadTextProps) {
  const { actions } = useTranscript();
  const element = useHighlightedRow(segment);
  const offsetAtPointer = (event: MouseEvent): number =>
    element.current === null ? 0 : textOffsetAtPoint(element.current, event.clientX, event.clientY);
  return (
    // Keyboard equivalents on the row: Enter edits, the space bar plays.
    <p
      ref={element}
      className="segment-text"
      onClick={(event) => {
        if (getSelection()?.isCollapsed !== false) onSeek(offsetAtPointer(event));
      }}
      onDoubleClick={(event) => {
        const word = selectionRangeIn(event.currentTarget);
        actions.edit(segment.id, word?.start ?? offsetAtPointer(event), word?.end);
      }}
    >
      {segment.text}
    </p>
  );
}

/** Keys for editing a text. */
export const editingHint = (): string =>
  t("transcribe.hint.editing", { mod: navigator.platform.startsWith("Mac") ? "⌘" : "Ctrl" });

export function EditText({
  segment,
  start,
  end,
}: {
  segment: DocumentSegment;
  start: number;
  end: number;
}) {
  const { actions, open } = useTranscript();
  const element = useHighlightedRow(segment);
  useLayoutEffect(() => {
    const text = element.current;
    if (text === null) return;
    text.textContent = segment.text;
    text.focus({ preventScroll: true });
    setCaret(text, start, end);
    // Only when it opens; later typing is in the element already.
  }, [segment.id, start, end]);
  useEffect(() => {
    const text = element.current;
    // Changed from outside: undo, or a correction of all occurrences.
    if (text === null || text.textContent === segment.text) return;
    const at = caretOffset(text);
    text.textContent = segment.text;
    open.highlights.addRow(segment.id, text);
    if (document.activeElement === text) setCaret(text, Math.min(at, segment.text.length));
  });

  useEffect(() => {
    const updateCaret = (): void => {
      const text = element.current;
      if (text !== null && document.activeElement === text)
        open.view.setState({ caret: { id: segment.id, offset: caretOffset(text) } });
    };
    document.addEventListener("selectionchange", updateCaret);
    return () => document.removeEventListener("selectionchange", updateCaret);
  }, [open, element, segment.id]);

  function onKeyDown(event: KeyboardEvent<HTMLDivElement>): void {
    const text = event.currentTarget;
    const at = caretOffset(text);
    const isCollapsed = getSelection()?.isCollapsed !== false;
    const isCommand = event.metaKey || event.ctrlKey;
    const handleKey = (run: () => void): void => {
      event.preventDefault();
      run();
    };
    event.stopPropagation();
    if (event.key === "Enter" && isCommand) handleKey(() => actions.split(segment.id, at));
    else if (event.key === "Enter" || event.key === "Escape")
      handleKey(() => open.view.setState({ editing: undefined, shouldFocus: true }));
    else if (event.key === "Backspace" && isCollapsed && at === 0)
      handleKey(() => actions.mergeWithPrevious(segment.id));
    else if (event.key === "Delete" && isCollapsed && at === segment.text.length)
      handleKey(() => actions.mergeWithNext(segment.id));
    else if (isCommand && event.key.toLowerCase() === "z")
      handleKey(() => (event.shiftKey ? open.store.redo() : open.store.undo()));
    else if (isCommand && event.key.toLowerCase() === "y") handleKey(() => open.store.redo());
  }

  return (
    <div
      ref={element}
      className="segment-text segment-text-open"
      role="textbox"
      tabIndex={0}
      aria-multiline="true"
      aria-description={editingHint()}
      aria-label={t("transcribe.segment.edit", { time: formatTime(segment.startSec) })}
      contentEditable="plaintext-only"
      suppressContentEditableWarning
      spellCheck
      lang={segment.language.length === 2 ? segment.language : undefined}
      onInput={(event) =>
        actions.updateText(
          segment.id,
          (event.currentTarget.textContent ?? "").replaceAll(/\s*\n\s*/g, " "),
        )
      }
      onBlur={() => {
        if (open.view.getState().editing?.id === segment.id) actions.finishEditing();
      }}
      onKeyDown={onKeyDown}
    />
  );
}
