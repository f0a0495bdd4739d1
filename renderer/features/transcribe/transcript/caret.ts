// Offsets in an element with one text: at the pointer, at the caret. In UTF-16 units.

/** Older engines have only the second method. */
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

/** Number of UTF-16 units before the caret or selection; typing may have left several text nodes. */
export function caretOffset(element: HTMLElement): number {
  const selection = getSelection();
  const selected =
    selection === null || selection.rangeCount === 0 ? undefined : selection.getRangeAt(0);
  return selected === undefined
    ? 0
    : (textOffset(element, selected.startContainer, selected.startOffset) ?? 0);
}

/** Number of UTF-16 units before a place in the document; undefined if it is not in the element. */
function textOffset(element: HTMLElement, node: Node, offset: number): number | undefined {
  if (!element.contains(node)) return undefined;
  const rangeBefore = document.createRange();
  rangeBefore.selectNodeContents(element);
  rangeBefore.setEnd(node, offset);
  return rangeBefore.toString().length;
}

/** The part of the element's text that is in a range of the document. */
export const textRangeIn = (
  element: HTMLElement,
  range: Range,
): { readonly start: number; readonly end: number } => ({
  start: textOffset(element, range.startContainer, range.startOffset) ?? 0,
  end: textOffset(element, range.endContainer, range.endOffset) ?? element.textContent.length,
});

/**
 * The range that a double click selected, by the browser's rules for words, without the trailing space that some
 * systems add; undefined if it is not in the element's text.
 */
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

/** Sets the caret, or selects from `start` to `end`. */
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
