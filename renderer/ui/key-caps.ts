// How a combination such as `mod+shift+ArrowUp` or `g t` is written on keys.

export type KeyNames = { space: string; enter: string; escape: string; delete: string };

/** One entry a key, in the order they are pressed. */
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
  return keys.split(/[ +]/).map((key) => caps[key] ?? key.toUpperCase());
}
