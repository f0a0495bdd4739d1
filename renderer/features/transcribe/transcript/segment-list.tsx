// The text: a list of segments of which only those in sight exist. Follows the sound unless the person scrolls away.

import "./segment-list.css";
import { useEffect, useMemo, useRef } from "react";
import { t } from "../../../messages/messages.ts";
import { usePlayer } from "../../../stores/player.ts";
import { VirtualList, type VirtualListHandle } from "../../../ui/virtual-list.tsx";
import { speakersOf } from "../document/speakers.ts";
import { SegmentRow } from "./segment-row.tsx";
import { useDocument, useTranscript, useView } from "./use-transcript.ts";

/** In pixels, until a row is measured. */
const rowHeight = 64;
/** How long after scrolling by hand the list stays where it was put. */
const restMs = 4000;

export function SegmentList() {
  const { item, open } = useTranscript();
  const segments = useDocument((state) => state.segments);
  const spokenId = useView((view) => view.spokenId);
  const focusedId = useView((view) => view.focusedId);
  const takesFocus = useView((view) => view.takesFocus);
  const revealed = useView((view) => view.revealed);
  const editing = useView((view) => view.editing);
  const isPlaying = usePlayer((state) => state.isPlaying && state.source?.id === item.id);
  const list = useRef<VirtualListHandle>(null);
  const scrolledAtMs = useRef(0);
  const indexOf = (id: number | undefined): number =>
    id === undefined
      ? -1
      : open.store.getState().segments.findIndex((segment) => segment.id === id);

  useEffect(() => {
    const index = indexOf(spokenId);
    if (
      isPlaying &&
      editing === undefined &&
      index >= 0 &&
      performance.now() - scrolledAtMs.current > restMs
    )
      list.current?.scrollTo(index, "auto");
    // `indexOf` reads the store as it is at that moment.
  }, [spokenId, isPlaying, editing]);
  useEffect(() => {
    const index = indexOf(editing?.id ?? focusedId);
    if ((takesFocus || editing !== undefined) && index >= 0) list.current?.scrollTo(index, "auto");
  }, [focusedId, takesFocus, editing]);

  useEffect(() => {
    const index = indexOf(revealed?.id);
    if (index >= 0) list.current?.scrollTo(index, "center");
  }, [revealed]);

  const hues = useMemo(
    () => new Map(speakersOf(segments).map(({ name, hue }) => [name, hue])),
    [segments],
  );

  const rest = (): void => {
    scrolledAtMs.current = performance.now();
  };
  return (
    <div
      className="segment-list"
      data-speakers={hues.size > 0 || undefined}
      onWheel={rest}
      onTouchMove={rest}
      onPointerDown={rest}
    >
      <VirtualList
        label={t("transcribe.segments")}
        count={segments.length}
        rowHeight={rowHeight}
        keyOf={(index) => segments[index]?.id ?? index}
        handle={list}
        ownCurrent={indexOf(focusedId)}
        className="segment-list-rows"
        row={(index) => {
          const segment = segments[index];
          if (segment === undefined) return null;
          const hue =
            segment.speaker === segments[index - 1]?.speaker
              ? undefined
              : hues.get(segment.speaker ?? "");
          return (
            <SegmentRow
              segment={segment}
              isFirst={index === 0}
              isLast={index === segments.length - 1}
              speakerHue={hue}
            />
          );
        }}
      />
    </div>
  );
}
