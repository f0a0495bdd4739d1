// Find and replace in the open transcript: matches are highlighted, visited, and replaced one by one or all at once.

import { ArrowDown, ArrowUp, CaseSensitive, WholeWord } from "lucide-react";
import { useDeferredValue, useEffect, useMemo, useState, type KeyboardEvent } from "react";
import type { DocumentSegment } from "../../../../main/contract/transcript-document.ts";
import { t } from "../../../messages/messages.ts";
import { Button, IconButton } from "../../../ui/button.tsx";
import { TextField } from "../../../ui/field.tsx";
import { replaceMatches } from "../document/edits.ts";
import { findMatches, type Match } from "../document/find.ts";
import { ClosePanelButton } from "./close-panel-button.tsx";
import { PanelSection } from "./panel-section.tsx";
import { useDocument, useTranscript } from "./use-transcript.ts";

type FindOptions = { isCaseSensitive: boolean; isWholeWords: boolean };

const noMarks: ReadonlyMap<number, readonly Match[]> = new Map();

export function FindPanel() {
  const { open, actions } = useTranscript();
  const segments = useDocument((state) => state.segments);
  const [query, setQuery] = useState("");
  const [replacement, setReplacement] = useState("");
  const [options, setOptions] = useState<FindOptions>({
    isCaseSensitive: false,
    isWholeWords: false,
  });
  const { matches, index, current, step } = useMatches(segments, query, options);
  const replace = (targets: readonly Match[]): void =>
    open.store.edit(t("transcribe.undo.replace"), replaceMatches(segments, targets, replacement));
  const noMatchReason =
    matches.length === 0
      ? query.trim() === ""
        ? t("transcribe.find.no-query")
        : t("transcribe.find.none")
      : undefined;

  function onKeyDown(event: KeyboardEvent): void {
    if (event.key !== "Enter" || !(event.target instanceof HTMLInputElement)) return;
    step(event.shiftKey ? -1 : 1);
    event.preventDefault();
  }

  return (
    <PanelSection
      label={t("transcribe.find")}
      onClose={() => actions.showPanel(undefined)}
      onKeyDown={onKeyDown}
    >
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
        <OptionToggles options={options} onChange={setOptions} />
        <span className="panel-count figures" role="status">
          {query.trim() === ""
            ? ""
            : t("transcribe.find.count", { at: index + 1, count: matches.length })}
        </span>
        <StepButtons disabledReason={noMatchReason} onStep={step} />
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
        <ClosePanelButton onClick={() => actions.showPanel(undefined)} />
      </div>
    </PanelSection>
  );
}

/** The matches of a query and the chosen one, which are highlighted; the chosen one is scrolled into view. */
function useMatches(segments: readonly DocumentSegment[], query: string, options: FindOptions) {
  const { open, actions } = useTranscript();
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
  return { matches, index, current, step };
}

function OptionToggles({
  options,
  onChange,
}: {
  options: FindOptions;
  onChange: (options: FindOptions) => void;
}) {
  return (
    <>
      <IconButton
        label={t("transcribe.find.case")}
        isSmall
        aria-pressed={options.isCaseSensitive}
        onClick={() => onChange({ ...options, isCaseSensitive: !options.isCaseSensitive })}
      >
        <CaseSensitive aria-hidden />
      </IconButton>
      <IconButton
        label={t("transcribe.find.whole")}
        isSmall
        aria-pressed={options.isWholeWords}
        onClick={() => onChange({ ...options, isWholeWords: !options.isWholeWords })}
      >
        <WholeWord aria-hidden />
      </IconButton>
    </>
  );
}

function StepButtons({
  disabledReason,
  onStep,
}: {
  disabledReason: string | undefined;
  onStep: (offset: number) => void;
}) {
  return (
    <>
      <IconButton
        label={t("transcribe.find.previous")}
        isSmall
        disabledReason={disabledReason}
        onClick={() => onStep(-1)}
      >
        <ArrowUp aria-hidden />
      </IconButton>
      <IconButton
        label={t("transcribe.find.next")}
        isSmall
        disabledReason={disabledReason}
        onClick={() => onStep(1)}
      >
        <ArrowDown aria-hidden />
      </IconButton>
    </>
  );
}
