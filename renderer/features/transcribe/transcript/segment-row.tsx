// One segment in the list: time in the margin, text, actions.

import {
  Ellipsis,
  Merge,
  Pencil,
  Play,
  RotateCcw,
  Split,
  Trash2,
  Undo2,
  UserRound,
  UserRoundPlus,
} from "lucide-react";
import { memo, useLayoutEffect, useRef, useState, type KeyboardEvent } from "react";
import type { DocumentSegment } from "../../../../main/contract/transcript-document.ts";
import type { WordRange } from "../../../../main/contract/word-positions.ts";
import { formatTime } from "../../../messages/format.ts";
import { t } from "../../../messages/messages.ts";
import { IconButton } from "../../../ui/button.tsx";
import { Menu, type MenuItem } from "../../../ui/menu.tsx";
import { canSplit } from "../document/edits.ts";
import { seekPositionSec } from "../document/segment-at-time.ts";
import { wordAtOffset } from "../document/segments.ts";
import { LearnWord, useCorrection } from "./learn-word.tsx";
import { SegmentNotes } from "./segment-notes.tsx";
import { EditText, ReadText } from "./segment-text.tsx";
import { useTranscript, useView } from "./use-transcript.ts";

type SegmentRowProps = {
  segment: DocumentSegment;
  isFirst: boolean;
  isLast: boolean;
  /** Start of the next segment; its notes are from before. */
  nextStartSec: number;
  /** 1 to 6, if another speaker begins here. */
  speakerHue: number | undefined;
};

export const SegmentRow = memo(function SegmentRow({
  segment,
  isFirst,
  isLast,
  nextStartSec,
  speakerHue,
}: SegmentRowProps) {
  const { item, open, actions } = useTranscript();
  const { id, startSec } = segment;
  const editing = useView((view) => (view.editing?.id === id ? view.editing : undefined));
  const isFocused = useView(
    (view) => view.focusedId === id || (view.focusedId === undefined && isFirst),
  );
  const shouldFocus = useView(
    (view) => view.focusedId === id && view.shouldFocus && view.editing === undefined,
  );
  const isPlaying = useView((view) => view.playingSegmentId === id);
  const { correction, dismiss } = useCorrection(segment.text, editing?.editSession);
  const row = useRef<HTMLDivElement>(null);
  // Menus are mounted only on hover or focus, because thousands of rows come and go.
  const [isMenuMounted, setMenuMounted] = useState(false);
  useLayoutEffect(() => {
    if (!shouldFocus) return;
    row.current?.focus({ preventScroll: true });
    open.view.setState({ shouldFocus: false });
  }, [shouldFocus, open]);

  function onKeyDown(event: KeyboardEvent): void {
    if (event.target !== row.current || event.metaKey || event.ctrlKey || event.altKey) return;
    const run = {
      ArrowDown: () => actions.move(1),
      ArrowUp: () => actions.move(-1),
      PageDown: () => actions.move(10),
      PageUp: () => actions.move(-10),
      Home: () => actions.move(-Infinity),
      End: () => actions.move(Infinity),
      Enter: () => actions.edit(id, 0),
      Delete: () => actions.remove(id),
    }[event.key];
    if (run === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    run();
  }

  return (
    // Everything here can also be done by a button or in the row's menu.
    <div
      ref={row}
      className="segment"
      role="group"
      aria-label={t("transcribe.segment.name", { time: formatTime(startSec) })}
      aria-current={isPlaying || undefined}
      tabIndex={isFocused && editing === undefined ? 0 : -1}
      onKeyDown={onKeyDown}
      onFocus={() => {
        setMenuMounted(true);
        actions.focus(id);
      }}
      onPointerEnter={() => setMenuMounted(true)}
      onPointerLeave={() =>
        setMenuMounted(
          row.current?.contains(document.activeElement) === true ||
            row.current?.querySelector('[data-state="open"]') != null,
        )
      }
      onBlur={(event) => setMenuMounted(event.currentTarget.contains(event.relatedTarget))}
    >
      <SegmentMargin segment={segment} speakerHue={speakerHue} />
      {editing === undefined ? (
        <ReadText segment={segment} onSeek={(offset) => seekTo(wordAtOffset(segment, offset))} />
      ) : (
        <EditText segment={segment} start={editing.offset} end={editing.endOffset} />
      )}
      {isMenuMounted && <SegmentMenu segment={segment} isLast={isLast} isTabStop={isFocused} />}
      {correction !== undefined && (
        <LearnWord correction={correction} language={segment.language} onClose={dismiss} />
      )}
      <SegmentNotes fromSec={isFirst ? 0 : startSec} toSec={nextStartSec} />
    </div>
  );

  function seekTo(word: WordRange | undefined): void {
    actions.focus(id);
    // Where a split would cut.
    open.view.setState({ caret: word && { id, offset: word.start } });
    if (item.hasMedia) actions.seek(seekPositionSec(segment.words[word?.index ?? -1] ?? segment));
  }
});

/** Time, and the speaker where another one begins. */
function SegmentMargin({ segment, speakerHue }: Pick<SegmentRowProps, "segment" | "speakerHue">) {
  const { actions } = useTranscript();
  const { id, startSec } = segment;
  return (
    <div className="segment-margin">
      <button
        type="button"
        className="segment-time figures"
        tabIndex={-1}
        aria-label={t("transcribe.segment.play-from", { time: formatTime(startSec) })}
        onClick={() => actions.playFrom(startSec)}
      >
        {formatTime(startSec)}
      </button>
      {speakerHue !== undefined && (
        <button
          type="button"
          className="speaker-name"
          data-hue={speakerHue}
          title={segment.speaker}
          tabIndex={-1}
          aria-label={t("transcribe.speaker.named", { name: segment.speaker ?? "" })}
          onClick={() => actions.openSpeakerPanel(id)}
        >
          {segment.speaker}
        </button>
      )}
    </div>
  );
}

function SegmentMenu({
  segment,
  isLast,
  isTabStop,
}: {
  segment: DocumentSegment;
  isLast: boolean;
  isTabStop: boolean;
}) {
  const { item, actions } = useTranscript();
  const { id, startSec, endSec } = segment;
  const splitOffset =
    useView((view) => (view.caret?.id === id ? view.caret.offset : undefined)) ?? 0;
  const splitDisabledReason = canSplit(segment, splitOffset)
    ? undefined
    : t("transcribe.segment.no-caret");
  const mergeDisabledReason = isLast ? t("transcribe.segment.is-last") : undefined;
  const noAudioReason = item.hasMedia ? undefined : t("transcribe.no-sound");
  const retranscribe = (): void => actions.retranscribe({ fromSec: startSec, toSec: endSec });
  const items: readonly MenuItem[] = [
    {
      label: t("transcribe.segment.edit-verb"),
      icon: <Pencil aria-hidden />,
      keys: "Enter",
      run: () => actions.edit(id, 0),
    },
    ...segment.words.flatMap(({ heard }, index) =>
      heard === undefined
        ? []
        : [
            {
              label: t("transcribe.segment.as-recognized", { heard }),
              icon: <Undo2 aria-hidden />,
              run: () => actions.writeAsRecognized(id, index),
            },
          ],
    ),
    {
      label: t("transcribe.segment.play"),
      icon: <Play aria-hidden />,
      keys: "p",
      run: () => actions.playFrom(startSec),
      disabledReason: noAudioReason,
    },
    {
      label: t("transcribe.retranscribe.verb"),
      icon: <RotateCcw aria-hidden />,
      keys: "h",
      run: retranscribe,
      disabledReason: noAudioReason,
    },
    {
      label: t("transcribe.speaker.verb"),
      icon: <UserRound aria-hidden />,
      keys: "s",
      run: () => actions.openSpeakerPanel(id),
    },
    {
      label: t("transcribe.speaker.split"),
      icon: <UserRoundPlus aria-hidden />,
      keys: "shift+s",
      run: () => actions.splitSpeaker(id, splitOffset),
      disabledReason:
        segment.speaker === undefined ? t("transcribe.speaker.nobody-yet") : undefined,
    },
    {
      label: t("transcribe.segment.merge"),
      icon: <Merge aria-hidden />,
      keys: "m",
      run: () => actions.mergeWithNext(id),
      disabledReason: mergeDisabledReason,
    },
    {
      label: t("transcribe.segment.split"),
      icon: <Split aria-hidden />,
      keys: "mod+Enter",
      run: () => actions.split(id, splitOffset),
      disabledReason: splitDisabledReason,
    },
    {
      label: t("transcribe.segment.remove"),
      icon: <Trash2 aria-hidden />,
      keys: "Delete",
      run: () => actions.remove(id),
      beginsGroup: true,
    },
  ];
  return (
    <div className="segment-menu">
      <Menu items={items}>
        <IconButton label={t("transcribe.segment.more")} isSmall tabIndex={isTabStop ? 0 : -1}>
          <Ellipsis aria-hidden />
        </IconButton>
      </Menu>
    </div>
  );
}
