// Search in the library: the typed text, kept in the address, and its hits.

import { useEffect, useRef, useState } from "react";
import type { SearchHit } from "../../../main/contract/library-item.ts";
import { call } from "../../api/client.ts";
import { go, useRoute } from "../../stores/route.ts";
import { useTask } from "../../stores/task.ts";

/** Debounce while typing. */
const searchDelayMs = 120;

export type Search = {
  typed: string;
  setTyped: (typed: string) => void;
  isSearching: boolean;
  /** The previous ones stay until newer ones arrive. */
  hits: readonly SearchHit[] | undefined;
  error: string | undefined;
};

export function useSearch(): Search {
  const [typed, setTyped] = useTypedQuery();
  return { typed, setTyped, isSearching: typed.trim() !== "", ...useHits(typed) };
}

/** The search text, kept in the address, so that going back from a hit shows the results again. */
function useTypedQuery(): readonly [string, (typed: string) => void] {
  const { page, query } = useRoute();
  const q = query.get("q") ?? "";
  const [typed, setTyped] = useState(q);
  const writtenQuery = useRef(q);
  useEffect(() => {
    // Ignores the address that this hook wrote while the user types on.
    if (page !== "library" || q === writtenQuery.current) return;
    writtenQuery.current = q;
    setTyped(q);
  }, [page, q]);
  useEffect(() => {
    if (typed === writtenQuery.current) return undefined;
    const timer = setTimeout(() => {
      writtenQuery.current = typed;
      go(typed === "" ? "/library" : `/library?q=${encodeURIComponent(typed)}`, { replace: true });
    }, searchDelayMs);
    return () => clearTimeout(timer);
  }, [typed]);
  return [typed, setTyped];
}

function useHits(typed: string): Pick<Search, "hits" | "error"> {
  const [hits, setHits] = useState<readonly SearchHit[]>();
  const { run, cancel, error } = useTask();
  useEffect(() => {
    const q = typed.trim().slice(0, 300);
    if (q === "") return setHits(undefined);
    const timer = setTimeout(
      () => void run(async (signal) => setHits((await call("search", { q }, "", signal)).hits)),
      searchDelayMs,
    );
    return () => {
      clearTimeout(timer);
      cancel();
    };
  }, [typed, run, cancel]);
  return { hits, error };
}
