// A list of any length of which only the rows in sight exist. Rows may differ in height: they are measured.

import './virtual-list.css';
import { useVirtualizer, type Virtualizer } from '@tanstack/react-virtual';
import { useImperativeHandle, useRef, type ReactNode, type Ref } from 'react';

export type VirtualListHandle = { scrollTo: (index: number, align?: 'start' | 'center' | 'auto') => void };

type VirtualListProps = {
  label: string;
  count: number;
  /** A guess of a row's height, in pixels, until it is measured. */
  rowHeight: number;
  keyOf: (index: number) => string | number;
  row: (index: number) => ReactNode;
  handle?: Ref<VirtualListHandle>;
  className?: string;
};

export function VirtualList({ label, count, rowHeight, keyOf, row, handle, className = '' }: VirtualListProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const rows: Virtualizer<HTMLDivElement, HTMLElement> = useVirtualizer({ count, getScrollElement: () => scroller.current, estimateSize: () => rowHeight, getItemKey: keyOf, overscan: 8 });
  useImperativeHandle(handle, () => ({ scrollTo: (index, align = 'auto') => rows.scrollToIndex(index, { align }) }), [rows]);
  return (
    <div ref={scroller} className={`virtual-list ${className}`}>
      <div role="list" aria-label={label} className="virtual-list-rows" style={{ '--height': `${rows.getTotalSize()}px` }}>
        {rows.getVirtualItems().map(({ index, key, start }) => (
          <div key={key} role="listitem" aria-setsize={count} aria-posinset={index + 1} data-index={index} ref={rows.measureElement} className="virtual-list-row" style={{ '--at': `${start}px` }}>
            {row(index)}
          </div>
        ))}
      </div>
    </div>
  );
}
