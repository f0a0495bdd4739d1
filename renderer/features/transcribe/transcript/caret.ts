// Places in an element that holds one text: under the pointer, at the caret. In UTF-16 units.

/** Older engines know the second form only. */
type Pointed = { caretPositionFromPoint?(x: number, y: number): { offsetNode: Node; offset: number } | null; caretRangeFromPoint?(x: number, y: number): Range | null };

export function offsetAt(element: HTMLElement, x: number, y: number): number {
  const page: Pointed = document;
  const position = page.caretPositionFromPoint?.(x, y);
  if (position != null) return element.contains(position.offsetNode) ? position.offset : 0;
  const range = page.caretRangeFromPoint?.(x, y);
  return range != null && element.contains(range.startContainer) ? range.startOffset : 0;
}

/** Places before the caret; typing may have left several text nodes. */
export function caretOffset(element: HTMLElement): number {
  const selection = getSelection();
  if (selection === null || selection.rangeCount === 0 || !element.contains(selection.focusNode)) return 0;
  const before = document.createRange();
  before.selectNodeContents(element);
  before.setEnd(selection.focusNode ?? element, selection.focusOffset);
  return before.toString().length;
}

export function caretAt(element: HTMLElement, offset: number): void {
  const text = element.firstChild;
  if (text instanceof Text) getSelection()?.collapse(text, Math.max(0, Math.min(offset, text.length)));
  else getSelection()?.collapse(element, 0);
}
