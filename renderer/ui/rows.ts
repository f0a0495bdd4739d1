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

/** Around what is in a row: what `tabIndexOf` says. Buttons, switches and checkboxes heed it by themselves. */
export const RowTabIndex = createContext<0 | -1 | undefined>(undefined);
/** `tabIndex` of what is in a row; undefined outside of lists. */
export const useRowTabIndex = (): 0 | -1 | undefined => useContext(RowTabIndex);

type RowsOptions = {
  count: number;
  keyOf: (index: number) => string | number;
  /** Whether there is anything to stop at; default everywhere. */
  isFocusable?: ((index: number) => boolean) | undefined;
  /** The focus came to a row. */
  onRowFocus?: ((index: number) => void) | undefined;
  /** A key leads from a row to another one. */
  onRowMove?: ((from: number, to: number, isExtending: boolean) => void) | undefined;
  /** Where rows out of sight do not exist; default the browser scrolls. */
  scrollTo?: (index: number) => void;
  /** What has the focus once no row is left. */
  fallbackFocus?: RefObject<HTMLElement | null>;
};

const focusableSelector = "a[href], button, input:not([aria-hidden])";
const textInputSelector = "input:not([type=checkbox]), textarea, select";
const rowsPerPage = 10;

/** What floats above a row belongs to it for React, not for the page. */
const closestWithin = (
  { currentTarget, target }: { currentTarget: Element; target: EventTarget },
  selector: string,
) =>
  target instanceof Element && currentTarget.contains(target)
    ? target.closest<HTMLElement>(selector)
    : null;

export function useRows({
  count,
  keyOf,
  isFocusable = () => true,
  onRowFocus,
  onRowMove,
  scrollTo,
  fallbackFocus,
}: RowsOptions) {
  const root = useRef<HTMLElement>(null);
  const [focusedRow, setFocusedRow] = useState<{ key: string | number; index: number }>();
  /** What has the focus in the list. */
  const focusedElement = useRef<Element>(undefined);
  const shouldFocus = useRef(false);

  const nextFocusable = (from: number, step: 1 | -1): number | undefined => {
    for (let index = from; index >= 0 && index < count; index += step)
      if (isFocusable(index)) return index;
    return undefined;
  };
  /** Where the row is now; once it is gone, the one that came into its place. */
  const rowIndex = (): number => {
    if (focusedRow === undefined || count === 0) return 0;
    const clampedIndex = Math.min(focusedRow.index, count - 1);
    if (keyOf(clampedIndex) === focusedRow.key) return clampedIndex;
    for (let index = 0; index < count; index += 1)
      if (keyOf(index) === focusedRow.key) return index;
    return clampedIndex;
  };
  const startIndex = rowIndex();
  const current = nextFocusable(startIndex, 1) ?? nextFocusable(startIndex, -1) ?? -1;

  const moveTo = (index: number): void => {
    shouldFocus.current = true;
    setFocusedRow({ key: keyOf(index), index });
    scrollTo?.(index);
  };

  const focusCurrent = (preventScroll: boolean): void => {
    const row = root.current?.querySelector(`[data-row="${current}"]`);
    const main =
      row?.querySelector<HTMLElement>("[data-main]") ??
      row?.querySelector<HTMLElement>(focusableSelector) ??
      fallbackFocus?.current;
    main?.focus({ preventScroll });
  };

  useLayoutEffect(() => {
    if (shouldFocus.current) focusCurrent(scrollTo !== undefined);
    shouldFocus.current = false;
    // What had the focus may go with its row or alone, by work that ends, too: nothing scrolls then.
    const restoreFocus = (): void => {
      if (focusedElement.current === undefined || focusedElement.current.isConnected) return;
      focusedElement.current = undefined;
      if (document.activeElement === document.body) focusCurrent(true);
    };
    restoreFocus();
    // Not every change in a row is one of the list: it is followed at once, never by the next drawing of the list.
    const removalObserver = new MutationObserver(restoreFocus);
    if (root.current !== null)
      removalObserver.observe(root.current, { childList: true, subtree: true });
    return () => removalObserver.disconnect();
  });

  function onKeyDown(event: KeyboardEvent): void {
    const row = closestWithin(event, "[data-row]");
    const target = event.target as HTMLElement;
    if (
      row === null ||
      event.defaultPrevented ||
      event.ctrlKey ||
      event.metaKey ||
      event.altKey ||
      target.matches(textInputSelector)
    )
      return;
    const from = Number(row.dataset["row"]);
    const horizontalStep = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (horizontalStep !== undefined) {
      const inside = [...row.querySelectorAll<HTMLElement>(focusableSelector)];
      inside[inside.indexOf(target) + horizontalStep]?.focus();
    } else {
      const steps: Record<string, () => number | undefined> = {
        ArrowDown: () => nextFocusable(from + 1, 1),
        ArrowUp: () => nextFocusable(from - 1, -1),
        PageDown: () => nextFocusable(Math.min(from + rowsPerPage, count - 1), -1),
        PageUp: () => nextFocusable(Math.max(from - rowsPerPage, 0), 1),
        Home: () => nextFocusable(0, 1),
        End: () => nextFocusable(count - 1, -1),
      };
      const to = steps[event.key]?.();
      if (to === undefined) return;
      moveTo(to);
      onRowMove?.(from, to, event.shiftKey);
    }
    event.preventDefault();
  }

  function onFocus(event: FocusEvent): void {
    // What floats above a row gives the focus back by itself.
    focusedElement.current = event.currentTarget.contains(event.target) ? event.target : undefined;
    const { row, inside } = closestWithin(event, "[data-row], [data-inside]")?.dataset ?? {};
    const index = Number(row ?? inside ?? -1);
    if (index < 0) return;
    setFocusedRow((now) =>
      now?.key === keyOf(index) && now.index === index ? now : { key: keyOf(index), index },
    );
    onRowFocus?.(index);
  }

  return {
    /** The one Tab stops at; −1: none. */
    current,
    tabIndexOf: (index: number): 0 | -1 => (index === current ? 0 : -1),
    /** For the element around all rows. */
    list: {
      ref: (element: HTMLElement | null): void => void (root.current = element),
      onKeyDown,
      onFocus,
      onBlur: ({ target }: FocusEvent): void => {
        // It stays the active one where the whole window lost the focus.
        if (document.activeElement !== target) focusedElement.current = undefined;
      },
    },
    /** After a question that covered the page: the focus comes to the current row, or to what there is in place of rows. */
    takeFocus: (): void => moveTo(Math.max(current, 0)),
  };
}
