// Context with the open narration, for components of the page.

import { createContext, useContext, useEffect, useMemo } from "react";
import { useStore } from "zustand";
import type { Item } from "../../../main/contract/library-item.ts";
import { narrations, type OpenNarration, type ViewState } from "./open-narrations.ts";
import type { NarrationState } from "./script/narration-store.ts";

export type NarrationContextValue = { readonly item: Item; readonly open: OpenNarration };

export const NarrationContext = createContext<NarrationContextValue | undefined>(undefined);

export function useNarration(): NarrationContextValue {
  const narration = useContext(NarrationContext);
  if (narration === undefined) throw new Error("used outside of a narration");
  return narration;
}

export const useScript = <Value>(select: (state: NarrationState) => Value): Value =>
  useStore(useNarration().open.store, select);
export const useView = <Value>(select: (state: ViewState) => Value): Value =>
  useStore(useNarration().open.view, select);

export function useOpenNarration(item: Item): NarrationContextValue {
  const open = useMemo(() => narrations.open(item.id), [item.id]);
  useEffect(() => void open.store.load(), [open]);
  return useMemo(() => ({ item, open }), [item, open]);
}
