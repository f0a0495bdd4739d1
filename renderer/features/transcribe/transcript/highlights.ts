// Highlights words without an element for each: ranges in the rows' text nodes, painted by the CSS Custom Highlight
// API. Each row has one text node; rows are painted as they appear while scrolling.

/** A range in a segment's text, in UTF-16 units. */
export type Mark = { readonly start: number; readonly end: number };
export type MarkKind = "spoken" | "found" | "chosen" | "corrected";

export type Highlights = {
  /** Call when a row appears or its text changes. */
  addRow(segmentId: number, element: HTMLElement): void;
  removeRow(segmentId: number): void;
  /** Replaces all marks of a kind, by segment. */
  mark(kind: MarkKind, marks: ReadonlyMap<number, readonly Mark[]>): void;
};

const kinds: readonly MarkKind[] = ["spoken", "found", "chosen", "corrected"];

/** Undefined in browsers without the CSS Custom Highlight API; the spoken segment's row is still marked. */
const highlightRegistry = (): HighlightRegistry | undefined =>
  typeof CSS === "undefined" ? undefined : CSS.highlights;

export function createHighlights(): Highlights {
  const rows = new Map<number, HTMLElement>();
  const marksByKind: Record<MarkKind, ReadonlyMap<number, readonly Mark[]>> = {
    spoken: new Map(),
    found: new Map(),
    chosen: new Map(),
    corrected: new Map(),
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

  /** Many rows may appear at once: paint them together before the next frame. */
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
