// What lies over the script near the visible part: buttons on the initials in the margin and chips over marks. The mark
// with the caret shows its text.

import "./script-marks.css";
import { Timer } from "lucide-react";
import { useLayoutEffect, useState, type KeyboardEvent, type ReactElement } from "react";
import { formatDecimal } from "../../../messages/format.ts";
import { t } from "../../../messages/messages.ts";
import { Popover } from "../../../ui/popover.tsx";
import { findScriptMarks, type ScriptMark, type TextChange } from "../cast/speaker-marks.ts";
import { SpeakerList, type SpeakerChoice } from "../cast/speaker-list.tsx";
import type { Speakers } from "../cast/use-speakers.ts";
import { voiceHue } from "../voices.ts";
import type { Box, Mirror, SpeakerLine } from "./mirror.ts";

type Placed = { readonly mark: ScriptMark; readonly box: Box };
type Layout = { readonly lines: readonly SpeakerLine[]; readonly marks: readonly Placed[] };

type ScriptMarksProps = {
  mirror: () => Mirror | undefined;
  /** Changes whenever the layout may have. */
  layout: unknown;
  script: string;
  caret: number | undefined;
  speakers: Speakers;
  /** Where the list of speakers is open: the margin of a line, or a chip. */
  openAt: string | undefined;
  onOpen: (openAt: string | undefined) => void;
  onSpeaker: (at: number, choice: SpeakerChoice) => void;
  onChange: (change: TextChange) => void;
  onCaret: (at: number) => void;
};

export const marginOf = (start: number): string => `margin ${start}`;

export function ScriptMarks(props: ScriptMarksProps) {
  const { speakers, caret = -1, openAt, onOpen, onSpeaker, onChange, onCaret } = props;
  const { lines, marks } = useMarkLayout(props);
  const caretLine = lines.findLast(({ start }) => start <= caret) ?? lines[0];
  const withList = (key: string, at: number, chosen: string, button: ReactElement): ReactElement =>
    key === openAt ? (
      <Popover
        key={key}
        label={t("narrate.cast.choose")}
        isOpen
        onOpenChange={(isOpen) => onOpen(isOpen ? key : undefined)}
        trigger={button}
      >
        <SpeakerList
          speakers={speakers}
          chosen={chosen}
          onChoose={(choice) => onSpeaker(at, choice)}
        />
      </Popover>
    ) : (
      button
    );
  return (
    <div className="script-marks">
      <div role="group" aria-label={t("narrate.cast.margin")} onKeyDown={moveFocus}>
        {lines.map(({ start, top, voice, speaker }) => {
          const name = speaker ?? speakers.narrator;
          return withList(
            marginOf(start),
            start,
            speaker ?? speakers.narrator,
            <button
              key={marginOf(start)}
              type="button"
              className="script-speaker"
              tabIndex={start === caretLine?.start ? 0 : -1}
              aria-haspopup="dialog"
              aria-label={t("narrate.cast.speaker", {
                name,
                voice: speakers.findVoice(voice).name,
              })}
              style={{ "--at": `${top}px` }}
              onClick={() => onOpen(marginOf(start))}
            />,
          );
        })}
      </div>
      {/* The field has their text for screen readers and the keyboard. */}
      <div aria-hidden>
        {marks
          .filter(({ mark }) => caret < mark.start || caret > mark.end)
          .map(({ mark, box }) =>
            mark.kind === "pause" ? (
              <PauseChip key={mark.start} {...{ mark, box, onChange, onCaret }} />
            ) : mark.kind === "heading" ? (
              <span key={mark.start} className="script-hash" style={placeOf(box)}>
                {"#".repeat(mark.end - mark.start)}
              </span>
            ) : (
              withList(
                `chip ${mark.start}`,
                mark.start,
                mark.name,
                <button
                  key={`chip ${mark.start}`}
                  type="button"
                  tabIndex={-1}
                  className="script-chip"
                  data-hue={voiceHue(speakers.voiceOf(mark.name))}
                  style={placeOf(box)}
                  onClick={() => onOpen(`chip ${mark.start}`)}
                >
                  {speakers.findRole(mark.name)?.name ?? speakers.findVoice(mark.name).name}
                </button>,
              )
            ),
          )}
      </div>
    </div>
  );
}

const placeOf = ({ top, left, width, height }: Box) => ({
  "--at": `${top}px`,
  "--left": `${left}px`,
  "--width": `${width}px`,
  "--height": `${height}px`,
});

/** Positions after each change of text or layout. */
function useMarkLayout({ mirror, layout, script, speakers }: ScriptMarksProps): Layout {
  const [placed, setPlaced] = useState<Layout>({ lines: [], marks: [] });
  const { known } = speakers;
  useLayoutEffect(() => {
    const current = mirror();
    if (current === undefined) return;
    setPlaced({
      lines: current.speakerLines(),
      marks: findScriptMarks(script, known, current.paintedRange()).flatMap((mark) => {
        const box = current.boxOf(mark);
        return box === undefined ? [] : { mark, box };
      }),
    });
  }, [mirror, layout, script, known]);
  return placed;
}

/** Between the buttons in the margin. */
function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step === undefined || !(event.target instanceof HTMLElement)) return;
  const buttons = [...event.currentTarget.querySelectorAll<HTMLElement>(".script-speaker")];
  const at = buttons.indexOf(event.target);
  if (at < 0) return;
  event.preventDefault();
  buttons[at + step]?.focus();
}

const secPerPixel = 0.02;
const maxPauseSec = 60;

/** Dragged sideways for another length; a click puts the caret into it. */
function PauseChip({
  mark,
  box,
  onChange,
  onCaret,
}: Placed & Pick<ScriptMarksProps, "onChange" | "onCaret"> & { mark: { kind: "pause" } }) {
  const [drag, setDrag] = useState<{ fromX: number; sec: number }>();
  const sec = drag?.sec ?? mark.sec;
  const secAt = (clientX: number, fromX: number): number => {
    const next = mark.sec + (clientX - fromX) * secPerPixel;
    return Math.min(maxPauseSec, Math.max(0, Math.round(next * 10) / 10));
  };
  // After a quick drag, the last moves may not have been rendered yet.
  const finish = (finalSec: number): void => {
    setDrag(undefined);
    if (finalSec === mark.sec) onCaret(mark.start + 1);
    else onChange({ start: mark.start, end: mark.end, text: `[pause ${finalSec}s]` });
  };
  return (
    <span
      className="script-chip script-pause"
      title={t("narrate.cast.pause.drag")}
      style={placeOf(box)}
      onPointerDown={(event) => {
        event.preventDefault();
        event.currentTarget.setPointerCapture(event.pointerId);
        setDrag({ fromX: event.clientX, sec: mark.sec });
      }}
      onPointerMove={({ clientX }) =>
        drag !== undefined && setDrag({ ...drag, sec: secAt(clientX, drag.fromX) })
      }
      onPointerUp={({ clientX }) => drag !== undefined && finish(secAt(clientX, drag.fromX))}
      onPointerCancel={() => setDrag(undefined)}
    >
      <Timer aria-hidden />
      {t("narrate.cast.pause.sec", { sec: formatDecimal(sec, sec % 1 === 0 ? 0 : 1) })}
    </span>
  );
}
