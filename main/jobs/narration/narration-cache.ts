// In-memory cache of narrations in use. All changes are written to the library first.

import type { NarrateOptions, Pronunciation } from "../../contract/narration.ts";
import type { Narrations, StoredNarration, StoredTake } from "../../library/narrations.ts";
import type { LoadedNarration } from "./loaded-narration.ts";
import { createParsedScripts, excessCount } from "./parsed-scripts.ts";

export type NarrationCacheDeps = {
  narrations: Narrations;
  vocabulary: { pronunciations(): readonly Pronunciation[] };
  /** Voice names that a script may use. */
  voices(): readonly string[];
};

export type NarrationCache = {
  /** The current state. @throws AppError `not_found` */
  get(itemId: string): LoadedNarration;
  /** Ids of the narrations in the cache. */
  recentItemIds(): string[];
  /**
   * Parses the script in time slices, so that `get` finds the result.
   * @param activePronunciations those that will replace the current ones
   * @throws AppError `not_found`
   */
  prepare(itemId: string, activePronunciations?: readonly Pronunciation[]): Promise<void>;
  /** The same for the script of a new narration or a changed script. @throws AppError `string_too_long` */
  prepareScript(script: string, options: NarrateOptions): Promise<void>;
};

export function createNarrationCache({
  narrations,
  vocabulary,
  voices,
}: NarrationCacheDeps): NarrationCache {
  const loadedNarrations = new Map<string, LoadedNarration>();
  const parsedScripts = createParsedScripts(voices);

  function loadNarration(
    itemId: string,
    stored: StoredNarration,
    activePronunciations: readonly Pronunciation[],
    cached: LoadedNarration | undefined,
  ): LoadedNarration {
    const { script, options } = stored;
    const { tooLongError, sentences, byId, unspeakable } = parsedScripts.consume({
      script,
      options,
      pronunciations: activePronunciations,
    });
    return {
      ...stored,
      itemId,
      tooLongError,
      sentences,
      byId,
      unspeakable,
      takes: cached?.takes ?? groupByContent(narrations.takes(itemId)),
      notes: cached?.notes ?? narrations.notes(itemId),
      pronunciations: activePronunciations,
    };
  }

  return {
    get(itemId) {
      const revision = narrations.revision(itemId);
      const activePronunciations = vocabulary.pronunciations();
      const cached = loadedNarrations.get(itemId);
      loadedNarrations.delete(itemId);
      const narration =
        cached?.revision === revision && cached.pronunciations === activePronunciations
          ? cached
          : loadNarration(itemId, narrations.read(itemId), activePronunciations, cached);
      loadedNarrations.set(itemId, narration);
      const excess = excessCount([...loadedNarrations.values()]);
      for (const oldest of [...loadedNarrations.keys()].slice(0, excess))
        loadedNarrations.delete(oldest);
      return narration;
    },
    recentItemIds: () => [...loadedNarrations.keys()],
    async prepare(itemId, activePronunciations = vocabulary.pronunciations()) {
      const cached = loadedNarrations.get(itemId);
      if (
        cached?.revision === narrations.revision(itemId) &&
        cached.pronunciations === activePronunciations
      )
        return;
      const { script, options } = narrations.read(itemId);
      await parsedScripts.prepare({ script, options, pronunciations: activePronunciations });
    },
    async prepareScript(script, options) {
      const input = { script, options, pronunciations: vocabulary.pronunciations() };
      const { tooLongError } = await parsedScripts.prepare(input);
      if (tooLongError !== undefined) throw tooLongError;
    },
  };
}

function groupByContent(takes: readonly StoredTake[]): Map<string, StoredTake[]> {
  const groups = new Map<string, StoredTake[]>();
  for (const take of takes) groups.set(take.content, [...(groups.get(take.content) ?? []), take]);
  return groups;
}
