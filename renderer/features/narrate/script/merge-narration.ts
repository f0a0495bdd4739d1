// Merges a narration as the app has it with the edits of this window. Pure.

import type {
  NarrateOptions,
  Narration,
  NarrationSentence,
} from "../../../../main/contract/studio.ts";
import type { NarrationState } from "./narration-store.ts";
import { isGenerated, staleIds } from "./sentence-updates.ts";
import { findEdit, mergeEdits, shiftRanges } from "./text-ranges.ts";

type Edited = Pick<NarrationState, "script" | "options">;

export const sameOptions = (one: NarrateOptions, other: NarrateOptions): boolean =>
  one.model === other.model && one.voice === other.voice && one.speed === other.speed;
/** Text fields use `\n` only. */
export const normalizeLineEndings = (script: string): string =>
  script.includes("\r") ? script.replace(/\r\n?/g, "\n") : script;

export const differs = (one: Edited, other: Edited): boolean =>
  one.script !== other.script || !sameOptions(one.options, other.options);

/** @param previous what the app had before, as far as was known @param local what the window shows */
export function mergeNarration({
  fresh,
  previous,
  local,
  isOwnResponse,
}: {
  fresh: Narration;
  previous: Narration | undefined;
  local: NarrationState;
  isOwnResponse: boolean;
}): Omit<NarrationState, "phase" | "message" | "saving"> {
  let script = isOwnResponse ? local.script : normalizeLineEndings(fresh.script);
  let { remoteScript } = local;
  if (previous !== undefined && !isOwnResponse && local.script !== previous.script) {
    const mergedScript = mergeEdits(previous.script, local.script, fresh.script);
    script = mergedScript ?? local.script;
    if (mergedScript === undefined) remoteScript = fresh.script;
  }
  const keepsLocalOptions =
    previous !== undefined && (isOwnResponse || !sameOptions(local.options, previous.options));
  const previouslyGenerated = local.sentences.filter(
    (sentence) => isGenerated(sentence) || local.stale.has(sentence.id),
  );
  return {
    script,
    options: keepsLocalOptions ? local.options : fresh.options,
    remoteScript,
    unspeakable: fresh.unspeakable,
    otherLanguage: fresh.otherLanguage,
    // An edited sentence is stale if it overlaps a range that had audio; the edit shifts and extends that range.
    stale: staleIds(
      fresh.sentences,
      previous === undefined ? [] : rangesAfterEdit(previous, previouslyGenerated, fresh.script),
    ),
    sentences: shiftRanges(fresh.sentences, fresh.script, script),
  };
}

/** Ranges of generated sentences, moved to another script; a range that was edited covers the result of the edit. */
function rangesAfterEdit(
  previous: Narration,
  generated: readonly NarrationSentence[],
  script: string,
): readonly { start: number; end: number }[] {
  const edit = findEdit(previous.script, script);
  const ids = new Set(generated.map(({ id }) => id));
  const generatedBefore = previous.sentences.filter(
    (sentence) => isGenerated(sentence) || ids.has(sentence.id),
  );
  if (edit === undefined) return generatedBefore;
  const shift = edit.newEnd - edit.oldEnd;
  return generatedBefore.flatMap(({ start, end }) => {
    const range = {
      start: start >= edit.oldEnd ? start + shift : Math.min(start, edit.start),
      end: end >= edit.oldEnd ? end + shift : Math.min(end, edit.newEnd),
    };
    return range.end > range.start ? [range] : [];
  });
}
