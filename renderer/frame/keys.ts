// Keys to actions: `t`, `?`, `mod+k`, `shift+ArrowUp`, or two one after the other (`g t`). `mod` is Ctrl, or Command
// on a Mac. Pure, so that it can be tested; listening is shortcuts.ts's work.

export type KeyPress = Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey" | "shiftKey">;

/** A press as it is written in an action's `keys`. */
export function keyCombination(press: KeyPress, isMac: boolean): string {
  const key =
    press.key === " " ? "Space" : press.key.length === 1 ? press.key.toLowerCase() : press.key;
  // Shift is part of what a sign is (`?`), but not of what a letter or a named key is.
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

/** Follows presses; a first half of a pair counts for a second. */
export function createKeyMatcher(isMac: boolean, now: () => number) {
  let first: { name: string; atMs: number } | undefined;
  return {
    /** Which of `combinations` was pressed, or 'begun' when it may become one. */
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
