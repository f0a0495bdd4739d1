// Hits of a search as a list to walk through: a line for each item, its hits under it. Pure.

import type { SearchHit } from "../../../main/contract/studio.ts";

export type SnippetPart = { readonly text: string; readonly isHit: boolean };

/** The hit itself stands between \u0001 and \u0002. */
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

/** In the order the search gave: the best item first, its hits in time. */
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
