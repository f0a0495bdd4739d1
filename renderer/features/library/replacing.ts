// Find and replace across the library: done in one go by the app, and taken back segment by segment where nobody
// changed it since.

import type { DocumentSegment } from "../../../main/contract/studio.ts";
import { call, type Answer } from "../../api/client.ts";
import { t } from "../../messages/messages.ts";
import { type UndoStep, useUndo } from "../../stores/undo.ts";

export type Wanted = {
  readonly find: string;
  readonly replaceBy: string;
  readonly isCaseSensitive: boolean;
};
export type Match = Answer<"replace">["matches"][number];

export const preview = async (wanted: Wanted, signal: AbortSignal): Promise<readonly Match[]> =>
  (await call("replace", { ...wanted, isPreview: true }, "", signal)).matches;

/** In these items. Answers in how many segments, and the step that takes it back. @throws ApiError */
export async function replaceAll(
  wanted: Wanted,
  itemIds: string[],
): Promise<{ count: number; step: UndoStep }> {
  const kept = new Map<string, readonly DocumentSegment[]>();
  for (const id of itemIds) kept.set(id, (await call("readDocument", {}, id)).segments);
  const replace = async () =>
    (await call("replace", { ...wanted, isPreview: false, itemIds })).matches;
  let matches = await replace();
  // The rest of the transcripts is not for undoing this.
  for (const [id, segments] of kept) {
    const changed = new Set(
      matches.filter(({ itemId }) => itemId === id).map(({ segmentId }) => segmentId),
    );
    kept.set(
      id,
      segments.filter((segment) => changed.has(segment.id)),
    );
  }
  const { length: count } = matches;
  const step = useUndo.getState().push({
    get title() {
      return t("library.replace.named", { find: wanted.find, replaceBy: wanted.replaceBy });
    },
    undo: () => putBack(matches, kept),
    async redo() {
      matches = await replace();
    },
  });
  return { count, step };
}

async function putBack(
  matches: readonly Match[],
  kept: ReadonlyMap<string, readonly DocumentSegment[]>,
): Promise<void> {
  for (const [itemId, ofItem] of Map.groupBy(matches, (match) => match.itemId)) {
    const { revision, segments } = await call("readDocument", {}, itemId);
    const after = new Map(ofItem.map((match) => [match.segmentId, match.after]));
    const untouched = new Set(
      segments.filter(({ id, text }) => after.get(id) === text).map(({ id }) => id),
    );
    const put = (kept.get(itemId) ?? []).filter(({ id }) => untouched.has(id));
    if (put.length > 0) await call("changeDocument", { revision, put, remove: [] }, itemId);
  }
}
