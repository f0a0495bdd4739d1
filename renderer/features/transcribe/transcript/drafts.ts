// What is said in running recordings and has no segments yet, as the app announces it.

import { create } from "zustand";
import type { AppEvent } from "../../../../main/contract/app-event.ts";

export type Draft = Omit<Extract<AppEvent, { type: "draft" }>, "type">;

const useAllDrafts = create<{ drafts: readonly Draft[] }>(() => ({ drafts: [] }));

/** Replaces the draft that started at the same time; one without text only removes it. */
export const showDraft = (draft: Draft): void =>
  useAllDrafts.setState(({ drafts }) => {
    const others = drafts.filter(
      ({ itemId, startSec }) => itemId !== draft.itemId || startSec !== draft.startSec,
    );
    return { drafts: draft.settled + draft.unsettled === "" ? others : [...others, draft] };
  });

export const removeDrafts = (itemId: string): void =>
  useAllDrafts.setState(({ drafts }) =>
    drafts.some((draft) => draft.itemId === itemId)
      ? { drafts: drafts.filter((draft) => draft.itemId !== itemId) }
      : { drafts },
  );

/** In the order of time. */
export function useDrafts(itemId: string): readonly Draft[] {
  const drafts = useAllDrafts((state) => state.drafts);
  return drafts
    .filter((draft) => draft.itemId === itemId)
    .toSorted((one, other) => one.startSec - other.startSec);
}
