// A list of any length of which only the rows in sight exist, and the one the keyboard is at: it keeps the focus
// wherever the list is scrolled to. Rows may differ in height: they are measured.

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
  /** A guess of a row's height, in pixels, until it is measured. */
  rowHeight: number;
  keyOf: (index: number) => string | number;
  row: (index: number) => ReactNode;
  handle?: Ref<VirtualListHandle>;
  className?: string;
  /** As of `useRows`. */
  isFocusable?: (index: number) => boolean;
  onRowFocus?: (index: number) => void;
  onRowMove?: (from: number, to: number, isExtending: boolean) => void;
  /** Rows that take the keys themselves: the one of them the keyboard is at, −1 for none. */
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
    overscan: 8,
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
        style={{ "--height": `${rows.getTotalSize()}px` }}
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
            style={{ "--at": `${start}px` }}
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
