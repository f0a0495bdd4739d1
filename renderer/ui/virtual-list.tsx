// Virtualized list: only the visible rows exist, plus the focused one, which keeps the focus while scrolling. Row
// heights are measured and may differ.

import "./virtual-list.css";
import { defaultRangeExtractor, useVirtualizer, type Virtualizer } from "@tanstack/react-virtual";
import { useImperativeHandle, useRef, type ReactNode, type Ref } from "react";
import { RowTabIndex, useRows } from "./rows.ts";

export type VirtualListHandle = {
  scrollTo: (index: number, align?: "start" | "center" | "auto") => void;
};

type VirtualListProps = {
  label: string;
  count: number;
  /** Estimated height in pixels, until a row is measured. */
  rowHeight: number;
  keyOf: (index: number) => string | number;
  row: (index: number) => ReactNode;
  handle?: Ref<VirtualListHandle>;
  className?: string;
  /** As in `useRows`. */
  isFocusable?: (index: number) => boolean;
  onRowFocus?: (index: number) => void;
  onRowMove?: (from: number, to: number, isExtending: boolean) => void;
  /** For rows that handle keys themselves: the row with the focus, −1 for none. */
  currentOverride?: number;
};

export function VirtualList({
  label,
  count,
  rowHeight,
  keyOf,
  row,
  handle,
  className = "",
  currentOverride,
  ...rowOptions
}: VirtualListProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const { current, tabIndexOf, list } = useRows({
    ...rowOptions,
    count,
    keyOf,
    scrollTo: (index) => rows.scrollToIndex(index),
  });
  const pinnedIndex = currentOverride ?? current;
  const rows: Virtualizer<HTMLDivElement, HTMLElement> = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    getItemKey: keyOf,
    // More would make rows appear later when the user scrolls fast.
    overscan: 4,
    indexAttribute: "data-row",
    rangeExtractor: (range) =>
      [...new Set(defaultRangeExtractor(range)).add(pinnedIndex)]
        .filter((index) => index >= 0 && index < count)
        .sort((a, b) => a - b),
  });
  useImperativeHandle(
    handle,
    () => ({ scrollTo: (index, align = "auto") => rows.scrollToIndex(index, { align }) }),
    [rows],
  );
  return (
    <div ref={scroller} className={`virtual-list ${className}`}>
      <div
        {...(currentOverride === undefined ? list : {})}
        role="list"
        aria-label={label}
        className="virtual-list-rows"
        style={{ "--list-height": `${rows.getTotalSize()}px` }}
      >
        {rows.getVirtualItems().map(({ index, key, start }) => (
          <div
            key={key}
            role="listitem"
            aria-setsize={count}
            aria-posinset={index + 1}
            data-row={index}
            ref={rows.measureElement}
            className="virtual-list-row"
            style={{ "--row-at": `${start}px` }}
          >
            <RowTabIndex value={currentOverride === undefined ? tabIndexOf(index) : undefined}>
              {row(index)}
            </RowTabIndex>
          </div>
        ))}
      </div>
    </div>
  );
}
