// Registry of available actions: the frame and the open page register them; the palette, the keys and the keys overlay
// read them.

import { useEffect, useRef, useState } from "react";
import { create } from "zustand";

export type Action = {
  /** Unique; of two with the same id, the later one takes precedence. */
  readonly id: string;
  /** The same verb as on the button or menu. */
  readonly title: string;
  /** Heading in the palette and the overlay; default: the open page. */
  readonly group?: string | undefined;
  /** `t`, `mod+k`, `shift+ArrowUp`, or a sequence of two: `g t`. See frame/keys.ts. */
  readonly keys?: string | undefined;
  readonly run: () => void;
  /** Why it is not available now; shown when it is tried. */
  readonly disabledReason?: string | undefined;
  /** Its keys work in text fields too. */
  readonly worksInText?: boolean | undefined;
};

export const useActions = create<{ actions: ReadonlyMap<string, Action> }>(() => ({
  actions: new Map(),
}));

/**
 * By owner, in order of registration: when a page's action is removed, the one with the same id below it is active
 * again.
 */
const actionsByOwner = new Map<symbol, Action>();
const publish = (): void =>
  useActions.setState({
    actions: new Map(Array.from(actionsByOwner.values(), (action) => [action.id, action])),
  });

/** The same `owner` again replaces its action at the same position. */
export function setAction(owner: symbol, action: Action): void {
  actionsByOwner.set(owner, action);
  publish();
}

export function removeAction(owner: symbol): void {
  actionsByOwner.delete(owner);
  publish();
}

/** Registers an action while the component is mounted. `run` may be a new function at every render. */
export function useAction(action: Action): void {
  const latest = useRef(action);
  const [owner] = useState(() => Symbol(action.id));
  useEffect(() => {
    latest.current = action;
  });
  const { id, title, group, keys, disabledReason, worksInText } = action;
  useEffect(
    () =>
      setAction(owner, {
        id,
        title,
        group,
        keys,
        disabledReason,
        worksInText,
        run: () => latest.current.run(),
      }),
    [owner, id, title, group, keys, disabledReason, worksInText],
  );
  useEffect(() => () => removeAction(owner), [owner]);
}

/** Registers an action as an element, for lists of varying length, where hooks cannot be used. */
export function RegisterAction(action: Action): null {
  useAction(action);
  return null;
}
