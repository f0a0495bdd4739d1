// Matches key presses to key combinations: `t`, `?`, `mod+k`, `shift+ArrowUp`, or a sequence of two (`g t`). `mod` is
// Ctrl, or Command on a Mac. Pure; see shortcuts.ts for the listener.

export type KeyPress = Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey" | "shiftKey">;

/** A key press in the notation of an action's `keys`. */
export function keyCombination(press: KeyPress, isMac: boolean): string {
  const key =
    press.key === " " ? "Space" : press.key.length === 1 ? press.key.toLowerCase() : press.key;
  // Shift is needed to type symbols such as `?`, so it is not part of their name; for letters and named keys it is.
  const isSymbol =
    press.key.length === 1 &&
    press.key.toLowerCase() === press.key.toUpperCase() &&
    key !== "Space";
  const parts = [
    (isMac ? press.metaKey : press.ctrlKey) && "mod",
    press.altKey && "alt",
    press.shiftKey && !isSymbol && "shift",
    key,
  ];
  return parts.filter((part) => part !== false).join("+");
}

/** Remembers the first key of a sequence. */
export function createKeyMatcher(isMac: boolean, now: () => number) {
  let first: { name: string; atMs: number } | undefined;
  return {
    /** Which of `combinations` was pressed, or 'begun' if it may become one. */
    press(press: KeyPress, combinations: readonly string[]): string | "begun" | undefined {
      const name = keyCombination(press, isMac);
      const pair =
        first !== undefined && now() - first.atMs < 1000 ? `${first.name} ${name}` : undefined;
      first = undefined;
      if (pair !== undefined && combinations.includes(pair)) return pair;
      if (combinations.some((keys) => keys.startsWith(`${name} `))) {
        first = { name, atMs: now() };
        return "begun";
      }
      return combinations.find((keys) => keys === name);
    },
  };
}
