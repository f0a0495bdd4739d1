// Places in an element that holds one text: under the pointer, at the caret. In UTF-16 units.

/** Older engines know the second form only. */
type CaretFromPointApi = {
  caretPositionFromPoint?(x: number, y: number): { offsetNode: Node; offset: number } | null;
  caretRangeFromPoint?(x: number, y: number): Range | null;
};

export function textOffsetAtPoint(element: HTMLElement, x: number, y: number): number {
  const caretApi: CaretFromPointApi = document;
  const position = caretApi.caretPositionFromPoint?.(x, y);
  if (position != null) return element.contains(position.offsetNode) ? position.offset : 0;
  const range = caretApi.caretRangeFromPoint?.(x, y);
  return range != null && element.contains(range.startContainer) ? range.startOffset : 0;
}

/** Places before the caret, or before what is selected; typing may have left several text nodes. */
export function caretOffset(element: HTMLElement): number {
  const selection = getSelection();
  const selected =
    selection === null || selection.rangeCount === 0 ? undefined : selection.getRangeAt(0);
  if (selected === undefined || !element.contains(selected.startContainer)) return 0;
  const rangeBefore = document.createRange();
  rangeBefore.selectNodeContents(element);
  rangeBefore.setEnd(selected.startContainer, selected.startOffset);
  return rangeBefore.toString().length;
}

/** What a double click selected, as the browser finds words, without the space some systems add; undefined where it is not in the element's text. */
export function selectionRangeIn(
  element: HTMLElement,
): { readonly start: number; readonly end: number } | undefined {
  const selection = getSelection();
  const selected = selection?.toString().trim();
  if (selected === undefined || selected === "" || !element.contains(selection?.anchorNode ?? null))
    return undefined;
  const start = caretOffset(element);
  const end = start + selected.length;
  return element.textContent?.slice(start, end) === selected ? { start, end } : undefined;
}

/** The caret at a place, or what lies between two selected. */
export function setCaret(element: HTMLElement, start: number, end = start): void {
  const text = element.firstChild;
  if (!(text instanceof Text)) getSelection()?.collapse(element, 0);
  else
    getSelection()?.setBaseAndExtent(
      text,
      Math.max(0, Math.min(start, text.length)),
      text,
      Math.max(0, Math.min(end, text.length)),
    );
}
