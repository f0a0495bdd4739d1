// What can be done at the moment: the shell and the open page register actions; the palette, the keys and the keys'
// overlay read them.

import { useEffect, useRef } from 'react';
import { create } from 'zustand';

export type Action = {
  /** Unique; of two with the same id the later one counts. */
  readonly id: string;
  /** The same verb as on the button or menu. */
  readonly title: string;
  /** Heading in the palette and the overlay; absent: the open page. */
  readonly group?: string | undefined;
  /** `t`, `mod+k`, `shift+ArrowUp`, or two letters one after the other: `g t`. See shell/keys.ts. */
  readonly keys?: string | undefined;
  readonly run: () => void;
  /** Why it cannot act now; said when it is tried. */
  readonly disabledReason?: string | undefined;
  /** Its keys act while one types, too. */
  readonly worksInText?: boolean | undefined;
};

export const useActions = create<{ actions: ReadonlyMap<string, Action> }>(() => ({ actions: new Map() }));

/** Registers an action as long as the component is there. `run` may be a new function at every render. */
export function useAction(action: Action): void {
  const latest = useRef(action);
  useEffect(() => {
    latest.current = action;
  });
  const { id, title, group, keys, disabledReason, worksInText } = action;
  useEffect(() => {
    const registered: Action = { id, title, group, keys, disabledReason, worksInText, run: () => latest.current.run() };
    useActions.setState(({ actions }) => ({ actions: new Map(actions).set(id, registered) }));
    return () =>
      useActions.setState(({ actions }) => {
        if (actions.get(id) !== registered) return {};
        const left = new Map(actions);
        left.delete(id);
        return { actions: left };
      });
  }, [id, title, group, keys, disabledReason, worksInText]);
}
