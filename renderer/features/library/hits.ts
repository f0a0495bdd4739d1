// Groups search hits into lines: one for each item, then its hits. Pure.

import type { SearchHit } from "../../../main/contract/library-item.ts";

export type SnippetPart = { readonly text: string; readonly isHit: boolean };

/** Splits a snippet in which \u0001 and \u0002 enclose the hit. */
export function snippetParts(snippet: string): SnippetPart[] {
  const [plain = "", ...marked] = snippet.split("\u0001");
  const parts = marked.flatMap((text) => {
    const [hit = "", ...rest] = text.split("\u0002");
    return [
      { text: hit, isHit: true },
      { text: rest.join(""), isHit: false },
    ];
  });
  return [{ text: plain, isHit: false }, ...parts].filter(({ text }) => text !== "");
}

export type HitLine =
  | {
      readonly kind: "item";
      readonly itemId: string;
      readonly title: string;
      readonly count: number;
    }
  | { readonly kind: "hit"; readonly hit: SearchHit };

/** Keeps the order of the search: best item first, its hits by time. */
export function hitLines(hits: readonly SearchHit[]): HitLine[] {
  return Array.from(Map.groupBy(hits, ({ itemId }) => itemId).values()).flatMap(
    (itemHits): HitLine[] => {
      const [first] = itemHits;
      if (first === undefined) return [];
      return [
        { kind: "item", itemId: first.itemId, title: first.title, count: itemHits.length },
        ...itemHits.map((hit) => ({ kind: "hit" as const, hit })),
      ];
    },
  );
}
