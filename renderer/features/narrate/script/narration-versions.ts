// The versions of one open narration: the one that the app has, as far as is known, the text being sent, and, if both
// the app's and the shown text changed, the app's other version until the user has chosen.

import type {
  NarrateOptions,
  Narration,
  NarrationSentence,
} from "../../../../main/contract/narration.ts";
import { createSentenceUpdates, updateIn } from "./sentence-updates.ts";

export type NarrationText = { readonly script: string; readonly options: NarrateOptions };
export type NarrationChange = NarrationText & { readonly revision: number };

/** A response of the app, and the number of sentence updates when it was requested. */
export type NarrationResponse = {
  readonly narration: Narration;
  readonly sinceUpdateCount: number;
};

export type NarrationVersions = {
  /** The app's narration; undefined until it was read. */
  base(): Narration | undefined;
  /** The version from elsewhere, during a conflict. */
  remote(): NarrationResponse | undefined;
  /** Whether the shown text should be sent. */
  isDirty(shown: NarrationText): boolean;
  updateCount(): number;
  /** @returns the text to show with it; undefined if both it and the shown text have changed, which is a conflict */
  receive(response: NarrationResponse, shown: NarrationText): NarrationText | undefined;
  /** Takes over the app's narration; ends a conflict. @returns it, with newer updates of its sentences */
  adopt(response: NarrationResponse): Narration;
  /** What to send. What the app may have already is sent again unchanged, so that `receive` recognizes it. */
  nextChange(shown: NarrationText): NarrationChange | undefined;
  /** The app has answered the change. */
  settled(): void;
  updateSentence(sentence: NarrationSentence): void;
  /** Two versions if a change is being sent, which may or may not arrive; none in a conflict. */
  unsaved(shown: NarrationText): readonly NarrationChange[];
};

export const isSameText = (one: NarrationText, other: NarrationText): boolean =>
  one.script === other.script && isSameJson(one.options, other.options);

/** Fields in any order; undefined ones count as omitted. */
function isSameJson(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (!isObject(one) || !isObject(other)) return false;
  const keys = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...keys].every((key) => isSameJson(one[key], other[key]));
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null;

/** As text fields show it: they use `\n` only. */
export const shownText = ({ script, options }: NarrationText): NarrationText => ({
  script: script.includes("\r") ? script.replace(/\r\n?/g, "\n") : script,
  options,
});

export function createNarrationVersions(): NarrationVersions {
  let base: Narration | undefined;
  /** Being sent, or sent without a response; the app may have it or not. */
  let inFlight: NarrationText | undefined;
  let remote: NarrationResponse | undefined;
  const updates = createSentenceUpdates();

  const differsFromBase = (text: NarrationText): boolean =>
    base !== undefined && !isSameText(text, base);
  const isDirty = (shown: NarrationText): boolean => remote === undefined && differsFromBase(shown);

  return {
    base: () => base,
    remote: () => remote,
    isDirty,
    updateCount: updates.count,
    receive(response, shown) {
      const { narration } = response;
      const text = shownText(narration);
      if (!differsFromBase(shown) || isSameText(text, shown)) {
        inFlight = undefined;
        return text;
      }
      if (base !== undefined && isSameText(narration, base)) return shown;
      const isOwnSave = inFlight !== undefined && isSameText(narration, inFlight);
      inFlight = undefined;
      // Its response did not arrive.
      if (isOwnSave) return shown;
      remote = response;
      return undefined;
    },
    adopt({ narration, sinceUpdateCount }) {
      base = { ...narration, sentences: updates.applyTo(narration.sentences, sinceUpdateCount) };
      remote = undefined;
      return base;
    },
    nextChange({ script, options }) {
      if (base === undefined) return undefined;
      inFlight ??= { script, options };
      return { revision: base.revision, ...inFlight };
    },
    settled: () => void (inFlight = undefined),
    updateSentence(sentence) {
      updates.add(sentence);
      if (base !== undefined) base = { ...base, sentences: updateIn(base.sentences, sentence) };
    },
    unsaved(shown) {
      if (!isDirty(shown) || base === undefined) return [];
      const { script, options } = shown;
      const change = { revision: base.revision, script, options };
      return inFlight === undefined
        ? [change]
        : [change, { ...change, revision: base.revision + 1 }];
    },
  };
}
