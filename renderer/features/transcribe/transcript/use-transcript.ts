// Context of the open transcript for components of the page: state, view, actions.

import { createContext, useContext, useEffect, useMemo, useState } from "react";
import { useStore } from "zustand";
import type { Item } from "../../../../main/contract/library-item.ts";
import { mediaUrl, readPeaks } from "../../../api/binary.ts";
import { t } from "../../../messages/messages.ts";
import { itemPath } from "../../../stores/items.ts";
import { mediaPlayback } from "../../../stores/media-playback.ts";
import { useModels } from "../../../stores/models.ts";
import { openInPlayer, usePlayer } from "../../../stores/player.ts";
import { go, useRoute } from "../../../stores/route.ts";
import type { DocumentState } from "../document/document-store.ts";
import { findMatches } from "../document/find.ts";
import { segmentIndexAt } from "../document/segment-at-time.ts";
import { retranscribeDisabledReason } from "../queue/item-actions.ts";
import { followPlayback } from "./follow-playback.ts";
import { type OpenTranscript, transcripts, type ViewState } from "./open-transcripts.ts";
import { createTranscriptActions, type TranscriptActions } from "./transcript-actions.ts";

export type TranscriptContextValue = {
  readonly item: Item;
  readonly open: OpenTranscript;
  readonly actions: TranscriptActions;
  readonly peaks: Uint8Array | undefined;
};

export const TranscriptContext = createContext<TranscriptContextValue | undefined>(undefined);

export function useTranscript(): TranscriptContextValue {
  const transcript = useContext(TranscriptContext);
  if (transcript === undefined) throw new Error("used outside of a transcript");
  return transcript;
}

export const useDocument = <Value>(select: (state: DocumentState) => Value): Value =>
  useStore(useTranscript().open.store, select);
export const useView = <Value>(select: (state: ViewState) => Value): Value =>
  useStore(useTranscript().open.view, select);

/** Why nothing can be done with speakers; undefined if there are some. */
export const useNoSpeakersReason = (): string | undefined =>
  useDocument(({ segments }) =>
    segments.some(({ speaker }) => speaker !== undefined) ? undefined : t("transcribe.no-speakers"),
  );

/** Why speakers cannot be told apart in the audio now. */
export function useNoFindingSpeakersReason(): string | undefined {
  const { item } = useTranscript();
  const isPossible = useModels((state) => state.tellsSpeakersApart);
  const isEmpty = useDocument((state) => state.segments.length === 0);
  return (
    retranscribeDisabledReason(item) ??
    (isEmpty ? t("transcribe.no-text") : undefined) ??
    (isPossible ? undefined : t("transcribe.option.speakers.unable"))
  );
}

/** Peaks of an item's audio; undefined until they are loaded. The app may have them a little later than the audio. */
function usePeaks({ id, hasMedia, state }: Item): Uint8Array | undefined {
  const [peaks, setPeaks] = useState<{ id: string; bytes: Uint8Array }>();
  const hasPeaks = peaks?.id === id;
  useEffect(() => {
    if (!hasMedia || hasPeaks) return undefined;
    const abort = new AbortController();
    readPeaks(id, abort.signal).then(
      (bytes) => setPeaks({ id, bytes }),
      // Playback works without peaks; they are requested again when the item's state changes.
      () => undefined,
    );
    return () => abort.abort();
  }, [id, hasMedia, state, hasPeaks]);
  return hasPeaks ? peaks.bytes : undefined;
}

/** An address with a time (`?at=12.5`) goes there once the text is loaded; words in it (`&q=…`) are highlighted. */
function useTimeLink(
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
    // A hit's time is its segment's start; tolerate rounding just below it.
    const segment = segments[segmentIndexAt(segments, sec + 0.01)];
    if (segment !== undefined) actions.reveal(segment.id);
    if (hasMedia) actions.seek(sec);
    if (segment === undefined || q === "") return undefined;
    // As the search matched them: each word by itself, also as the beginning of a longer one.
    const marks = q
      .split(/[\s"]+/)
      .flatMap((word) =>
        findMatches([segment], word, { isCaseSensitive: false, isWholeWords: false }),
      );
    highlights.mark("found", new Map([[segment.id, marks]]));
    return () => highlights.mark("found", new Map());
  }, [at, q, isReady, store, highlights, hasMedia, actions]);
}

/** An address with a model (`?again=whisper-small`) transcribes the whole recording again with it, for comparison. */
function useModelLink({ store }: OpenTranscript, item: Item, actions: TranscriptActions): void {
  const model = useRoute().query.get("again");
  const isReady = useStore(store, (state) => state.phase === "ready");
  const { durationSec } = item;
  const path = itemPath(item);
  useEffect(() => {
    if (model === null || !isReady) return;
    actions.retranscribe({ fromSec: 0, toSec: durationSec }, model);
    // Not again when the page is reloaded, or opened by the browser's back button.
    go(path, { replace: true });
  }, [model, isReady, durationSec, path, actions]);
}

/** Opens an item's transcript, and its audio in the player unless something else is playing. */
export function useOpenTranscript(item: Item): TranscriptContextValue {
  const { id, title, durationSec, hasMedia } = item;
  const open = useMemo(() => transcripts.open(id), [id]);
  const peaks = usePeaks(item);
  const path = itemPath(item);
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
  const loadInPlayer = useMemo(() => () => hasMedia && openInPlayer(source), [hasMedia, source]);
  useEffect(() => {
    const { isPlaying, source: playingSource } = usePlayer.getState();
    if (!isPlaying || playingSource?.id === id) loadInPlayer();
  }, [loadInPlayer, id]);
  // Later segments and the end of the work are announced by events.
  useEffect(() => void open.store.load(), [open]);
  useEffect(() => followPlayback(open), [open]);
  const actions = useMemo(() => createTranscriptActions(open, loadInPlayer), [open, loadInPlayer]);
  useTimeLink(open, item, actions);
  useModelLink(open, item, actions);
  return useMemo(() => ({ item, open, actions, peaks }), [item, open, actions, peaks]);
}
