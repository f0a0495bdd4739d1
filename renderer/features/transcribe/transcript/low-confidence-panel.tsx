// Reviews low-confidence words, the worst first: play, accept, or correct one occurrence or all.

import { Check, Play } from "lucide-react";
import { useEffect, useMemo, useState, type FormEvent } from "react";
import type { DocumentSegment } from "../../../../main/contract/transcript-document.ts";
import { t } from "../../../messages/messages.ts";
import { Button, IconButton } from "../../../ui/button.tsx";
import { Checkbox, TextField } from "../../../ui/field.tsx";
import {
  type LowConfidenceWord,
  lowConfidenceWords,
  findSimilarErrors,
} from "../document/low-confidence.ts";
import { confirmWords, replaceMatches } from "../document/edits.ts";
import { matchCapitalization, type Match } from "../document/find.ts";
import { ClosePanelButton } from "./close-panel-button.tsx";
import type { Mark } from "./highlights.ts";
import { PanelSection } from "./panel-section.tsx";
import { useDocument, useTranscript } from "./use-transcript.ts";

/** Plays a little before the word, for context. */
const leadInSec = 1.5;
const noMarks: ReadonlyMap<number, readonly Mark[]> = new Map();

export function LowConfidencePanel() {
  const { open, actions } = useTranscript();
  const segments = useDocument((state) => state.segments);
  const words = useMemo(() => lowConfidenceWords(segments), [segments]);
  const [skipped, setSkipped] = useState<ReadonlySet<string>>(new Set());
  const remainingWords = words.filter((word) => !skipped.has(word.key));
  const word = remainingWords[0];
  const occurrence = word?.occurrences.reduce((worst, other) =>
    other.probability < worst.probability ? other : worst,
  );

  const segmentId = occurrence?.segmentId;
  const key = word?.key;
  useEffect(() => {
    open.highlights.mark(
      "chosen",
      word === undefined ? noMarks : Map.groupBy(word.occurrences, (each) => each.segmentId),
    );
    return () => open.highlights.mark("chosen", noMarks);
  }, [open, word]);
  useEffect(() => {
    if (segmentId !== undefined) actions.reveal(segmentId);
  }, [actions, segmentId, key]);

  return (
    <PanelSection
      label={t("transcribe.low-confidence")}
      onClose={() => actions.showPanel(undefined)}
    >
      <div className="panel-tools">
        <span className="panel-count figures" role="status">
          {remainingWords.length === 0 && skipped.size > 0
            ? t("transcribe.low-confidence.skipped", { count: skipped.size })
            : t("transcribe.low-confidence.left", { count: remainingWords.length })}
        </span>
        {remainingWords.length === 0 && skipped.size > 0 && (
          <Button isSmall onClick={() => setSkipped(new Set())}>
            {t("transcribe.low-confidence.restart")}
          </Button>
        )}
        <ClosePanelButton onClick={() => actions.showPanel(undefined)} />
      </div>
      {word !== undefined && occurrence !== undefined && (
        <LowConfidenceWordForm
          key={word.key}
          word={word}
          occurrence={occurrence}
          segments={segments}
          onSkip={() => setSkipped(new Set(skipped).add(word.key))}
        />
      )}
    </PanelSection>
  );
}

type LowConfidenceWordFormProps = {
  word: LowConfidenceWord;
  occurrence: LowConfidenceWord["occurrences"][number];
  segments: readonly DocumentSegment[];
  onSkip: () => void;
};

function LowConfidenceWordForm({ word, occurrence, segments, onSkip }: LowConfidenceWordFormProps) {
  const { item, open, actions } = useTranscript();
  const [text, setText] = useState(word.text);
  const [checkedWords, setCheckedWords] = useState<ReadonlySet<string>>(new Set());
  const segment = segments.find((each) => each.id === occurrence.segmentId);
  const isChanged = text.trim() !== word.text;
  const similarErrors = useMemo(
    () => findSimilarErrors(segments, word.text, isChanged ? text : ""),
    [segments, word.text, isChanged, text],
  );
  const similarWords = similarErrors.filter((other) => other.isSimilar);
  const allMatches = similarErrors
    .filter((other) => !other.isSimilar || checkedWords.has(other.text))
    .flatMap((other) => other.matches);

  const replace = (matches: readonly Match[]): void =>
    open.store.edit(
      t("transcribe.undo.correct"),
      replaceMatches(segments, matches, (match) =>
        matchCapitalization(match, word.text, text.trim()),
      ),
    );
  const confirm = (): void =>
    open.store.edit(t("transcribe.undo.confirm"), confirmWords(segments, word.occurrences));
  const playWord = (): void => actions.playFrom(Math.max(0, occurrence.startSec - leadInSec));
  const unchangedReason = isChanged ? undefined : t("transcribe.low-confidence.unchanged");

  function submit(event: FormEvent): void {
    event.preventDefault();
    if (isChanged) replace(allMatches);
    else confirm();
  }

  return (
    <form className="panel-low-confidence" onSubmit={submit}>
      {segment !== undefined && <WordInContext segment={segment} occurrence={occurrence} />}
      <div className="panel-tools">
        <div className="panel-word">
          <TextField
            label={t("transcribe.low-confidence.word")}
            isLabelHidden
            autoFocus
            value={text}
            onFocus={(event) => event.currentTarget.select()}
            onChange={(event) => setText(event.currentTarget.value)}
          />
        </div>
        <IconButton
          label={t("transcribe.low-confidence.listen")}
          disabledReason={item.hasMedia ? undefined : t("transcribe.no-sound")}
          onClick={playWord}
        >
          <Play aria-hidden />
        </IconButton>
        <Button
          kind={isChanged ? "secondary" : "primary"}
          icon={<Check aria-hidden />}
          onClick={confirm}
        >
          {t("transcribe.low-confidence.right")}
        </Button>
        {allMatches.length > 1 && (
          <Button disabledReason={unchangedReason} onClick={() => replace([occurrence])}>
            {t("transcribe.low-confidence.here")}
          </Button>
        )}
        <Button
          type="submit"
          kind={isChanged ? "primary" : "secondary"}
          disabledReason={unchangedReason}
        >
          {t("transcribe.low-confidence.everywhere", { count: allMatches.length })}
        </Button>
        <Button kind="quiet" onClick={onSkip}>
          {t("transcribe.low-confidence.skip")}
        </Button>
      </div>
      {isChanged && similarWords.length > 0 && (
        <SimilarWords words={similarWords} checked={checkedWords} onChange={setCheckedWords} />
      )}
    </form>
  );
}

function WordInContext({
  segment,
  occurrence,
}: {
  segment: DocumentSegment;
  occurrence: LowConfidenceWordFormProps["occurrence"];
}) {
  return (
    <p className="panel-text">
      {segment.text.slice(0, occurrence.start)}
      <mark>{segment.text.slice(occurrence.start, occurrence.end)}</mark>
      {segment.text.slice(occurrence.end)}
    </p>
  );
}

/** Words with a similar error, which are corrected too if they are checked. */
function SimilarWords({
  words,
  checked,
  onChange,
}: {
  words: ReturnType<typeof findSimilarErrors>;
  checked: ReadonlySet<string>;
  onChange: (checked: ReadonlySet<string>) => void;
}) {
  return (
    <div className="panel-alike">
      {words.map((other) => (
        <Checkbox
          key={other.text}
          label={t("transcribe.low-confidence.alike", {
            word: other.text,
            count: other.matches.length,
          })}
          checked={checked.has(other.text)}
          onChange={(event) =>
            onChange(
              event.currentTarget.checked
                ? new Set(checked).add(other.text)
                : new Set([...checked].filter((each) => each !== other.text)),
            )
          }
        />
      ))}
    </div>
  );
}
