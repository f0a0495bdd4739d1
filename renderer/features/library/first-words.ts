// The first words of items, loaded for the rows that are shown: those of a moment in one request.

import { useEffect } from "react";
import { create } from "zustand";
import type { Item } from "../../../main/contract/library-item.ts";
import { call } from "../../api/client.ts";

/** While the user scrolls, rows come and go faster than this. */
const delayMs = 80;
const maxItems = 200;

const useFirstWordsStore = create<{ byKey: ReadonlyMap<string, string> }>(() => ({
  byKey: new Map(),
}));
const wanted = new Map<string, string>();
let timer: ReturnType<typeof setTimeout> | undefined;

async function load(): Promise<void> {
  const batch = [...wanted].slice(-maxItems);
  wanted.clear();
  if (batch.length === 0) return;
  const itemIds = batch.map(([, id]) => id);
  // Without them, the list works as well; a row that is shown again asks again.
  const answer = await call("readFirstWords", { itemIds }).catch(() => undefined);
  if (answer === undefined) return;
  useFirstWordsStore.setState(({ byKey }) => ({
    byKey: new Map([
      ...byKey,
      ...batch.map(([key, id]) => [key, answer.firstWords[id] ?? ""] as const),
    ]),
  }));
}

export function useFirstWords({ id, changedAtMs }: Item): string {
  const key = `${id} ${changedAtMs}`;
  const words = useFirstWordsStore(({ byKey }) => byKey.get(key));
  const isKnown = words !== undefined;
  useEffect(() => {
    if (isKnown) return undefined;
    wanted.set(key, id);
    clearTimeout(timer);
    timer = setTimeout(() => void load(), delayMs);
    return () => void wanted.delete(key);
  }, [key, id, isKnown]);
  return words ?? "";
}
