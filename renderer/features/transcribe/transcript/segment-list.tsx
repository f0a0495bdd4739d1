// The segments, virtualized. Scrolls along with playback unless the user scrolls away.

import "./segment-list.css";
import "./speaker-hues.css";
import { useEffect, useMemo, useRef } from "react";
import { t } from "../../../messages/messages.ts";
import { usePlayer } from "../../../stores/player.ts";
import { VirtualList, type VirtualListHandle } from "../../../ui/virtual-list.tsx";
import { listSpeakers } from "../document/speakers.ts";
import { correctedWords } from "../document/segments.ts";
import { SegmentRow } from "./segment-row.tsx";
import { useDocument, useTranscript, useView } from "./use-transcript.ts";
import { useTextRange } from "./use-text-range.ts";

/** In pixels, until a row is measured. */
const rowHeight = 64;
/** Automatic scrolling pauses this long after scrolling by hand. */
const autoScrollPauseMs = 4000;

export function SegmentList() {
  const { item, open } = useTranscript();
  const segments = useDocument((state) => state.segments);
  const playingSegmentId = useView((view) => view.playingSegmentId);
  const focusedId = useView((view) => view.focusedId);
  const shouldFocus = useView((view) => view.shouldFocus);
  const scrollTarget = useView((view) => view.scrollTarget);
  const editing = useView((view) => view.editing);
  const isPlaying = usePlayer((state) => state.isPlaying && state.source?.id === item.id);
  const list = useRef<VirtualListHandle>(null);
  const container = useRef<HTMLDivElement>(null);
  useTextRange(container);
  const lastInputMs = useRef(0);
  const indexOf = (id: number | undefined): number =>
    id === undefined
      ? -1
      : open.store.getState().segments.findIndex((segment) => segment.id === id);

  useEffect(() => {
    const index = indexOf(playingSegmentId);
    if (
      isPlaying &&
      editing === undefined &&
      index >= 0 &&
      performance.now() - lastInputMs.current > autoScrollPauseMs
    )
      list.current?.scrollTo(index, "auto");
    // `indexOf` reads the store's current state, so it is not a dependency.
  }, [playingSegmentId, isPlaying, editing]);
  useEffect(() => {
    const index = indexOf(editing?.id ?? focusedId);
    if ((shouldFocus || editing !== undefined) && index >= 0) list.current?.scrollTo(index, "auto");
  }, [focusedId, shouldFocus, editing]);

  useEffect(() => {
    const index = indexOf(scrollTarget?.id);
    if (index >= 0) list.current?.scrollTo(index, "center");
  }, [scrollTarget]);

  useEffect(() => open.highlights.mark("corrected", correctedWords(segments)), [open, segments]);

  const hues = useMemo(
    () => new Map(listSpeakers(segments).map(({ name, hue }) => [name, hue])),
    [segments],
  );

  const pauseAutoScroll = (): void => {
    lastInputMs.current = performance.now();
  };
  return (
    <div
      ref={container}
      className="segment-list"
      onWheel={pauseAutoScroll}
      onTouchMove={pauseAutoScroll}
      onPointerDown={pauseAutoScroll}
    >
      <VirtualList
        label={t("transcribe.segments")}
        count={segments.length}
        rowHeight={rowHeight}
        keyOf={(index) => segments[index]?.id ?? index}
        handle={list}
        currentOverride={indexOf(focusedId)}
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
              nextStartSec={segments[index + 1]?.startSec ?? Infinity}
              isLast={index === segments.length - 1}
              speakerHue={hue}
            />
          );
        }}
      />
    </div>
  );
}
