// Changes the script as if it were typed, so that the browser's undo takes it back.

import type { TextChange } from "../cast/speaker-marks.ts";

export function replaceText(field: HTMLTextAreaElement, { start, end, text }: TextChange): void {
  if (start === end && text === "") return;
  field.focus({ preventScroll: true });
  field.setSelectionRange(start, end);
  if (document.execCommand(text === "" ? "delete" : "insertText", false, text)) return;
  field.setRangeText(text, start, end, "end");
  field.dispatchEvent(new Event("input", { bubbles: true }));
}
