// Whether the rail is narrow: by choice, or because the window is too small to give it room.

import { useSyncExternalStore } from "react";
import { usePreferences } from "../stores/preferences.ts";

const smallWindowQuery = matchMedia("(max-width: 56rem)");

function subscribe(listener: () => void): () => void {
  smallWindowQuery.addEventListener("change", listener);
  return () => smallWindowQuery.removeEventListener("change", listener);
}

/** `isForced`: the window is small, and the choice waits until it is not. */
export function useRailWidth(): { isNarrow: boolean; isForced: boolean } {
  const isForced = useSyncExternalStore(subscribe, () => smallWindowQuery.matches);
  const isChosen = usePreferences((preferences) => preferences.isRailNarrow);
  return { isNarrow: isChosen || isForced, isForced };
}
