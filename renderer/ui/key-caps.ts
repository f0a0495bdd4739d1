// How combinations such as `mod+shift+ArrowUp` or `g t` are displayed.

export type KeyNames = { space: string; enter: string; escape: string; delete: string };

/** One entry per key, in the order in which they are pressed. */
export function keyCaps(keys: string, isMac: boolean, names: KeyNames): string[] {
  const caps: Readonly<Record<string, string>> = {
    mod: isMac ? "⌘" : "Ctrl",
    shift: "⇧",
    alt: isMac ? "⌥" : "Alt",
    ArrowUp: "↑",
    ArrowDown: "↓",
    ArrowLeft: "←",
    ArrowRight: "→",
    Space: names.space,
    Enter: names.enter,
    Escape: names.escape,
    Delete: names.delete,
  };
  // A plus at the end is the key itself.
  return keys.split(/ |\+(?=.)/).map((key) => caps[key] ?? key.toUpperCase());
}
