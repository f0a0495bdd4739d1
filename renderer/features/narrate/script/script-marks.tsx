// What lies over the script near the visible part: buttons on the initials in the margin and chips over marks. The mark
// with the caret shows its text.

import "./script-marks.css";
import { useLayoutEffect, useState, type KeyboardEvent, type ReactElement } from "react";
import { t } from "../../../messages/messages.ts";
import { Popover } from "../../../ui/popover.tsx";
import { Tooltip } from "../../../ui/tooltip.tsx";
import { findScriptMarks, type ScriptMark, type TextChange } from "../cast/speaker-marks.ts";
import { SpeakerList, type SpeakerChoice } from "../cast/speaker-list.tsx";
import type { Speakers } from "../cast/use-speakers.ts";
import { voiceHue } from "../voices.ts";
import type { Box, Mirror, SpeakerLine } from "./mirror.ts";
import { PauseChip } from "./pause-chip.tsx";

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
  const { script, speakers, caret = -1, openAt, onOpen, onSpeaker, onChange, onCaret } = props;
  const { lines, marks } = useMarkLayout(props);
  const isShown = ({ mark }: Placed): boolean => caret < mark.start || caret > mark.end;
  // Their order stays when another length moves those after it: the one that gets the focus then is the same element.
  const pauses = marks
    .flatMap(({ mark, box }) => (mark.kind === "pause" ? [{ mark, box }] : []))
    .map((pause, order) => ({ ...pause, order }))
    .filter(isShown);
  const tabStop = pauses.find(({ mark }) => mark.start >= caret) ?? pauses.at(-1);
  const caretLine = lines.findLast(({ start }) => start <= caret) ?? lines[0];
  const withList = (
    key: string,
    at: number,
    chosen: string,
    button: ReactElement,
    tooltip?: string,
  ): ReactElement =>
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
    ) : tooltip === undefined ? (
      button
    ) : (
      <Tooltip key={key} text={tooltip} side="left">
        {button}
      </Tooltip>
    );
  return (
    <div className="script-marks">
      <div role="group" aria-label={t("narrate.cast.margin")} onKeyDown={moveFocus}>
        {lines.map((line) => {
          const { start, top } = line;
          const name = line.speaker ?? speakers.narrator;
          const label = speakerLabel(line, name, speakers);
          const button = (
            <button
              key={marginOf(start)}
              type="button"
              className="script-speaker"
              tabIndex={start === caretLine?.start ? 0 : -1}
              aria-haspopup="dialog"
              aria-label={label}
              style={{ "--at": `${top}px` }}
              onClick={() => onOpen(marginOf(start))}
            />
          );
          return withList(marginOf(start), start, name, button, label);
        })}
      </div>
      {/* The field has their text for screen readers and the keyboard. */}
      <div aria-hidden>
        {marks.filter(isShown).map(({ mark, box }) =>
          mark.kind === "heading" ? (
            <span key={mark.start} className="script-hash" style={placeOf(box)}>
              {"#".repeat(mark.end - mark.start)}
            </span>
          ) : mark.kind === "language" ? (
            <span key={mark.start} className="script-chip script-language" style={placeOf(box)}>
              {script.slice(mark.start + 1, mark.end - 1)}
            </span>
          ) : mark.kind === "speaker" ? (
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
          ) : null,
        )}
      </div>
      <div role="group" aria-label={t("narrate.cast.pauses")} onKeyDown={moveFocus}>
        {pauses.map(({ mark, box, order }) => (
          <PauseChip
            key={order}
            {...{ mark, box, onChange, onCaret }}
            isTabStop={mark === tabStop?.mark}
          />
        ))}
      </div>
    </div>
  );
}

/** Who speaks, and which voice does so in the take, if it is not the chosen one. */
function speakerLabel(
  { voice, spokenBy }: SpeakerLine,
  name: string,
  { findVoice }: Speakers,
): string {
  const chosen = { name, voice: findVoice(voice).name };
  return spokenBy === undefined
    ? t("narrate.cast.speaker", chosen)
    : t("narrate.cast.speaker.taken-over", { ...chosen, other: findVoice(spokenBy).name });
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

/** Up and down between the buttons in the margin, or between the pauses. */
function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step === undefined || !(event.target instanceof HTMLElement)) return;
  const places = [...event.currentTarget.querySelectorAll<HTMLElement>(":scope > [tabindex]")];
  const at = places.indexOf(event.target);
  if (at < 0) return;
  event.preventDefault();
  places[at + step]?.focus();
}
