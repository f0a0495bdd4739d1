// Makes a list a single tab stop: arrow keys, Page Up and Down, Home and End move between rows, Arrow Left and Right
// within a row. Rows are elements with `data-row` (their index); Tab goes through the current row only, and through
// what is expanded below it (`data-inside`, the same index).

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

/**
 * Tab index for the elements of a row, from `tabIndexOf`. Buttons, switches and checkboxes of ui/ use it themselves.
 */
export const RowTabIndex = createContext<0 | -1 | undefined>(undefined);
/** `tabIndex` for an element of a row; undefined outside of lists. */
export const useRowTabIndex = (): 0 | -1 | undefined => useContext(RowTabIndex);

/**
 * Focuses the main element of the row at `index`, or of the last row if there are fewer.
 * @returns whether there was one
 */
export function focusRow(list: Element | null, index: number, options: FocusOptions = {}): boolean {
  const row =
    list?.querySelector(`[data-row="${index}"]`) ??
    [...(list?.querySelectorAll("[data-row]") ?? [])].at(-1);
  const main =
    row?.querySelector<HTMLElement>("[data-main]") ??
    row?.querySelector<HTMLElement>(focusableSelector);
  main?.focus(options);
  return main != null;
}

type RowsOptions = {
  count: number;
  keyOf: (index: number) => string | number;
  /** Whether a row has anything focusable; default: all rows. */
  isFocusable?: ((index: number) => boolean) | undefined;
  /** A row got the focus. */
  onRowFocus?: ((index: number) => void) | undefined;
  /** A key moved the focus from one row to another. */
  onRowMove?: ((from: number, to: number, isExtending: boolean) => void) | undefined;
  /** For virtualized rows, which may not exist; default: the browser scrolls. */
  scrollTo?: (index: number) => void;
  /** Gets the focus when no row is left. */
  fallbackFocus?: RefObject<HTMLElement | null>;
};

const focusableSelector = "a[href], button, input:not([aria-hidden])";
const textInputSelector = "input:not([type=checkbox]), textarea, select";
const rowsPerPage = 10;

/** React events bubble from portals too (tooltips, menus), although these are outside of the list in the DOM. */
const closestWithin = (
  { currentTarget, target }: { currentTarget: Element; target: EventTarget },
  selector: string,
) =>
  target instanceof Element && currentTarget.contains(target)
    ? target.closest<HTMLElement>(selector)
    : null;

const hasModifier = ({ ctrlKey, metaKey, altKey }: KeyboardEvent): boolean =>
  ctrlKey || metaKey || altKey;

type FocusedRow = { readonly key: string | number; readonly index: number };

/** The focused row's current index; if the row was removed, the index of the row in its place. */
function currentIndex(
  focusedRow: FocusedRow | undefined,
  count: number,
  keyOf: RowsOptions["keyOf"],
): number {
  if (focusedRow === undefined || count === 0) return 0;
  const clampedIndex = Math.min(focusedRow.index, count - 1);
  if (keyOf(clampedIndex) === focusedRow.key) return clampedIndex;
  for (let index = 0; index < count; index += 1) if (keyOf(index) === focusedRow.key) return index;
  return clampedIndex;
}

/** Finds the first focusable row from `from` on, in steps of 1 or −1. */
type FocusableSearch = (from: number, step: 1 | -1) => number | undefined;

const createFocusableSearch =
  (count: number, isFocusable: (index: number) => boolean): FocusableSearch =>
  (from, step) => {
    for (let index = from; index >= 0 && index < count; index += step)
      if (isFocusable(index)) return index;
    return undefined;
  };

/** The row to which a key moves the focus; undefined if it moves it nowhere. */
function rowAfterKey(
  key: string,
  from: number,
  count: number,
  nextFocusable: FocusableSearch,
): number | undefined {
  const steps: Record<string, () => number | undefined> = {
    ArrowDown: () => nextFocusable(from + 1, 1),
    ArrowUp: () => nextFocusable(from - 1, -1),
    PageDown: () => nextFocusable(Math.min(from + rowsPerPage, count - 1), -1),
    PageUp: () => nextFocusable(Math.max(from - rowsPerPage, 0), 1),
    Home: () => nextFocusable(0, 1),
    End: () => nextFocusable(count - 1, -1),
  };
  return steps[key]?.();
}

/** @returns a function that ends it */
function observeRemovals(element: Element | null, onRemoval: () => void): () => void {
  const observer = new MutationObserver(onRemoval);
  if (element !== null) observer.observe(element, { childList: true, subtree: true });
  return () => observer.disconnect();
}

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
  const [focusedRow, setFocusedRow] = useState<FocusedRow>();
  /** The element in the list that has the focus. */
  const focusedElement = useRef<Element>(undefined);
  const shouldFocus = useRef(false);

  const nextFocusable = createFocusableSearch(count, isFocusable);
  const startIndex = currentIndex(focusedRow, count, keyOf);
  const current = nextFocusable(startIndex, 1) ?? nextFocusable(startIndex, -1) ?? -1;

  const moveTo = (index: number): void => {
    shouldFocus.current = true;
    setFocusedRow({ key: keyOf(index), index });
    scrollTo?.(index);
  };

  const focusCurrent = (preventScroll: boolean): void => {
    if (current < 0 || !focusRow(root.current, current, { preventScroll }))
      fallbackFocus?.current?.focus({ preventScroll });
  };

  useLayoutEffect(() => {
    if (shouldFocus.current) focusCurrent(scrollTo !== undefined);
    shouldFocus.current = false;
    // The focused element may be removed with its row or alone, also when work ends by itself; restores the focus
    // without scrolling.
    const restoreFocus = (): void => {
      if (focusedElement.current === undefined || focusedElement.current.isConnected) return;
      focusedElement.current = undefined;
      if (document.activeElement === document.body) focusCurrent(true);
    };
    restoreFocus();
    // Rows may change without a rendering of the list, so observe removals in the DOM.
    return observeRemovals(root.current, restoreFocus);
  });

  function onKeyDown(event: KeyboardEvent): void {
    const row = closestWithin(event, "[data-row]");
    const target = event.target as HTMLElement;
    if (
      row === null ||
      event.defaultPrevented ||
      hasModifier(event) ||
      target.matches(textInputSelector)
    )
      return;
    const from = Number(row.dataset["row"]);
    const horizontalStep = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (horizontalStep !== undefined) {
      const inside = [...row.querySelectorAll<HTMLElement>(focusableSelector)];
      inside[inside.indexOf(target) + horizontalStep]?.focus();
    } else {
      const to = rowAfterKey(event.key, from, count, nextFocusable);
      if (to === undefined) return;
      moveTo(to);
      onRowMove?.(from, to, event.shiftKey);
    }
    event.preventDefault();
  }

  function onFocus(event: FocusEvent): void {
    // Elements in portals restore the focus themselves.
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
    /** The row that is the tab stop; −1: none. */
    current,
    tabIndexOf: (index: number): 0 | -1 => (index === current ? 0 : -1),
    /** Props for the element around all rows. */
    list: {
      ref: (element: HTMLElement | null): void => void (root.current = element),
      onKeyDown,
      onFocus,
      onBlur: ({ target }: FocusEvent): void => {
        // If the whole window lost the focus, the element stays active.
        if (document.activeElement !== target) focusedElement.current = undefined;
      },
    },
    /** Moves the focus to the current row or the fallback, for instance after a dialog. */
    takeFocus: (): void => moveTo(Math.max(current, 0)),
  };
}
