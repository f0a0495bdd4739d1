// The items that the library lists: the chosen view, tag and order, and which of the items are selected.

import { useEffect, useMemo, useState } from "react";
import type { ApiResponse } from "../../../main/contract/api.ts";
import type { Item } from "../../../main/contract/library-item.ts";
import { call } from "../../api/client.ts";
import { useItems } from "../../stores/items.ts";
import { useTask } from "../../stores/task.ts";
import {
  channelsOf,
  filterItems,
  languagesOf,
  type Order,
  tagsOf,
  type View,
} from "./filter-items.ts";
import { extendSelection, keepListed, nothingSelected, toggleSelected } from "./selection.ts";

export type Listing = ReturnType<typeof useListing>;

/** Removed items are loaded when their view is opened. */
export function useListing() {
  const { byId, totalBytes, isLoaded } = useItems();
  const [view, setView] = useState<View>("all");
  const [tag, setTag] = useState("");
  const [order, setOrder] = useState<Order>("newest");
  const [language, setLanguage] = useState("");
  const [channel, setChannel] = useState("");
  const [speaker, setSpeaker] = useState("");
  const speakers = useSpeakers();
  const speakerItemIds = useMemo(() => {
    const chosen = speakers.find(({ name }) => name === speaker);
    return chosen && new Set(chosen.itemIds);
  }, [speakers, speaker]);
  const [removed, setRemoved] = useState<readonly Item[]>();
  const removedTask = useTask();
  // There may be thousands of items, so do not filter them again for every typed letter.
  const items = useMemo(
    () =>
      filterItems(view === "removed" ? (removed ?? []) : byId.values(), {
        view,
        tag,
        order,
        language,
        channel,
        itemIds: speakerItemIds,
      }),
    [view, removed, byId, tag, order, language, channel, speakerItemIds],
  );
  const tags = useMemo(() => tagsOf(byId.values()), [byId]);
  const languages = useMemo(() => languagesOf(byId.values()), [byId]);
  const channels = useMemo(() => channelsOf(byId.values()), [byId]);
  const usedBytes = useMemo(
    () => [...byId.values()].reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
    [byId],
  );
  const isRemovedView = view === "removed";
  return {
    view,
    isRemovedView,
    setView: (next: View) => {
      setView(next);
      if (next !== "removed") return;
      void removedTask.run(async (signal) =>
        setRemoved((await call("listItems", { isDeleted: "true" }, "", signal)).items),
      );
    },
    tags,
    tag,
    setTag,
    order,
    setOrder,
    languages,
    language,
    setLanguage,
    channels,
    channel,
    setChannel,
    speakers,
    speaker,
    setSpeaker,
    items,
    /** The items of the chosen view are known. */
    isListed: isLoaded && (!isRemovedView || removed !== undefined),
    /** The library has no items, apart from removed ones. */
    isEmpty: isLoaded && byId.size === 0 && !isRemovedView,
    itemCount: byId.size,
    usedBytes,
    removedBytes: Math.max(0, totalBytes - usedBytes),
    error: isRemovedView ? removedTask.error : undefined,
    removedItems: removed ?? [],
    /** After items were restored or permanently deleted. */
    dropRemoved: (ids: readonly string[]) =>
      setRemoved((before) => before?.filter(({ id }) => !ids.includes(id))),
  };
}

type Speakers = ApiResponse<"listSpeakers">["speakers"];

/** As of the time when the page is opened; without them, there is only no filter. */
function useSpeakers(): Speakers {
  const [speakers, setSpeakers] = useState<Speakers>([]);
  const { run, cancel } = useTask();
  useEffect(() => {
    void run(async (signal) => setSpeakers((await call("listSpeakers", {}, "", signal)).speakers));
    return cancel;
  }, [run, cancel]);
  return speakers;
}

/** Selected items of the listing. */
export function useSelection({ items }: Listing) {
  const [chosen, setChosen] = useState(nothingSelected);
  const listedIds = useMemo(() => items.map(({ id }) => id), [items]);
  const { ids } = useMemo(() => keepListed(chosen, new Set(listedIds)), [chosen, listedIds]);
  const selected = useMemo(() => items.filter(({ id }) => ids.has(id)), [items, ids]);
  return {
    ids,
    items: selected,
    selectAll: () => setChosen({ ids: new Set(listedIds), anchor: listedIds[0] }),
    clear: () => setChosen(nothingSelected),
    toggle: (id: string) => setChosen((now) => toggleSelected(now, id)),
    extendTo: (id: string) => setChosen((now) => extendSelection(now, listedIds, id)),
  };
}
