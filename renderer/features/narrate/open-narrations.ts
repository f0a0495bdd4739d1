// Narrations that are open, each with its store and its voice. Brings them what the app announces.

import { createStore, type StoreApi } from "zustand/vanilla";
import type { Item, StudioEvent } from "../../../main/contract/studio.ts";
import { call } from "../../api/client.ts";
import { type Parting, sendWhenParting } from "../../api/parting.ts";
import { keepItem, pathOf, useItems } from "../../stores/items.ts";
import { live } from "../../stores/live.ts";
import { createOpenDocuments } from "../../stores/open-documents.ts";
import { openInPlayer, pause, play, seek, usePlayer } from "../../stores/player.ts";
import type { BookFile } from "./export/book-file.ts";
import { bookFileOf } from "./export/file-making.ts";
import { sentencePlayback, type SentencePlayback } from "./playing/sentence-playback.ts";
import { createDrawing } from "./playing/drawing.ts";
import { createTakeSounds } from "./playing/take-sounds.ts";
import { timelineOf } from "./playing/timeline.ts";
import { createNarrationStore, type NarrationStore } from "./script/narration-store.ts";

export type PanelTab = "voice" | "words" | "check";
export type ViewState = {
  readonly tab: PanelTab;
  /** The sentence that sounds. */
  readonly spokenId: string | undefined;
  /** The sentence the caret is in. */
  readonly chosenId: string | undefined;
  /** To be brought into sight; a new object each time. */
  readonly revealed: { readonly id: string } | undefined;
};

export type OpenNarration = {
  readonly itemId: string;
  readonly store: NarrationStore;
  readonly view: StoreApi<ViewState>;
  readonly file: BookFile;
  /** Makes it what the player plays, where it is not. */
  ensurePlayer(title: string): void;
  /** From a sentence on, or where it was. What is not made is made, that sentence first. */
  playFrom(title: string, sentenceId?: string): Promise<void>;
  /** Settles once what is shown is on disk, and it is begun. Throws ApiError. */
  make(fields?: { sentenceIds?: string[]; isNewTake?: boolean }): Promise<void>;
};

/** Sentences asked for ahead of the rest while one listens. */
const urgent = 6;
const playbacks = new Map<string, SentencePlayback>();

export const narrations = createOpenDocuments<OpenNarration>({
  create,
  listen,
  change: { method: "PUT", path: "narration" },
  isInUse: (itemId): boolean =>
    usePlayer.getState().source?.id === itemId || narrations.get(itemId)?.file.isInUse() === true,
});

function create(itemId: string): OpenNarration {
  const store = createNarrationStore({
    read: () => call("readNarration", {}, itemId),
    change: (change) => call("changeNarration", change, itemId),
  });
  const view = createStore<ViewState>(() => ({
    tab: "voice",
    spokenId: undefined,
    chosenId: undefined,
    revealed: undefined,
  }));
  const sentences = () => store.getState().sentences;

  async function make(fields: { sentenceIds?: string[]; isNewTake?: boolean } = {}): Promise<void> {
    await store.save();
    keepItem(await call("makeNarration", fields, itemId));
  }

  /** The next sentences first, then all that follows. */
  async function need(index: number): Promise<void> {
    await store.save();
    const ids = sentences()
      .slice(index, index + urgent)
      .filter(({ takes }) => takes.length === 0)
      .map(({ id }) => id);
    if (ids.length > 0) await make({ sentenceIds: ids });
    await make();
  }

  const createPlayback = sentencePlayback(
    {
      sentences,
      speed: () => store.getState().options.speed,
      need,
      createSounds: (context) => createTakeSounds(itemId, context),
    },
    (playback) => {
      if (playback === undefined) playbacks.delete(itemId);
      else playbacks.set(itemId, playback);
      if (playback === undefined) view.setState({ spokenId: undefined });
    },
  );
  const isOurs = (): boolean => usePlayer.getState().source?.id === itemId;
  const draw = createDrawing(itemId, sentences, (peaks) => {
    const { source } = usePlayer.getState();
    if (source !== undefined && isOurs()) usePlayer.setState({ source: { ...source, peaks } });
  });
  store.subscribe((now, before) => {
    if (now.sentences === before.sentences) return;
    playbacks.get(itemId)?.changed();
    if (isOurs()) draw();
  });

  const narration: OpenNarration = {
    itemId,
    store,
    view,
    file: bookFileOf(itemId, store),
    make,
    ensurePlayer(title) {
      const { speed, voice } = store.getState().options;
      openInPlayer({
        id: itemId,
        title,
        createPlayback,
        durationSec: timelineOf(sentences(), speed).totalSec,
        speaker: voice,
        path: pathOf({ id: itemId, kind: "narration" }),
      });
      draw();
    },
    async playFrom(title, sentenceId) {
      narration.ensurePlayer(title);
      const index =
        sentenceId === undefined ? -1 : sentences().findIndex(({ id }) => id === sentenceId);
      const { starts, totalSec } = timelineOf(sentences(), store.getState().options.speed);
      usePlayer.setState({ durationSec: totalSec });
      // A hair behind its beginning: a sum of many figures may end before it.
      if (index >= 0) seek((starts[index] ?? 0) + 1e-6);
      await play();
    },
  };
  return narration;
}

/** The sentence that sounds, for the one the player plays. */
function follow(): void {
  const { source, isPlaying, positionSec } = usePlayer.getState();
  for (const { itemId, view } of narrations.all()) {
    const isOurs = source?.id === itemId && (isPlaying || positionSec > 0);
    const spokenId = isOurs ? playbacks.get(itemId)?.spokenId() : undefined;
    if (view.getState().spokenId !== spokenId) view.setState({ spokenId });
  }
}

function hear(event: StudioEvent): void {
  if (event.type === "sentence") narrations.get(event.itemId)?.store.told(event.sentence);
  if (event.type === "narration-file") narrations.get(event.itemId)?.file.told(event.progress);
  if (event.type === "document") narrations.get(event.itemId)?.store.announced(event.revision);
}

/** What is waited for does not come any more. */
function stopWaiting({ id, state }: Item): void {
  const { source, isPlaying } = usePlayer.getState();
  if (
    (state === "failed" || state === "cancelled") &&
    isPlaying &&
    source?.id === id &&
    playbacks.get(id)?.isWaiting() === true
  )
    pause();
}

function listen(): void {
  live().subscribe(hear);
  useItems.subscribe(({ byId }) => {
    const item = byId.get(usePlayer.getState().source?.id ?? "");
    if (item?.kind === "narration") stopWaiting(item);
  });
  usePlayer.subscribe(follow);
  sendWhenParting(unsavedDetails, () => {
    for (const { file } of narrations.all()) void file.save();
  });
  // A file that is being made ends with the page that waits for it.
  addEventListener("beforeunload", (event) => {
    if ([...narrations.all()].some(({ file }) => file.getState().making !== undefined))
      event.preventDefault();
  });
}

const unsavedDetails = (): Parting[] =>
  [...narrations.all()].flatMap(({ itemId, file }) =>
    file.unsaved().map((fields) => ({
      path: `/app/items/${encodeURIComponent(itemId)}/book`,
      method: "PATCH" as const,
      fields,
    })),
  );
