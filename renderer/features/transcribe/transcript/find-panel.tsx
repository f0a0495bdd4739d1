// Find and replace in the open transcript: matches are highlighted, visited, and replaced one by one or all at once.

import "./panels.css";
import { ArrowDown, ArrowUp, CaseSensitive, WholeWord, X } from "lucide-react";
import { useDeferredValue, useEffect, useMemo, useState, type KeyboardEvent } from "react";
import { t } from "../../../messages/messages.ts";
import { Button, IconButton } from "../../../ui/button.tsx";
import { TextField } from "../../../ui/field.tsx";
import { replaceMatches } from "../document/edits.ts";
import { findMatches, type Match } from "../document/find.ts";
import { useDocument, useTranscript } from "./use-transcript.ts";

const noMarks: ReadonlyMap<number, readonly Match[]> = new Map();

export function FindPanel() {
  const { open, actions } = useTranscript();
  const segments = useDocument((state) => state.segments);
  const [query, setQuery] = useState("");
  const [replacement, setReplacement] = useState("");
  const [options, setOptions] = useState({ isCaseSensitive: false, isWholeWords: false });
  const [at, setAt] = useState(0);
  const deferredQuery = useDeferredValue(query);
  const matches = useMemo(
    () => findMatches(segments, deferredQuery, options),
    [segments, deferredQuery, options],
  );
  const index = Math.min(at, matches.length - 1);
  const current = matches[index];

  useEffect(() => {
    open.highlights.mark(
      "found",
      Map.groupBy(matches, (match) => match.segmentId),
    );
    open.highlights.mark(
      "chosen",
      current === undefined ? noMarks : new Map([[current.segmentId, [current]]]),
    );
  }, [open, matches, current]);
  useEffect(
    () => () => {
      open.highlights.mark("found", noMarks);
      open.highlights.mark("chosen", noMarks);
    },
    [open],
  );
  useEffect(() => {
    // Only scrolls the list; the field keeps the focus.
    if (current !== undefined) actions.reveal(current.segmentId);
  }, [actions, current]);

  const step = (offset: number): void =>
    setAt(matches.length === 0 ? 0 : (index + offset + matches.length) % matches.length);
  const replace = (targets: readonly Match[]): void =>
    open.store.edit(t("transcribe.undo.replace"), replaceMatches(segments, targets, replacement));
  const noMatchReason =
    matches.length === 0
      ? query.trim() === ""
        ? t("transcribe.find.no-query")
        : t("transcribe.find.none")
      : undefined;

  function onKeyDown(event: KeyboardEvent): void {
    if (event.key === "Escape") actions.showPanel(undefined);
    else if (event.key === "Enter" && event.target instanceof HTMLInputElement)
      step(event.shiftKey ? -1 : 1);
    else return;
    event.preventDefault();
  }

  return (
    <section className="panel" aria-label={t("transcribe.find")} onKeyDown={onKeyDown}>
      <div className="panel-fields">
        <TextField
          label={t("transcribe.find.what")}
          isLabelHidden
          placeholder={t("transcribe.find.what")}
          autoFocus
          value={query}
          onChange={(event) => setQuery(event.currentTarget.value)}
        />
        <TextField
          label={t("transcribe.find.by")}
          isLabelHidden
          placeholder={t("transcribe.find.by")}
          value={replacement}
          onChange={(event) => setReplacement(event.currentTarget.value)}
        />
      </div>
      <div className="panel-tools">
        <IconButton
          label={t("transcribe.find.case")}
          isSmall
          aria-pressed={options.isCaseSensitive}
          onClick={() => setOptions({ ...options, isCaseSensitive: !options.isCaseSensitive })}
        >
          <CaseSensitive aria-hidden />
        </IconButton>
        <IconButton
          label={t("transcribe.find.whole")}
          isSmall
          aria-pressed={options.isWholeWords}
          onClick={() => setOptions({ ...options, isWholeWords: !options.isWholeWords })}
        >
          <WholeWord aria-hidden />
        </IconButton>
        <span className="panel-count figures" role="status">
          {query.trim() === ""
            ? ""
            : t("transcribe.find.count", { at: index + 1, count: matches.length })}
        </span>
        <IconButton
          label={t("transcribe.find.previous")}
          isSmall
          disabledReason={noMatchReason}
          onClick={() => step(-1)}
        >
          <ArrowUp aria-hidden />
        </IconButton>
        <IconButton
          label={t("transcribe.find.next")}
          isSmall
          disabledReason={noMatchReason}
          onClick={() => step(1)}
        >
          <ArrowDown aria-hidden />
        </IconButton>
        <Button
          isSmall
          disabledReason={noMatchReason}
          onClick={() => current && replace([current])}
        >
          {t("transcribe.find.replace")}
        </Button>
        <Button isSmall disabledReason={noMatchReason} onClick={() => replace(matches)}>
          {t("transcribe.find.replace-all", { count: matches.length })}
        </Button>
        <IconButton
          label={t("transcribe.panel.close")}
          isSmall
          onClick={() => actions.showPanel(undefined)}
        >
          <X aria-hidden />
        </IconButton>
      </div>
    </section>
  );
}
