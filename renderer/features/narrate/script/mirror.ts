// A copy of the script, invisible behind the text field: carries sentence marks (CSS Custom Highlight API) and the
// voices' initials in the margin. One element per line; only changed lines are updated. Marks are painted near the
// visible part only: all 10,000 sentences of a book would make every key take 0.4 s instead of 0.1 s.

import { voiceHue, voiceInitial } from "../voices.ts";
import { findEdit, rangeIndexAt, type TextRange } from "./text-ranges.ts";

const markKinds = ["generated", "stale", "missed", "spoken"] as const;
export type MarkKind = (typeof markKinds)[number];
export type VoicedRange = TextRange & { readonly voice: string };

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
  close(): void;
};

/** Undefined in browsers without the CSS Custom Highlight API; the text works without marks. */
const highlightRegistry = (): HighlightRegistry | undefined =>
  typeof CSS === "undefined" ? undefined : CSS.highlights;

export function createMirror(element: HTMLElement): Mirror {
  let script = "";
  let lines: HTMLElement[] = [];
  let starts: number[] = [];
  const marks = new Map<MarkKind, readonly TextRange[]>();
  let markedLines: ReadonlyMap<HTMLElement, string> = new Map();
  /** The part of the script in which marks are painted; undefined if the text has changed. */
  let painted: TextRange | undefined;
  const resizing = new ResizeObserver(paintVisibleMarks);
  resizing.observe(element);

  function setText(next: string): void {
    if (findEdit(script, next) === undefined && lines.length > 0) return;
    const texts = next.split("\n");
    lines = updateLines(element, lines, texts);
    script = next;
    starts = lineStarts(texts);
    painted = undefined;
  }

  /** Converts an offset in the script to a DOM position. */
  function domPositionAt(offset: number): { node: Node; offset: number } | undefined {
    const index = firstIndexWhere(starts, (start) => start > offset) - 1;
    const line = lines[index];
    if (line === undefined) return undefined;
    const text = line.firstChild;
    return text === null
      ? { node: line, offset: 0 }
      : { node: text, offset: Math.min(offset - (starts[index] ?? 0), (text as Text).length) };
  }

  function toStaticRange({ start, end }: TextRange): StaticRange | undefined {
    const [from, to] = [domPositionAt(start), domPositionAt(end)];
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
      // Skips unchanged lines: a book has thousands, and each touched line needs a new layout.
      for (const line of markedLines.keys()) {
        if (fresh.has(line)) continue;
        delete line.dataset["voice"];
        delete line.dataset["hue"];
      }
      for (const [line, voice] of fresh) {
        if (markedLines.get(line) === voice) continue;
        line.dataset["voice"] = voiceInitial(voice);
        line.dataset["hue"] = String(voiceHue(voice));
      }
      markedLines = fresh;
    },
    rectOf(textRange) {
      const [from, to] = [domPositionAt(textRange.start), domPositionAt(textRange.end)];
      if (from === undefined || to === undefined) return undefined;
      const range = document.createRange();
      range.setStart(from.node, from.offset);
      range.setEnd(to.node, to.offset);
      return range.getBoundingClientRect();
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

/** Updates the elements that differ from `texts`. @returns one element per text */
function updateLines(
  element: HTMLElement,
  lines: readonly HTMLElement[],
  texts: readonly string[],
): HTMLElement[] {
  const { commonHeadCount, commonTailCount } = commonLines(
    lines.map((line) => line.textContent ?? ""),
    texts,
  );
  const after = lines[lines.length - commonTailCount] ?? null;
  const changed = lines.slice(commonHeadCount, lines.length - commonTailCount);
  const newTexts = texts.slice(commonHeadCount, texts.length - commonTailCount);
  // Reuses line elements: when Chromium removes a node, it ends the group of typing that one undo takes back.
  for (const [at, line] of changed.entries()) {
    const text = newTexts[at];
    if (text === undefined) line.remove();
    else setLineText(line, text);
  }
  const fresh = newTexts.slice(changed.length).map(createLine);
  element.insertBefore(createFragment(fresh), commonTailCount === 0 ? null : after);
  return [
    ...lines.slice(0, commonHeadCount),
    ...changed.slice(0, newTexts.length),
    ...fresh,
    ...lines.slice(lines.length - commonTailCount),
  ];
}

/** How many lines at the start and at the end are the same. */
function commonLines(
  before: readonly string[],
  after: readonly string[],
): { commonHeadCount: number; commonTailCount: number } {
  const minCount = Math.min(before.length, after.length);
  let commonHeadCount = 0;
  while (commonHeadCount < minCount && after[commonHeadCount] === before[commonHeadCount])
    commonHeadCount += 1;
  let commonTailCount = 0;
  while (
    commonTailCount < minCount - commonHeadCount &&
    after.at(-1 - commonTailCount) === before.at(-1 - commonTailCount)
  )
    commonTailCount += 1;
  return { commonHeadCount, commonTailCount };
}

/** Offset of each line in the script. */
function lineStarts(texts: readonly string[]): number[] {
  const starts: number[] = [];
  let at = 0;
  for (const text of texts) {
    starts.push(at);
    at += text.length + 1;
  }
  return starts;
}

/** The lines that are between two vertical positions of the viewport, as a part of the script. */
function textBetween(
  lines: readonly HTMLElement[],
  starts: readonly number[],
  top: number,
  bottom: number,
): TextRange {
  const first = firstIndexWhere(lines, (line) => line.getBoundingClientRect().bottom > top);
  const end = firstIndexWhere(lines, (line) => line.getBoundingClientRect().top >= bottom);
  return { start: starts[first] ?? Infinity, end: starts[end] ?? Infinity };
}

/** Binary search: all elements from the result on have the property. The length if none has. */
function firstIndexWhere<Item>(
  items: readonly Item[],
  hasProperty: (item: Item) => boolean,
): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (hasProperty(items[middle] as Item)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The voice of each line that begins a paragraph or has another voice than the line before it. */
function findVoicesOfLines(
  lines: readonly HTMLElement[],
  starts: readonly number[],
  sentences: readonly VoicedRange[],
): ReadonlyMap<HTMLElement, string> {
  const fresh = new Map<HTMLElement, string>();
  let lastVoice: string | undefined;
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
    const { voice = "" } = sentences[firstIndex] ?? {};
    const isParagraph = index === 0 || (lines[index - 1]?.textContent ?? "").trim() === "";
    if (isParagraph || voice !== lastVoice) fresh.set(line, voice);
    lastVoice = sentences[at]?.voice;
  }
  return fresh;
}

function createFragment(elements: readonly HTMLElement[]): DocumentFragment {
  const fragment = document.createDocumentFragment();
  fragment.append(...elements);
  return fragment;
}

function createLine(text: string): HTMLElement {
  const line = document.createElement("div");
  line.className = "script-line";
  setLineText(line, text);
  return line;
}

function setLineText(line: HTMLElement, text: string): void {
  if (line.firstChild instanceof Text) line.firstChild.data = text;
  else if (text !== "") line.append(text);
}
