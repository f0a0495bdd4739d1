// Keyboard listener for the whole window. Text fields get keys first, then dialogs, then actions.

import { useActions, type Action } from "../stores/actions.ts";
import { toast } from "../stores/toasts.ts";
import { createKeyMatcher } from "./keys.ts";

const isMac = navigator.platform.startsWith("Mac");
const textInputs = new Set(["text", "search", "number", "url", "email", "password", "tel", "date"]);

export const isTextField = (target: EventTarget | null) =>
  target instanceof HTMLElement &&
  (target.isContentEditable ||
    target instanceof HTMLTextAreaElement ||
    target instanceof HTMLSelectElement ||
    (target instanceof HTMLInputElement && textInputs.has(target.type)));

export function runAction(action: Action): void {
  if (action.disabledReason === undefined) action.run();
  else toast({ text: action.disabledReason });
}

/** @returns stop function */
export function listenToKeys(): () => void {
  const matcher = createKeyMatcher(isMac, () => performance.now());
  let isPointerInUse = false;
  const onKey = (event: KeyboardEvent) => {
    if (event.key === "Tab") isPointerInUse = false;
    if (event.defaultPrevented || event.isComposing) return;
    const inText = isTextField(event.target);
    const inDialog = document.querySelector('dialog[open], [role="menu"]') !== null;
    // The space bar presses a button that was focused by keyboard, but not one that was clicked; then it is a shortcut.
    const pressesButton =
      event.key === " " &&
      !isPointerInUse &&
      event.target instanceof Element &&
      event.target.closest('button, a, summary, input, [role="slider"]') !== null;
    if (pressesButton || inDialog) return;
    const actions = [...useActions.getState().actions.values()]
      .toReversed()
      .filter((action) => action.keys !== undefined && (!inText || action.worksInText));
    const keys = matcher.press(
      event,
      actions.map((action) => action.keys ?? ""),
    );
    if (keys === undefined || keys === "begun") return;
    event.preventDefault();
    const action = actions.find((each) => each.keys === keys);
    if (action !== undefined && (!event.repeat || action.worksInText !== true)) runAction(action);
  };
  const onPointer = () => {
    isPointerInUse = true;
  };
  addEventListener("keydown", onKey);
  addEventListener("pointerdown", onPointer, true);
  // Otherwise releasing the space bar would press the clicked button.
  const onKeyUp = (event: KeyboardEvent) => {
    if (
      event.key === " " &&
      isPointerInUse &&
      event.target instanceof HTMLButtonElement &&
      !event.target.closest("dialog")
    )
      event.preventDefault();
  };
  addEventListener("keyup", onKeyUp);
  return () => {
    removeEventListener("keydown", onKey);
    removeEventListener("keyup", onKeyUp);
    removeEventListener("pointerdown", onPointer, true);
  };
}
