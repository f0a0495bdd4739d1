// Search results: items, and below each its hits, which open at their time.

import { AudioLines, BookAudio } from "lucide-react";
import { useMemo } from "react";
import type { SearchHit } from "../../../main/contract/library-item.ts";
import { formatTime } from "../../messages/format.ts";
import { t } from "../../messages/messages.ts";
import { itemPath, useItems } from "../../stores/items.ts";
import { useRowTabIndex } from "../../ui/rows.ts";
import { VirtualList } from "../../ui/virtual-list.tsx";
import { hitLines, snippetParts } from "./hits.ts";

const rowHeightPx = 36;

/**
 * Hits in titles and scripts have no time. Hits in a transcript pass the query, so that its words are highlighted
 * there.
 */
export function hitPath({ itemId, segmentId, startSec }: SearchHit, query: string): string {
  const path = itemPath({
    id: itemId,
    kind: useItems.getState().byId.get(itemId)?.kind ?? "transcript",
  });
  return segmentId === undefined
    ? path
    : `${path}?at=${startSec}&q=${encodeURIComponent(query.trim())}`;
}

export function HitList({ hits, query }: { hits: readonly SearchHit[]; query: string }) {
  const lines = useMemo(() => hitLines(hits), [hits]);
  const byId = useItems((state) => state.byId);
  return (
    <VirtualList
      label={t("library.hits")}
      count={lines.length}
      rowHeight={rowHeightPx}
      isFocusable={(index) => lines[index]?.kind === "hit"}
      keyOf={(index) => {
        const line = lines[index];
        return line === undefined
          ? index
          : line.kind === "item"
            ? line.itemId
            : `${line.hit.itemId} ${line.hit.segmentId ?? `top ${index}`}`;
      }}
      row={(index) => {
        const line = lines[index];
        if (line === undefined) return null;
        if (line.kind === "item") {
          const Icon = byId.get(line.itemId)?.kind === "narration" ? BookAudio : AudioLines;
          return (
            <div className="library-hit-item">
              <Icon className="library-kind" aria-hidden />
              <span className="library-title">{line.title}</span>
              <span className="secondary">{t("library.hits.count", { count: line.count })}</span>
            </div>
          );
        }
        return <Hit hit={line.hit} query={query} />;
      }}
    />
  );
}

const Hit = ({ hit, query }: { hit: SearchHit; query: string }) => (
  <a className="library-hit" tabIndex={useRowTabIndex()} href={`#${hitPath(hit, query)}`}>
    <span className="library-hit-time">
      {hit.segmentId === undefined ? "" : formatTime(hit.startSec)}
    </span>
    <span className="library-hit-text">
      {snippetParts(hit.snippet).map(({ text, isHit }, at) =>
        isHit ? <mark key={at}>{text}</mark> : text,
      )}
    </span>
  </a>
);
