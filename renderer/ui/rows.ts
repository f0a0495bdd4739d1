// Makes a list one stop of the Tab key: arrow keys, Page Up and Down, Home and End go from row to row, Arrow Left and
// Right through what is in one. Rows are elements with `data-row`, their number; Tab goes through the current row alone,
// and through what is open below a row (`data-inside`, the same number).

import {
  createContext,
  useContext,
  useLayoutEffect,
  useRef,
  useState,
  type FocusEvent,
  type KeyboardEvent,
  type RefObject,
} from "react";

/** Around what is in a row: what `tabOf` says. Buttons, switches and checkboxes heed it by themselves. */
export const RowTab = createContext<0 | -1 | undefined>(undefined);
/** `tabIndex` of what is in a row; undefined outside of lists. */
export const useRowTab = (): 0 | -1 | undefined => useContext(RowTab);

type RowsOptions = {
  count: number;
  keyOf: (index: number) => string | number;
  /** Whether there is anything to stop at; default everywhere. */
  isStop?: ((index: number) => boolean) | undefined;
  /** The focus came to a row. */
  onReach?: ((index: number) => void) | undefined;
  /** A key leads from a row to another one. */
  onStep?: ((from: number, to: number, isExtending: boolean) => void) | undefined;
  /** Where rows out of sight do not exist; default the browser scrolls. */
  scrollTo?: (index: number) => void;
  /** What has the focus once no row is left. */
  orElse?: RefObject<HTMLElement | null>;
};

const stops = "a[href], button, input:not([aria-hidden])";
const typedInto = "input:not([type=checkbox]), textarea, select";
const pageOfRows = 10;

/** What floats above a row belongs to it for React, not for the page. */
const around = (
  { currentTarget, target }: { currentTarget: Element; target: EventTarget },
  places: string,
) =>
  target instanceof Element && currentTarget.contains(target)
    ? target.closest<HTMLElement>(places)
    : null;

export function useRows({
  count,
  keyOf,
  isStop = () => true,
  onReach,
  onStep,
  scrollTo,
  orElse,
}: RowsOptions) {
  const root = useRef<HTMLElement>(null);
  const [reached, setReached] = useState<{ key: string | number; index: number }>();
  /** What has the focus in the list. */
  const held = useRef<Element>(undefined);
  const takesFocus = useRef(false);

  const stop = (from: number, by: 1 | -1): number | undefined => {
    for (let index = from; index >= 0 && index < count; index += by)
      if (isStop(index)) return index;
    return undefined;
  };
  /** Where the row is now; once it is gone, the one that came into its place. */
  const place = (): number => {
    if (reached === undefined || count === 0) return 0;
    const near = Math.min(reached.index, count - 1);
    if (keyOf(near) === reached.key) return near;
    for (let index = 0; index < count; index += 1) if (keyOf(index) === reached.key) return index;
    return near;
  };
  const at = place();
  const current = stop(at, 1) ?? stop(at, -1) ?? -1;

  const reach = (index: number): void => {
    takesFocus.current = true;
    setReached({ key: keyOf(index), index });
    scrollTo?.(index);
  };

  const focusCurrent = (preventScroll: boolean): void => {
    const row = root.current?.querySelector(`[data-row="${current}"]`);
    const main =
      row?.querySelector<HTMLElement>("[data-main]") ??
      row?.querySelector<HTMLElement>(stops) ??
      orElse?.current;
    main?.focus({ preventScroll });
  };

  useLayoutEffect(() => {
    if (takesFocus.current) focusCurrent(scrollTo !== undefined);
    takesFocus.current = false;
    // What had the focus may go with its row or alone, by work that ends, too: nothing scrolls then.
    const follow = (): void => {
      if (held.current === undefined || held.current.isConnected) return;
      held.current = undefined;
      if (document.activeElement === document.body) focusCurrent(true);
    };
    follow();
    // Not every change in a row is one of the list: it is followed at once, never by the next drawing of the list.
    const removals = new MutationObserver(follow);
    if (root.current !== null) removals.observe(root.current, { childList: true, subtree: true });
    return () => removals.disconnect();
  });

  function onKeyDown(event: KeyboardEvent): void {
    const row = around(event, "[data-row]");
    const target = event.target as HTMLElement;
    if (
      row === null ||
      event.defaultPrevented ||
      event.ctrlKey ||
      event.metaKey ||
      event.altKey ||
      target.matches(typedInto)
    )
      return;
    const from = Number(row.dataset["row"]);
    const aside = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (aside !== undefined) {
      const inside = [...row.querySelectorAll<HTMLElement>(stops)];
      inside[inside.indexOf(target) + aside]?.focus();
    } else {
      const steps: Record<string, () => number | undefined> = {
        ArrowDown: () => stop(from + 1, 1),
        ArrowUp: () => stop(from - 1, -1),
        PageDown: () => stop(Math.min(from + pageOfRows, count - 1), -1),
        PageUp: () => stop(Math.max(from - pageOfRows, 0), 1),
        Home: () => stop(0, 1),
        End: () => stop(count - 1, -1),
      };
      const to = steps[event.key]?.();
      if (to === undefined) return;
      reach(to);
      onStep?.(from, to, event.shiftKey);
    }
    event.preventDefault();
  }

  function onFocus(event: FocusEvent): void {
    // What floats above a row gives the focus back by itself.
    held.current = event.currentTarget.contains(event.target) ? event.target : undefined;
    const { row, inside } = around(event, "[data-row], [data-inside]")?.dataset ?? {};
    const index = Number(row ?? inside ?? -1);
    if (index < 0) return;
    setReached((now) =>
      now?.key === keyOf(index) && now.index === index ? now : { key: keyOf(index), index },
    );
    onReach?.(index);
  }

  return {
    /** The one Tab stops at; −1: none. */
    current,
    tabOf: (index: number): 0 | -1 => (index === current ? 0 : -1),
    /** For the element around all rows. */
    list: {
      ref: (element: HTMLElement | null): void => void (root.current = element),
      onKeyDown,
      onFocus,
      onBlur: ({ target }: FocusEvent): void => {
        // It stays the active one where the whole window lost the focus.
        if (document.activeElement !== target) held.current = undefined;
      },
    },
    /** After a question that covered the page: the focus comes to the current row, or to what there is in place of rows. */
    takeFocus: (): void => reach(Math.max(current, 0)),
  };
}
