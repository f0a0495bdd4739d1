// Walks through the words that were probably misheard, the most doubtful first: hear it, leave it, correct it here or
// wherever the same mistake was made.

import "./panels.css";
import { Check, Play, X } from "lucide-react";
import { useEffect, useMemo, useState, type FormEvent } from "react";
import type { DocumentSegment } from "../../../../main/contract/studio.ts";
import { t } from "../../../messages/messages.ts";
import { Button, IconButton } from "../../../ui/button.tsx";
import { Checkbox, TextField } from "../../../ui/field.tsx";
import { type DoubtfulWord, doubtfulWords, sameMistakes } from "../document/doubtful.ts";
import { confirmWords, replaceMatches } from "../document/edits.ts";
import { likeWritten, type Match } from "../document/find.ts";
import type { Mark } from "./highlights.ts";
import { useDocument, useTranscript } from "./use-transcript.ts";

/** Heard a little before the word, so that one knows where one is. */
const leadSec = 1.5;
const none: ReadonlyMap<number, readonly Mark[]> = new Map();

export function DoubtsPanel() {
  const { open, actions } = useTranscript();
  const segments = useDocument((state) => state.segments);
  const words = useMemo(() => doubtfulWords(segments), [segments]);
  const [skipped, setSkipped] = useState<ReadonlySet<string>>(new Set());
  const left = words.filter((word) => !skipped.has(word.key));
  const word = left[0];
  const place = word?.places.reduce((worst, other) =>
    other.probability < worst.probability ? other : worst,
  );

  const segmentId = place?.segmentId;
  const key = word?.key;
  useEffect(() => {
    open.highlights.mark(
      "chosen",
      word === undefined ? none : Map.groupBy(word.places, (each) => each.segmentId),
    );
    return () => open.highlights.mark("chosen", none);
  }, [open, word]);
  useEffect(() => {
    if (segmentId !== undefined) actions.reveal(segmentId);
  }, [actions, segmentId, key]);

  return (
    <section
      className="panel"
      aria-label={t("transcribe.doubts")}
      onKeyDown={(event) => event.key === "Escape" && actions.show(undefined)}
    >
      <div className="panel-tools">
        <span className="panel-count figures" role="status">
          {left.length === 0 && skipped.size > 0
            ? t("transcribe.doubts.skipped", { count: skipped.size })
            : t("transcribe.doubts.left", { count: left.length })}
        </span>
        {left.length === 0 && skipped.size > 0 && (
          <Button isSmall onClick={() => setSkipped(new Set())}>
            {t("transcribe.doubts.again")}
          </Button>
        )}
        <IconButton
          label={t("transcribe.panel.close")}
          isSmall
          onClick={() => actions.show(undefined)}
        >
          <X aria-hidden />
        </IconButton>
      </div>
      {word !== undefined && place !== undefined && (
        <Doubt
          key={word.key}
          word={word}
          place={place}
          segments={segments}
          onSkip={() => setSkipped(new Set(skipped).add(word.key))}
        />
      )}
    </section>
  );
}

type DoubtProps = {
  word: DoubtfulWord;
  place: DoubtfulWord["places"][number];
  segments: readonly DocumentSegment[];
  onSkip: () => void;
};

function Doubt({ word, place, segments, onSkip }: DoubtProps) {
  const { item, open, actions } = useTranscript();
  const [text, setText] = useState(word.text);
  const [ticked, setTicked] = useState<ReadonlySet<string>>(new Set());
  const segment = segments.find((each) => each.id === place.segmentId);
  const isChanged = text.trim() !== word.text;
  const same = useMemo(
    () => sameMistakes(segments, word.text, isChanged ? text : ""),
    [segments, word.text, isChanged, text],
  );
  const alike = same.filter((other) => other.isAlike);
  const everywhere = same
    .filter((other) => !other.isAlike || ticked.has(other.text))
    .flatMap((other) => other.matches);

  const replace = (matches: readonly Match[]): void =>
    open.store.edit(
      t("transcribe.undo.correct"),
      replaceMatches(segments, matches, (found) => likeWritten(found, word.text, text.trim())),
    );
  const confirm = (): void =>
    open.store.edit(t("transcribe.undo.confirm"), confirmWords(segments, word.places));
  const listen = (): void => actions.playFrom(Math.max(0, place.startSec - leadSec));
  const unchanged = isChanged ? undefined : t("transcribe.doubts.unchanged");

  function submit(event: FormEvent): void {
    event.preventDefault();
    if (isChanged) replace(everywhere);
    else confirm();
  }

  return (
    <form className="panel-doubt" onSubmit={submit}>
      {segment !== undefined && (
        <p className="panel-text">
          {segment.text.slice(0, place.start)}
          <mark>{segment.text.slice(place.start, place.end)}</mark>
          {segment.text.slice(place.end)}
        </p>
      )}
      <div className="panel-tools">
        <div className="panel-word">
          <TextField
            label={t("transcribe.doubts.word")}
            isLabelUnseen
            autoFocus
            value={text}
            onFocus={(event) => event.currentTarget.select()}
            onChange={(event) => setText(event.currentTarget.value)}
          />
        </div>
        <IconButton
          label={t("transcribe.doubts.listen")}
          disabledReason={item.hasMedia ? undefined : t("transcribe.no-sound")}
          onClick={listen}
        >
          <Play aria-hidden />
        </IconButton>
        <Button
          kind={isChanged ? "secondary" : "primary"}
          icon={<Check aria-hidden />}
          onClick={confirm}
        >
          {t("transcribe.doubts.right")}
        </Button>
        {everywhere.length > 1 && (
          <Button disabledReason={unchanged} onClick={() => replace([place])}>
            {t("transcribe.doubts.here")}
          </Button>
        )}
        <Button type="submit" kind={isChanged ? "primary" : "secondary"} disabledReason={unchanged}>
          {t("transcribe.doubts.everywhere", { count: everywhere.length })}
        </Button>
        <Button kind="quiet" onClick={onSkip}>
          {t("transcribe.doubts.skip")}
        </Button>
      </div>
      {isChanged && alike.length > 0 && (
        <div className="panel-alike">
          {alike.map((other) => (
            <Checkbox
              key={other.text}
              label={t("transcribe.doubts.alike", {
                word: other.text,
                count: other.matches.length,
              })}
              checked={ticked.has(other.text)}
              onChange={(event) =>
                setTicked(
                  event.currentTarget.checked
                    ? new Set(ticked).add(other.text)
                    : new Set([...ticked].filter((each) => each !== other.text)),
                )
              }
            />
          ))}
        </div>
      )}
    </form>
  );
}
