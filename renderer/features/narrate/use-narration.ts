// Context with the open narration, for components of the page.

import { createContext, useContext, useEffect, useMemo } from "react";
import { useStore } from "zustand";
import type { Item } from "../../../main/contract/library-item.ts";
import { usePlayer } from "../../stores/player.ts";
import { narrations, type OpenNarration, type ViewState } from "./open-narrations.ts";
import type { NarrationState } from "./script/narration-store.ts";

export type NarrationContextValue = { readonly item: Item; readonly open: OpenNarration };

export const NarrationContext = createContext<NarrationContextValue | undefined>(undefined);

export function useNarration(): NarrationContextValue {
  const narration = useContext(NarrationContext);
  if (narration === undefined) throw new Error("used outside of a narration");
  return narration;
}

const hasTakes = ({ sentences }: NarrationState): boolean =>
  sentences.some(({ takes }) => takes.length > 0);

export const useScript = <Value>(select: (state: NarrationState) => Value): Value =>
  useStore(useNarration().open.store, select);
export const useView = <Value>(select: (state: ViewState) => Value): Value =>
  useStore(useNarration().open.view, select);

/** Opens a narration, and what is generated of it in the player unless something else is playing. */
export function useOpenNarration(item: Item): NarrationContextValue {
  const { id, title } = item;
  const open = useMemo(() => narrations.open(id), [id]);
  const hasGenerated = useStore(open.store, hasTakes);
  useEffect(() => void open.store.load(), [open]);
  useEffect(() => {
    const { isPlaying, source } = usePlayer.getState();
    if (hasGenerated && (!isPlaying || source?.id === id)) open.loadInPlayer(title);
  }, [open, hasGenerated, id, title]);
  return useMemo(() => ({ item, open }), [item, open]);
}
