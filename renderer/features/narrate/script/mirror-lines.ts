// The line elements of the script's mirror: updated where the text changed, and found by offset or position.

import type { TextRange } from "./text-ranges.ts";
import { firstIndexWhere } from "../../../../main/contract/first-index-where.ts";

/** Updates the elements that differ from `texts`. @returns one element per text */
export function updateLines(
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
export function lineStarts(texts: readonly string[]): number[] {
  const starts: number[] = [];
  let at = 0;
  for (const text of texts) {
    starts.push(at);
    at += text.length + 1;
  }
  return starts;
}

/** The lines that are between two vertical positions of the viewport, as a part of the script. */
export function textBetween(
  lines: readonly HTMLElement[],
  starts: readonly number[],
  top: number,
  bottom: number,
): TextRange {
  const first = firstIndexWhere(lines, (line) => line.getBoundingClientRect().bottom > top);
  const end = firstIndexWhere(lines, (line) => line.getBoundingClientRect().top >= bottom);
  return { start: starts[first] ?? Infinity, end: starts[end] ?? Infinity };
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
  line.classList.toggle("script-heading", /^\s*(?:\[[^[\]]*\]\s*)?#{1,6}\s+\S/.test(text));
  if (line.firstChild instanceof Text) line.firstChild.data = text;
  else if (text !== "") line.append(text);
}

/** Converts an offset in the script to a DOM position. */
export function domPositionAt(
  lines: readonly HTMLElement[],
  starts: readonly number[],
  offset: number,
): { node: Node; offset: number } | undefined {
  const index = firstIndexWhere(starts, (start) => start > offset) - 1;
  const line = lines[index];
  if (line === undefined) return undefined;
  const text = line.firstChild;
  return text === null
    ? { node: line, offset: 0 }
    : { node: text, offset: Math.min(offset - (starts[index] ?? 0), (text as Text).length) };
}
