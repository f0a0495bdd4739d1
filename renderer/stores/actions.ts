// What can be done at the moment: the shell and the open page register actions; the palette, the keys and the keys'
// overlay read them.

import { useEffect, useRef, useState } from "react";
import { create } from "zustand";

export type Action = {
  /** Unique; of two with the same id the later one counts. */
  readonly id: string;
  /** The same verb as on the button or menu. */
  readonly title: string;
  /** Heading in the palette and the overlay; default the open page. */
  readonly group?: string | undefined;
  /** `t`, `mod+k`, `shift+ArrowUp`, or two letters one after the other: `g t`. See shell/keys.ts. */
  readonly keys?: string | undefined;
  readonly run: () => void;
  /** Why it cannot act now; said when it is tried. */
  readonly disabledReason?: string | undefined;
  /** Its keys act while one types, too. */
  readonly worksInText?: boolean | undefined;
};

export const useActions = create<{ actions: ReadonlyMap<string, Action> }>(() => ({
  actions: new Map(),
}));

/** By who registered them, in the order in which they came: what is under a page's action of the same id is there again when the page is gone. */
const actionsByOwner = new Map<symbol, Action>();
const publish = (): void =>
  useActions.setState({
    actions: new Map(Array.from(actionsByOwner.values(), (action) => [action.id, action])),
  });

/** The same `owner` again changes its action, which stays in its place. */
export function setAction(owner: symbol, action: Action): void {
  actionsByOwner.set(owner, action);
  publish();
}

export function removeAction(owner: symbol): void {
  actionsByOwner.delete(owner);
  publish();
}

/** Registers an action as long as the component is there. `run` may be a new function at every render. */
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

/** An action of a list, as an element: lists differ in length. */
export function RegisterAction(action: Action): null {
  useAction(action);
  return null;
}
