// Open narrations, each with its store and playback. Applies the app's events to them.

import { createStore, type StoreApi } from "zustand/vanilla";
import type { AppEvent } from "../../../main/contract/app-event.ts";
import type { Item } from "../../../main/contract/library-item.ts";
import type { CastProposal, Role } from "../../../main/contract/narration.ts";
import { call } from "../../api/client.ts";
import { type UnloadRequest, sendOnUnload } from "../../api/unload-requests.ts";
import { storeItem, itemPath, useItems } from "../../stores/items.ts";
import { eventStream } from "../../stores/event-stream.ts";
import { createOpenDocuments } from "../../stores/open-documents.ts";
import { openInPlayer, pause, play, seek, usePlayer } from "../../stores/player.ts";
import { playingName } from "./cast/playing-name.ts";
import type { AudiobookStore } from "./export/audiobook-store.ts";
import { createNarrationAudiobook } from "./export/audiobook-export.ts";
import {
  createSentencePlaybackFactory,
  type SentencePlayback,
} from "./playing/sentence-playback.ts";
import { createPeaksLoader } from "./playing/peaks-loader.ts";
import { createTakeAudioCache } from "./playing/take-audio-cache.ts";
import { computeTimeline } from "./playing/timeline.ts";
import { createNarrationStore, type NarrationStore } from "./script/narration-store.ts";

export type PanelTab = "voice" | "cast" | "words" | "check";
export type ViewState = {
  readonly tab: PanelTab;
  /** Whether the panel is shown where it is a sheet over the script. */
  readonly isSheetOpen: boolean;
  /** The sentence that is playing. */
  readonly playingSentenceId: string | undefined;
  /** The sentence that contains the caret. */
  readonly selectedSentenceId: string | undefined;
  /** Sentence to scroll to; a new object each time. */
  readonly scrollTarget: { readonly id: string } | undefined;
  /** Roles that its script seems to have; `of`: that script. */
  readonly castProposal: (CastProposal & { readonly of: string }) | undefined;
  /** The cast tab shows it all the same. */
  readonly isCastHintDismissed: boolean;
  /** The last change of many marks, for as long as `script` is the script. */
  readonly lastCasting:
    | {
        readonly title: string;
        readonly script: string;
        readonly before: { readonly script: string; readonly cast: readonly Role[] };
      }
    | undefined;
};

export type OpenNarration = {
  readonly itemId: string;
  readonly store: NarrationStore;
  readonly view: StoreApi<ViewState>;
  readonly audiobook: AudiobookStore;
  /** Loads it into the player, unless it is loaded already. */
  loadInPlayer(title: string): void;
  /** Plays from a sentence on, or from the last position. Missing audio is generated, that sentence first. */
  playFrom(title: string, sentenceId?: string): Promise<void>;
  /** Resolves once the script is saved and generation has started. @throws ApiError */
  generate(fields?: { sentenceIds?: string[]; isNewTake?: boolean }): Promise<void>;
};

/** While listening, this many sentences are requested ahead of the rest. */
const priorityCount = 6;
const playbacks = new Map<string, SentencePlayback>();

export const narrations = createOpenDocuments<OpenNarration>({
  create,
  listen: startListening,
  changeRequest: { method: "PUT", path: "narration" },
  isInUse: (itemId): boolean =>
    usePlayer.getState().source?.id === itemId ||
    narrations.get(itemId)?.audiobook.isInUse() === true,
});

function create(itemId: string): OpenNarration {
  const store = createNarrationStore({
    read: () => call("readNarration", {}, itemId),
    change: (change) => call("changeNarration", change, itemId),
  });
  const view = createStore<ViewState>(() => ({
    tab: "voice",
    isSheetOpen: false,
    playingSentenceId: undefined,
    selectedSentenceId: undefined,
    scrollTarget: undefined,
    castProposal: undefined,
    isCastHintDismissed: false,
    lastCasting: undefined,
  }));
  const sentences = () => store.getState().sentences;

  async function generate(
    fields: { sentenceIds?: string[]; isNewTake?: boolean } = {},
  ): Promise<void> {
    await store.save();
    storeItem(await call("makeNarration", fields, itemId));
  }

  /** The next sentences first, then all that follow. */
  async function requestGeneration(index: number): Promise<void> {
    await store.save();
    const ids = sentences()
      .slice(index, index + priorityCount)
      .filter(({ takes }) => takes.length === 0)
      .map(({ id }) => id);
    if (ids.length > 0) await generate({ sentenceIds: ids });
    await generate();
  }

  const createPlayback = createSentencePlaybackFactory(
    {
      sentences,
      speed: () => store.getState().options.speed,
      requestGeneration,
      createTakeAudioCache: (context) => createTakeAudioCache(itemId, context),
    },
    (playback) => {
      if (playback === undefined) playbacks.delete(itemId);
      else playbacks.set(itemId, playback);
      if (playback === undefined) view.setState({ playingSentenceId: undefined });
    },
  );
  const isInPlayer = (): boolean => usePlayer.getState().source?.id === itemId;
  const updatePeaks = createPeaksLoader(itemId, sentences, (peaks) => {
    const { source } = usePlayer.getState();
    if (source !== undefined && isInPlayer()) usePlayer.setState({ source: { ...source, peaks } });
  });
  store.subscribe((state, previous) => {
    if (state.sentences === previous.sentences) return;
    playbacks.get(itemId)?.onSentencesChanged();
    if (isInPlayer()) updatePeaks();
  });

  const narration: OpenNarration = {
    itemId,
    store,
    view,
    audiobook: createNarrationAudiobook(itemId, store),
    generate,
    loadInPlayer(title) {
      const { speed, voice } = store.getState().options;
      openInPlayer({
        id: itemId,
        title,
        createPlayback,
        durationSec: computeTimeline(sentences(), speed).totalSec,
        speaker: playingName(store.getState().options, { voice }),
        path: itemPath({ id: itemId, kind: "narration" }),
      });
      updatePeaks();
    },
    async playFrom(title, sentenceId) {
      narration.loadInPlayer(title);
      const index =
        sentenceId === undefined ? -1 : sentences().findIndex(({ id }) => id === sentenceId);
      const { startsSec, totalSec } = computeTimeline(sentences(), store.getState().options.speed);
      usePlayer.setState({ durationSec: totalSec });
      // Slightly after the start: because of rounding, the sentence before may end a little later.
      if (index >= 0) seek((startsSec[index] ?? 0) + 1e-6);
      await play();
    },
  };
  return narration;
}

/** The sentence that is playing, for the narration in the player. */
function updatePlayingSentence(): void {
  const { source, isPlaying, positionSec } = usePlayer.getState();
  for (const { itemId, store, view } of narrations.all()) {
    const isInPlayer = source?.id === itemId && (isPlaying || positionSec > 0);
    const playingSentenceId = isInPlayer ? playbacks.get(itemId)?.playingSentenceId() : undefined;
    if (view.getState().playingSentenceId === playingSentenceId) continue;
    view.setState({ playingSentenceId });
    const { sentences, options } = store.getState();
    const sentence = sentences.find(({ id }) => id === playingSentenceId);
    if (source !== undefined && sentence !== undefined)
      usePlayer.setState({ source: { ...source, speaker: playingName(options, sentence) } });
  }
}

function onEvent(event: AppEvent): void {
  if (event.type === "sentence") narrations.get(event.itemId)?.store.updateSentence(event.sentence);
  if (event.type === "narration-file")
    narrations.get(event.itemId)?.audiobook.setExportProgress(event.progress);
  if (event.type === "document") narrations.get(event.itemId)?.store.onRevision(event.revision);
}

/** Pauses playback that waits for audio which will not be generated any more. */
function pauseIfWaiting({ id, state }: Item): void {
  const { source, isPlaying } = usePlayer.getState();
  if (
    (state === "failed" || state === "cancelled") &&
    isPlaying &&
    source?.id === id &&
    playbacks.get(id)?.isWaiting() === true
  )
    pause();
}

function startListening(): void {
  eventStream().subscribe(onEvent);
  useItems.subscribe(({ byId }) => {
    const item = byId.get(usePlayer.getState().source?.id ?? "");
    if (item?.kind === "narration") pauseIfWaiting(item);
  });
  usePlayer.subscribe(updatePlayingSentence);
  sendOnUnload(unsavedDetailRequests, () => {
    for (const { audiobook } of narrations.all()) void audiobook.save();
  });
  // An export ends when the page that started it closes.
  addEventListener("beforeunload", (event) => {
    if (
      [...narrations.all()].some(
        ({ audiobook }) => audiobook.getState().exportProgress !== undefined,
      )
    )
      event.preventDefault();
  });
}

const unsavedDetailRequests = (): UnloadRequest[] =>
  [...narrations.all()].flatMap(({ itemId, audiobook }) =>
    audiobook.unsaved().map((fields) => ({
      path: `/app/items/${encodeURIComponent(itemId)}/book`,
      method: "PATCH" as const,
      fields,
    })),
  );
