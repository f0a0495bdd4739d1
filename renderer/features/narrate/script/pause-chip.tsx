// A pause in the script as a symbol: dragged sideways, or changed by the arrow keys, for another length. The script
// changes once, at the end, so that one undo takes the change back.

import { Timer } from "lucide-react";
import { type KeyboardEvent, useState } from "react";
import { formatDecimal } from "../../../messages/format.ts";
import { t } from "../../../messages/messages.ts";
import type { TextChange } from "../cast/speaker-marks.ts";
import type { TextRange } from "./text-ranges.ts";
import type { Box } from "./mirror.ts";
import { keyedPauseSec, longestPauseSec, roundPauseSec } from "./pause-length.ts";

const secPerPixel = 0.02;

type PauseChipProps = {
  mark: TextRange & { readonly sec: number };
  box: Box;
  isTabStop: boolean;
  onChange: (change: TextChange) => void;
  onCaret: (at: number) => void;
};

/** A click, or Enter without a change, puts the caret into the mark. */
export function PauseChip({ mark, box, isTabStop, onChange, onCaret }: PauseChipProps) {
  const [changing, setDraft] = useState<{ at: number; sec: number; fromX?: number }>();
  // Scrolling may put another mark here.
  const draft = changing?.at === mark.start ? changing : undefined;
  const sec = draft?.sec ?? mark.sec;
  const text = t("narrate.cast.pause.sec", { sec: formatDecimal(sec, sec % 1 === 0 ? 0 : 1) });
  const secAt = (clientX: number, fromX: number): number =>
    roundPauseSec(mark.sec + (clientX - fromX) * secPerPixel);
  // After a quick drag, the last moves may not have been rendered yet.
  const finish = (finalSec: number): void => {
    setDraft(undefined);
    if (finalSec === mark.sec) onCaret(mark.start + 1);
    else onChange({ start: mark.start, end: mark.end, text: `[pause ${finalSec}s]` });
  };
  function onKeyDown(event: KeyboardEvent<HTMLElement>): void {
    const next = keyedPauseSec(sec, event.key, event.shiftKey);
    if (next !== undefined) setDraft({ at: mark.start, sec: next });
    else if (event.key === "Enter" && draft !== undefined) event.currentTarget.blur();
    else if (event.key === "Enter") onCaret(mark.start + 1);
    else if (event.key === "Escape" && draft !== undefined) setDraft(undefined);
    else return;
    event.preventDefault();
  }
  return (
    <span
      role="slider"
      className="script-chip script-pause"
      tabIndex={isTabStop ? 0 : -1}
      title={t("narrate.cast.pause.drag")}
      aria-label={t("narrate.cast.pause")}
      aria-valuemin={0}
      aria-valuemax={longestPauseSec}
      aria-valuenow={sec}
      aria-valuetext={text}
      data-changing={draft === undefined ? undefined : ""}
      style={{
        "--at": `${box.top}px`,
        "--left": `${box.left}px`,
        "--width": `${box.width}px`,
        "--height": `${box.height}px`,
      }}
      onKeyDown={onKeyDown}
      onBlur={({ relatedTarget }) => {
        if (draft === undefined || draft.fromX !== undefined) return;
        finish(sec);
        // The change was made in the field, which took the focus.
        requestAnimationFrame(() => {
          if (relatedTarget instanceof HTMLElement && relatedTarget.isConnected)
            relatedTarget.focus();
        });
      }}
      onPointerDown={(event) => {
        event.preventDefault();
        event.currentTarget.setPointerCapture(event.pointerId);
        setDraft({ at: mark.start, fromX: event.clientX, sec: mark.sec });
      }}
      onPointerMove={({ clientX }) =>
        draft?.fromX !== undefined && setDraft({ ...draft, sec: secAt(clientX, draft.fromX) })
      }
      onPointerUp={({ clientX }) =>
        draft?.fromX !== undefined && finish(secAt(clientX, draft.fromX))
      }
      onPointerCancel={() => setDraft(undefined)}
    >
      <Timer aria-hidden />
      {text}
    </span>
  );
}
