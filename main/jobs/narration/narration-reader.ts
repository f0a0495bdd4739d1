// Narrations as the other modules and the window read them: of existing items only, presented in time slices.

import type { AppEvent } from "../../contract/app-event.ts";
import type { Narration } from "../../contract/narration.ts";
import type { Items } from "../../library/items.ts";
import { runInSlices } from "../../processes/time-slices.ts";
import type { LoadedNarration } from "./loaded-narration.ts";
import type { NarrationCache } from "./narration-cache.ts";
import { toNarration, toNarrationSentence } from "./narration-view.ts";
import type { Sentence } from "./sentences.ts";

export type NarrationReader = {
  /** @throws AppError `not_found`, also for a removed narration whose rows still exist */
  get(itemId: string): LoadedNarration;
  /** Like `get`; parses the script in time slices. */
  load(itemId: string): Promise<LoadedNarration>;
  present(narration: LoadedNarration): Promise<Narration>;
  /** Publishes every occurrence of the sentence: there may be thousands. */
  publishSentence(narration: LoadedNarration, sentence: Sentence): Promise<void>;
};

export type NarrationReaderDeps = {
  items: Items;
  cache: NarrationCache;
  events: { publish(event: AppEvent): void };
  spokenLanguages(model: string): ReadonlySet<string> | undefined;
};

export function createNarrationReader({
  items,
  cache,
  events,
  spokenLanguages,
}: NarrationReaderDeps): NarrationReader {
  function get(itemId: string): LoadedNarration {
    items.read(itemId);
    return cache.get(itemId);
  }

  function* publishInSteps(
    narration: LoadedNarration,
    { content }: Sentence,
  ): Generator<undefined, void> {
    const { itemId, sentences } = narration;
    for (const each of sentences) {
      yield;
      if (each.content !== content) continue;
      const sentence = toNarrationSentence(narration, each);
      events.publish({ type: "sentence", itemId, sentence });
    }
  }

  return {
    get,
    async load(itemId) {
      items.read(itemId);
      await cache.prepare(itemId);
      return get(itemId);
    },
    present: (narration) =>
      runInSlices(toNarration(narration, spokenLanguages(narration.options.model))),
    publishSentence: (narration, sentence) => runInSlices(publishInSteps(narration, sentence)),
  };
}
