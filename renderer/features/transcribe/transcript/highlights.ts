// Words marked in the text without an element each: ranges over the rows' text, painted by the browser's own highlights.
// A row has one text node; rows come and go as the list scrolls, and are painted as they come.

/** Places in a segment's text, in UTF-16 units. */
export type Mark = { readonly start: number; readonly end: number };
export type MarkKind = "spoken" | "found" | "chosen";

export type Highlights = {
  /** A row appeared, or its text changed. */
  addRow(segmentId: number, element: HTMLElement): void;
  removeRow(segmentId: number): void;
  /** All marks of a kind, by segment; what was marked before is not any more. */
  mark(kind: MarkKind, marks: ReadonlyMap<number, readonly Mark[]>): void;
};

const kinds: readonly MarkKind[] = ["spoken", "found", "chosen"];

/** Where a browser has no such highlights, the segment being spoken is still marked as a whole by its row. */
const highlightRegistry = (): HighlightRegistry | undefined =>
  typeof CSS === "undefined" ? undefined : CSS.highlights;

export function createHighlights(): Highlights {
  const rows = new Map<number, HTMLElement>();
  const marksByKind: Record<MarkKind, ReadonlyMap<number, readonly Mark[]>> = {
    spoken: new Map(),
    found: new Map(),
    chosen: new Map(),
  };

  function paint(kind: MarkKind): void {
    const highlights = highlightRegistry();
    if (highlights === undefined) return;
    const ranges = [...rows].flatMap(([segmentId, element]) => {
      const text = element.firstChild;
      const marks = marksByKind[kind].get(segmentId);
      if (marks === undefined || !(text instanceof Text)) return [];
      return marks.flatMap(({ start, end }) => {
        if (end > text.length) return [];
        const range = new Range();
        range.setStart(text, start);
        range.setEnd(text, end);
        return [range];
      });
    });
    if (ranges.length === 0) highlights.delete(`transcribe-${kind}`);
    else highlights.set(`transcribe-${kind}`, new Highlight(...ranges));
  }

  /** Many rows may come at once: painted together, before the next frame. */
  let isPaintScheduled = false;
  function schedulePaint(): void {
    if (isPaintScheduled) return;
    isPaintScheduled = true;
    queueMicrotask(() => {
      isPaintScheduled = false;
      for (const kind of kinds) paint(kind);
    });
  }

  return {
    addRow(segmentId, element) {
      rows.set(segmentId, element);
      schedulePaint();
    },
    removeRow(segmentId) {
      rows.delete(segmentId);
      schedulePaint();
    },
    mark(kind, marks) {
      marksByKind[kind] = marks;
      paint(kind);
    },
  };
}
