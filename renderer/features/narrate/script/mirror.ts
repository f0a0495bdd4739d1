// The script a second time, unseen behind the text field: what carries the marks of sentences (painted by the browser's
// own highlights) and the voices' initials in the margin. A line is an element; only lines that changed are touched.

import { hueOf, initialOf } from "../voices.ts";
import { editBetween, placeAt, type Placed } from "./placing.ts";

const markKinds = ["made", "stale", "missed", "spoken"] as const;
export type MarkKind = (typeof markKinds)[number];
export type Voiced = Placed & { readonly voice: string };

export type Mirror = {
  setText(script: string): void;
  /** All marks of a kind; what was marked before is not any more. */
  mark(kind: MarkKind, places: readonly Placed[]): void;
  /** Initials at the beginnings of paragraphs, and where the voice changes. */
  setVoices(sentences: readonly Voiced[]): void;
  /** On the screen; undefined where it is not in the text. */
  boxOf(place: Placed): DOMRect | undefined;
  close(): void;
};

/** Where a browser has no such highlights, the text is as readable without. */
const registry = (): HighlightRegistry | undefined =>
  typeof CSS === "undefined" ? undefined : CSS.highlights;

export function createMirror(element: HTMLElement): Mirror {
  let script = "";
  let lines: HTMLElement[] = [];
  let starts: number[] = [];
  const marks = new Map<MarkKind, readonly Placed[]>();
  let voiced: ReadonlyMap<HTMLElement, string> = new Map();

  function setText(next: string): void {
    const edit = editBetween(script, next);
    if (edit === undefined && lines.length > 0) return;
    const texts = next.split("\n");
    const before = lines.map((line) => line.textContent ?? "");
    let head = 0;
    while (head < Math.min(texts.length, before.length) && texts[head] === before[head]) head += 1;
    let tail = 0;
    while (
      tail < Math.min(texts.length, before.length) - head &&
      texts.at(-1 - tail) === before.at(-1 - tail)
    )
      tail += 1;
    const after = lines[lines.length - tail] ?? null;
    const changed = lines.slice(head, lines.length - tail);
    const wanted = texts.slice(head, texts.length - tail);
    // Written over where there is a line already: a line taken out would end the run of typing that undo takes back.
    for (const [at, line] of changed.entries()) {
      const text = wanted[at];
      if (text === undefined) line.remove();
      else write(line, text);
    }
    const fresh = wanted.slice(changed.length).map(lineOf);
    element.insertBefore(fragmentOf(fresh), tail === 0 ? null : after);
    lines = [
      ...lines.slice(0, head),
      ...changed.slice(0, wanted.length),
      ...fresh,
      ...lines.slice(lines.length - tail),
    ];
    script = next;
    starts = [];
    let at = 0;
    for (const text of texts) {
      starts.push(at);
      at += text.length + 1;
    }
  }

  /** The line an offset is in, and where in it. */
  function pointAt(offset: number): { node: Node; offset: number } | undefined {
    let low = 0;
    let high = starts.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((starts[middle] ?? Infinity) <= offset) low = middle + 1;
      else high = middle;
    }
    const line = lines[low - 1];
    if (line === undefined) return undefined;
    const text = line.firstChild;
    return text === null
      ? { node: line, offset: 0 }
      : { node: text, offset: Math.min(offset - (starts[low - 1] ?? 0), (text as Text).length) };
  }

  function rangeOf({ start, end }: Placed): StaticRange | undefined {
    const [from, to] = [pointAt(start), pointAt(end)];
    if (from === undefined || to === undefined || end > script.length) return undefined;
    return new StaticRange({
      startContainer: from.node,
      startOffset: from.offset,
      endContainer: to.node,
      endOffset: to.offset,
    });
  }

  function paint(kind: MarkKind): void {
    const highlights = registry();
    const ranges = (marks.get(kind) ?? []).map(rangeOf).filter((range) => range !== undefined);
    if (ranges.length === 0) highlights?.delete(`narrate-${kind}`);
    else
      highlights?.set(
        `narrate-${kind}`,
        Object.assign(new Highlight(...ranges), { priority: markKinds.indexOf(kind) }),
      );
  }

  return {
    setText,
    mark(kind, places) {
      marks.set(kind, places);
      paint(kind);
    },
    setVoices(sentences) {
      const fresh = new Map<HTMLElement, string>();
      let spoken: string | undefined;
      for (const [index, start] of starts.entries()) {
        const line = lines[index];
        const end = start + (line?.textContent?.length ?? 0);
        const at = placeAt(sentences, end - 1);
        const first = sentences[at];
        if (line === undefined || first === undefined || first.end <= start || first.start >= end)
          continue;
        // The line's own first sentence, not its last.
        let own = at;
        while (own > 0 && (sentences[own - 1]?.end ?? 0) > start) own -= 1;
        const { voice = "" } = sentences[own] ?? {};
        const isParagraph = index === 0 || (lines[index - 1]?.textContent ?? "").trim() === "";
        if (isParagraph || voice !== spoken) fresh.set(line, voice);
        spoken = sentences[at]?.voice;
      }
      // Lines that stay as they are are not touched: a book has thousands, and each would be laid out anew.
      for (const line of voiced.keys()) {
        if (fresh.has(line)) continue;
        delete line.dataset["voice"];
        delete line.dataset["hue"];
      }
      for (const [line, voice] of fresh) {
        if (voiced.get(line) === voice) continue;
        line.dataset["voice"] = initialOf(voice);
        line.dataset["hue"] = String(hueOf(voice));
      }
      voiced = fresh;
    },
    boxOf(place) {
      const [from, to] = [pointAt(place.start), pointAt(place.end)];
      if (from === undefined || to === undefined) return undefined;
      const range = document.createRange();
      range.setStart(from.node, from.offset);
      range.setEnd(to.node, to.offset);
      return range.getBoundingClientRect();
    },
    close() {
      for (const kind of markKinds) registry()?.delete(`narrate-${kind}`);
    },
  };
}

function fragmentOf(elements: readonly HTMLElement[]): DocumentFragment {
  const fragment = document.createDocumentFragment();
  fragment.append(...elements);
  return fragment;
}

function lineOf(text: string): HTMLElement {
  const line = document.createElement("div");
  line.className = "script-line";
  write(line, text);
  return line;
}

function write(line: HTMLElement, text: string): void {
  if (line.firstChild instanceof Text) line.firstChild.data = text;
  else if (text !== "") line.append(text);
}
