// A copy of the script, invisible behind the text field: carries sentence marks (CSS Custom Highlight API), the
// speakers' initials in the margin, and the weight of headings. One element per line (mirror-lines.ts); only changed
// lines are updated. Marks are painted near the visible part only: all 10,000 sentences of a book would make every key
// take 0.4 s instead of 0.1 s.

import { firstIndexWhere } from "../../../../main/contract/first-index-where.ts";
import { voiceHue, voiceInitial } from "../voices.ts";
import { domPositionAt, lineStarts, textBetween, updateLines } from "./mirror-lines.ts";
import { findEdit, rangeIndexAt, type TextRange } from "./text-ranges.ts";

const markKinds = ["pending", "stale", "missed", "spoken"] as const;
export type MarkKind = (typeof markKinds)[number];
export type VoicedRange = TextRange & {
  readonly voice: string;
  /** The voice that took over. */
  readonly spokenBy?: string | undefined;
  readonly speaker?: string | undefined;
};
/** In pixels from the corner of the page. */
export type Box = {
  readonly top: number;
  readonly left: number;
  readonly width: number;
  readonly height: number;
};
/** A line with an initial in the margin; `start` and `top` are the line's. */
export type SpeakerLine = {
  readonly start: number;
  readonly top: number;
  readonly voice: string;
  readonly spokenBy: string | undefined;
  readonly speaker: string | undefined;
};

export type Mirror = {
  setText(script: string): void;
  /** Replaces all marks of a kind. */
  mark(kind: MarkKind, textRanges: readonly TextRange[]): void;
  /** Call after scrolling. */
  paintVisibleMarks(): void;
  /** Shows initials at the start of paragraphs and where the voice changes. */
  setVoices(sentences: readonly VoicedRange[]): void;
  /** In viewport coordinates; undefined if the range is not in the text. */
  rectOf(textRange: TextRange): DOMRect | undefined;
  /** Undefined if the range is not in the text, or is on two lines. */
  boxOf(textRange: TextRange): Box | undefined;
  /** The part of the script near the visible one. */
  paintedRange(): TextRange;
  /** Lines with an initial in it. */
  speakerLines(): readonly SpeakerLine[];
  close(): void;
};

/** Undefined in browsers without the CSS Custom Highlight API; the text works without marks. */
const highlightRegistry = (): HighlightRegistry | undefined =>
  typeof CSS === "undefined" ? undefined : CSS.highlights;

/** @param onLayout lines may have moved, or another part of the script is near the visible one */
export function createMirror(element: HTMLElement, onLayout: () => void): Mirror {
  let script = "";
  let lines: HTMLElement[] = [];
  let starts: number[] = [];
  const marks = new Map<MarkKind, readonly TextRange[]>();
  let markedLines: ReadonlyMap<HTMLElement, VoicedRange> = new Map();
  /** The part of the script in which marks are painted; undefined if the text has changed. */
  let painted: TextRange | undefined;
  const resizing = new ResizeObserver(() => {
    paintVisibleMarks();
    onLayout();
  });
  resizing.observe(element);

  function setText(next: string): void {
    if (findEdit(script, next) === undefined && lines.length > 0) return;
    const texts = next.split("\n");
    lines = updateLines(element, lines, texts);
    script = next;
    starts = lineStarts(texts);
    painted = undefined;
  }

  function toStaticRange({ start, end }: TextRange): StaticRange | undefined {
    const [from, to] = [start, end].map((offset) => domPositionAt(lines, starts, offset));
    if (from === undefined || to === undefined || end > script.length) return undefined;
    return new StaticRange({
      startContainer: from.node,
      startOffset: from.offset,
      endContainer: to.node,
      endOffset: to.offset,
    });
  }

  function paintHighlights(kind: MarkKind, { start, end }: TextRange): void {
    const all = marks.get(kind) ?? [];
    const near = all.slice(rangeIndexAt(all, start), rangeIndexAt(all, end) + 1);
    setHighlight(
      kind,
      near.map(toStaticRange).filter((range) => range !== undefined),
    );
  }

  function paintVisibleMarks(): void {
    const visible = textBetween(lines, starts, 0, innerHeight);
    if (painted !== undefined && painted.start <= visible.start && painted.end >= visible.end)
      return;
    // One window height more in both directions, so that not every scroll event paints.
    painted = textBetween(lines, starts, -innerHeight, 2 * innerHeight);
    for (const kind of markKinds) paintHighlights(kind, painted);
    onLayout();
  }

  function rangeOf({ start, end }: TextRange): Range | undefined {
    const [from, to] = [start, end].map((offset) => domPositionAt(lines, starts, offset));
    if (from === undefined || to === undefined) return undefined;
    const range = document.createRange();
    range.setStart(from.node, from.offset);
    range.setEnd(to.node, to.offset);
    return range;
  }

  return {
    setText,
    mark(kind, textRanges) {
      marks.set(kind, textRanges);
      if (painted === undefined) paintVisibleMarks();
      else paintHighlights(kind, painted);
    },
    paintVisibleMarks,
    setVoices(sentences) {
      const fresh = findVoicesOfLines(lines, starts, sentences);
      updateInitials(markedLines, fresh);
      markedLines = fresh;
    },
    rectOf: (textRange) => rangeOf(textRange)?.getBoundingClientRect(),
    boxOf: (textRange) => boxWithin(element, rangeOf(textRange)?.getClientRects() ?? []),
    paintedRange: () => ({
      start: Math.min(painted?.start ?? 0, script.length),
      end: Math.min(painted?.end ?? 0, script.length),
    }),
    speakerLines() {
      const { start: from = 0, end: to = 0 } = painted ?? {};
      const first = firstIndexWhere(starts, (start) => start >= from);
      const end = firstIndexWhere(starts, (start) => start >= to);
      return lines.slice(first, end).flatMap((line, index) => {
        const range = markedLines.get(line);
        if (range === undefined) return [];
        const { voice, spokenBy, speaker } = range;
        const start = starts[first + index] ?? 0;
        return { start, top: line.offsetTop, voice, spokenBy, speaker };
      });
    },
    close() {
      resizing.disconnect();
      for (const kind of markKinds) highlightRegistry()?.delete(`narrate-${kind}`);
    },
  };
}

function setHighlight(kind: MarkKind, ranges: readonly StaticRange[]): void {
  if (ranges.length === 0) highlightRegistry()?.delete(`narrate-${kind}`);
  else
    highlightRegistry()?.set(
      `narrate-${kind}`,
      Object.assign(new Highlight(...ranges), { priority: markKinds.indexOf(kind) }),
    );
}

/** The first sentence of each line that begins a paragraph or has another speaker than the line before it. */
function findVoicesOfLines(
  lines: readonly HTMLElement[],
  starts: readonly number[],
  sentences: readonly VoicedRange[],
): ReadonlyMap<HTMLElement, VoicedRange> {
  const fresh = new Map<HTMLElement, VoicedRange>();
  let last: VoicedRange | undefined;
  for (const [index, start] of starts.entries()) {
    const line = lines[index];
    const end = start + (line?.textContent?.length ?? 0);
    const at = rangeIndexAt(sentences, end - 1);
    const first = sentences[at];
    if (line === undefined || first === undefined || first.end <= start || first.start >= end)
      continue;
    // Finds the first sentence of the line, not its last.
    let firstIndex = at;
    while (firstIndex > 0 && (sentences[firstIndex - 1]?.end ?? 0) > start) firstIndex -= 1;
    const range = sentences[firstIndex] ?? first;
    const isParagraph = index === 0 || (lines[index - 1]?.textContent ?? "").trim() === "";
    const isSame =
      range.voice === last?.voice &&
      range.speaker === last.speaker &&
      range.spokenBy === last.spokenBy;
    if (isParagraph || !isSame) fresh.set(line, range);
    last = first;
  }
  return fresh;
}

/** Skips unchanged lines: a book has thousands, and each touched line needs a new layout. */
function updateInitials(
  before: ReadonlyMap<HTMLElement, VoicedRange>,
  after: ReadonlyMap<HTMLElement, VoicedRange>,
): void {
  for (const line of before.keys()) {
    if (after.has(line)) continue;
    delete line.dataset["voice"];
    delete line.dataset["hue"];
  }
  for (const [line, range] of after) {
    const old = before.get(line);
    if (old?.voice === range.voice && old.speaker === range.speaker) continue;
    line.dataset["voice"] = voiceInitial(range.speaker ?? range.voice);
    line.dataset["hue"] = String(voiceHue(range.voice));
  }
}

function boxWithin(element: HTMLElement, [rect, ...more]: Iterable<DOMRect>): Box | undefined {
  if (rect === undefined || more.length > 0) return undefined;
  const origin = element.getBoundingClientRect();
  const { width, height } = rect;
  return { top: rect.top - origin.top, left: rect.left - origin.left, width, height };
}
