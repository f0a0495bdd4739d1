// Converts key presses to Electron's accelerators and to display names. Names:
// https://www.electronjs.org/docs/latest/api/accelerator

import type { DesktopState } from "../../../main/contract/desktop-bridge.ts";

export type KeyPress = Pick<
  KeyboardEvent,
  "key" | "code" | "ctrlKey" | "metaKey" | "altKey" | "shiftKey"
>;

/** `event.key` → Electron's name, where they differ. */
const names: Readonly<Record<string, string>> = {
  " ": "Space",
  "+": "Plus",
  ArrowUp: "Up",
  ArrowDown: "Down",
  ArrowLeft: "Left",
  ArrowRight: "Right",
  Enter: "Return",
  AudioVolumeUp: "VolumeUp",
  AudioVolumeDown: "VolumeDown",
  AudioVolumeMute: "VolumeMute",
  MediaTrackNext: "MediaNextTrack",
  MediaTrackPrevious: "MediaPreviousTrack",
};
const unchangedNames = new Set([
  "Tab",
  "Backspace",
  "Delete",
  "Insert",
  "Home",
  "End",
  "PageUp",
  "PageDown",
  "Escape",
  "MediaStop",
  "MediaPlayPause",
  "PrintScreen",
]);
const modifiers = new Set(["Control", "Meta", "Alt", "Shift", "AltGraph", "CapsLock", "Fn", "OS"]);
/** Keys that no program needs for typing, so they are allowed without a modifier. */
const standaloneKeys = /^(F\d+|Media\w+|Volume\w+|PrintScreen)$/;

/**
 * `more`: only modifiers so far; `alone`: the key without modifiers would be unusable for typing; `unknown`: Electron
 * has no name for it.
 */
export function toAccelerator(
  press: KeyPress,
  system: DesktopState["system"],
): { keys: string } | "more" | "alone" | "unknown" {
  if (modifiers.has(press.key)) return "more";
  const key = nameOf(press);
  if (key === undefined) return "unknown";
  const isMac = system === "darwin";
  const pressedModifiers = [
    (isMac ? press.metaKey : press.ctrlKey) && "CommandOrControl",
    isMac ? press.ctrlKey && "Control" : press.metaKey && "Super",
    press.altKey && "Alt",
    press.shiftKey && "Shift",
  ].filter((name) => name !== false);
  if (!standaloneKeys.test(key) && pressedModifiers.every((name) => name === "Shift"))
    return "alone";
  return { keys: [...pressedModifiers, key].join("+") };
}

function nameOf({ key, code }: KeyPress): string | undefined {
  const numpadDigit = /^Numpad(\d)$/.exec(code)?.[1];
  if (numpadDigit !== undefined) return `num${numpadDigit}`;
  if (/^[a-z]$/i.test(key)) return key.toUpperCase();
  if (/^F([1-9]|1\d|2[0-4])$/.test(key) || unchangedNames.has(key)) return key;
  // With Alt or Shift, `event.key` is the resulting character, so use the key's position.
  const position = /^(?:Key([A-Z])|Digit(\d))$/.exec(code);
  return position?.[1] ?? position?.[2] ?? names[key] ?? (/^[!-~]$/.test(key) ? key : undefined);
}

/** In the format of ui/keys.tsx. */
export function toDisplayKeys(accelerator: string): string {
  const displayNames: Readonly<Record<string, string>> = {
    CommandOrControl: "mod",
    Shift: "shift",
    Alt: "alt",
    Up: "ArrowUp",
    Down: "ArrowDown",
    Left: "ArrowLeft",
    Right: "ArrowRight",
    Return: "Enter",
  };
  return accelerator
    .split("+")
    .map((part) => displayNames[part] ?? part)
    .join("+");
}
