// The open transcript for the components below the page: its state, its view, what can be done to it.

import { createContext, useContext, useEffect, useMemo, useState } from "react";
import { useStore } from "zustand";
import type { Item } from "../../../../main/contract/studio.ts";
import { mediaUrl, readPeaks } from "../../../api/raw.ts";
import { pathOf } from "../../../stores/items.ts";
import { mediaPlayback } from "../../../stores/media-playback.ts";
import { openInPlayer, usePlayer } from "../../../stores/player.ts";
import { useRoute } from "../../../stores/route.ts";
import type { DocumentState } from "../document/document-store.ts";
import { findMatches } from "../document/find.ts";
import { segmentAt } from "../document/place.ts";
import { followPlayer } from "./follow.ts";
import { type OpenTranscript, transcripts, type ViewState } from "./open-transcripts.ts";
import { transcriptActions, type TranscriptActions } from "./transcript-actions.ts";

export type TranscriptInUse = {
  readonly item: Item;
  readonly open: OpenTranscript;
  readonly actions: TranscriptActions;
  readonly peaks: Uint8Array | undefined;
};

export const TranscriptContext = createContext<TranscriptInUse | undefined>(undefined);

export function useTranscript(): TranscriptInUse {
  const transcript = useContext(TranscriptContext);
  if (transcript === undefined) throw new Error("used outside of a transcript");
  return transcript;
}

export const useDocument = <Value>(select: (state: DocumentState) => Value): Value =>
  useStore(useTranscript().open.store, select);
export const useView = <Value>(select: (state: ViewState) => Value): Value =>
  useStore(useTranscript().open.view, select);

/** Peaks of an item's sound; undefined until they are there. They may come a little after the sound. */
function usePeaks({ id, hasMedia, state }: Item): Uint8Array | undefined {
  const [peaks, setPeaks] = useState<{ id: string; bytes: Uint8Array }>();
  const isKnown = peaks?.id === id;
  useEffect(() => {
    if (!hasMedia || isKnown) return undefined;
    const abort = new AbortController();
    readPeaks(id, abort.signal).then(
      (bytes) => setPeaks({ id, bytes }),
      // Without a picture the sound can still be played; asked again when the work goes on.
      () => undefined,
    );
    return () => abort.abort();
  }, [id, hasMedia, state, isKnown]);
  return isKnown ? peaks.bytes : undefined;
}

/** An address that names a moment (`?at=12.5`) leads there, once the text is there; words it names (`&q=…`) are marked. */
function useArrival(
  { store, highlights }: OpenTranscript,
  { hasMedia }: Item,
  actions: TranscriptActions,
): void {
  const { query } = useRoute();
  const at = query.get("at");
  const q = query.get("q") ?? "";
  const isReady = useStore(store, (state) => state.phase === "ready");
  useEffect(() => {
    const sec = Number(at);
    if (at === null || !isReady || !Number.isFinite(sec)) return undefined;
    const { segments } = store.getState();
    // A hit begins with its segment; a moment before it is still meant.
    const segment = segments[segmentAt(segments, sec + 0.01)];
    if (segment !== undefined) actions.reveal(segment.id);
    if (hasMedia) actions.seek(sec);
    if (segment === undefined || q === "") return undefined;
    // As they were looked for: each word by itself, wherever it begins a longer one.
    const marks = q
      .split(/[\s"]+/)
      .flatMap((word) =>
        findMatches([segment], word, { isCaseSensitive: false, isWholeWords: false }),
      );
    highlights.mark("found", new Map([[segment.id, marks]]));
    return () => highlights.mark("found", new Map());
  }, [at, q, isReady, store, highlights, hasMedia, actions]);
}

/** Opens an item's transcript, its sound in the player unless something else is playing. */
export function useOpenTranscript(item: Item): TranscriptInUse {
  const { id, title, durationSec, hasMedia } = item;
  const open = useMemo(() => transcripts.open(id), [id]);
  const peaks = usePeaks(item);
  const path = pathOf(item);
  const source = useMemo(
    () => ({
      id,
      title,
      createPlayback: mediaPlayback(() => mediaUrl(id)),
      durationSec,
      path,
      ...(peaks && { peaks }),
    }),
    [id, title, durationSec, path, peaks],
  );
  const ensurePlayer = useMemo(() => () => hasMedia && openInPlayer(source), [hasMedia, source]);
  useEffect(() => {
    const { isPlaying, source: now } = usePlayer.getState();
    if (!isPlaying || now?.id === id) ensurePlayer();
  }, [ensurePlayer, id]);
  // What comes later, and how the work ends, is announced.
  useEffect(() => void open.store.load(), [open]);
  useEffect(() => followPlayer(open), [open]);
  const actions = useMemo(() => transcriptActions(open, ensurePlayer), [open, ensurePlayer]);
  useArrival(open, item, actions);
  return useMemo(() => ({ item, open, actions, peaks }), [item, open, actions, peaks]);
}
