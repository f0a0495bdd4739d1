// What is said in running recordings and has no segments yet, as the app announces it.

import { create } from "zustand";
import type { AppEvent } from "../../../../main/contract/app-event.ts";

export type Draft = Omit<Extract<AppEvent, { type: "draft" }>, "type">;

const useAllDrafts = create<{ drafts: readonly Draft[] }>(() => ({ drafts: [] }));

/** Replaces the speaker's draft that started at the same time; one without text only removes it. */
export function withDraft(drafts: readonly Draft[], draft: Draft): readonly Draft[] {
  const others = drafts.filter(
    ({ itemId, startSec, speaker }) =>
      itemId !== draft.itemId || startSec !== draft.startSec || speaker !== draft.speaker,
  );
  return draft.settled + draft.unsettled === "" ? others : [...others, draft];
}

/** In the order of time. */
export const draftsOfItem = (drafts: readonly Draft[], itemId: string): readonly Draft[] =>
  drafts
    .filter((draft) => draft.itemId === itemId)
    .toSorted((one, other) => one.startSec - other.startSec);

export const showDraft = (draft: Draft): void =>
  useAllDrafts.setState(({ drafts }) => ({ drafts: withDraft(drafts, draft) }));

export const removeDrafts = (itemId: string): void =>
  useAllDrafts.setState(({ drafts }) =>
    drafts.some((draft) => draft.itemId === itemId)
      ? { drafts: drafts.filter((draft) => draft.itemId !== itemId) }
      : { drafts },
  );

export const useDrafts = (itemId: string): readonly Draft[] =>
  draftsOfItem(
    useAllDrafts((state) => state.drafts),
    itemId,
  );
