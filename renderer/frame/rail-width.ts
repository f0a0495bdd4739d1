// Whether the rail is narrow: by preference, or because the window is small.

import { useSyncExternalStore } from "react";
import { usePreferences } from "../stores/preferences.ts";

const smallWindowQuery = matchMedia("(max-width: 56rem)");

function subscribe(listener: () => void): () => void {
  smallWindowQuery.addEventListener("change", listener);
  return () => smallWindowQuery.removeEventListener("change", listener);
}

/** `isForced`: the window is too small, so the preference has no effect. */
export function useRailWidth(): { isNarrow: boolean; isForced: boolean } {
  const isForced = useSyncExternalStore(subscribe, () => smallWindowQuery.matches);
  const isChosen = usePreferences((preferences) => preferences.isRailNarrow);
  return { isNarrow: isChosen || isForced, isForced };
}
