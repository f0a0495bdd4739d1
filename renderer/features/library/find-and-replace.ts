// Find and replace across the library. The app replaces all at once; undo restores each segment that was not changed
// since.

import type { DocumentSegment } from "../../../main/contract/transcript-document.ts";
import { call, type CallResult } from "../../api/client.ts";
import { t } from "../../messages/messages.ts";
import { type UndoStep, useUndo } from "../../stores/undo.ts";

export type ReplaceQuery = {
  readonly find: string;
  readonly replaceBy: string;
  readonly isCaseSensitive: boolean;
};
export type Match = CallResult<"replace">["matches"][number];

export const preview = async (
  query: ReplaceQuery,
  signal: AbortSignal,
): Promise<readonly Match[]> =>
  (await call("replace", { ...query, isPreview: true }, "", signal)).matches;

/** Replaces in these items. @returns the number of changed segments and the step that undoes it @throws ApiError */
export async function replaceAll(
  query: ReplaceQuery,
  itemIds: string[],
): Promise<{ count: number; step: UndoStep }> {
  const originalSegments = new Map<string, readonly DocumentSegment[]>();
  for (const id of itemIds) originalSegments.set(id, (await call("readDocument", {}, id)).segments);
  const replace = async () =>
    (await call("replace", { ...query, isPreview: false, itemIds })).matches;
  let matches = await replace();
  // Undo must restore only the segments that were replaced.
  for (const [id, segments] of originalSegments) {
    const changed = new Set(
      matches.filter(({ itemId }) => itemId === id).map(({ segmentId }) => segmentId),
    );
    originalSegments.set(
      id,
      segments.filter((segment) => changed.has(segment.id)),
    );
  }
  const { length: count } = matches;
  const step = useUndo.getState().push({
    get title() {
      return t("library.replace.named", { find: query.find, replaceBy: query.replaceBy });
    },
    undo: () => restoreSegments(matches, originalSegments),
    async redo() {
      matches = await replace();
    },
  });
  return { count, step };
}

async function restoreSegments(
  matches: readonly Match[],
  originalSegments: ReadonlyMap<string, readonly DocumentSegment[]>,
): Promise<void> {
  for (const [itemId, itemMatches] of Map.groupBy(matches, (match) => match.itemId)) {
    const { revision, segments } = await call("readDocument", {}, itemId);
    const after = new Map(itemMatches.map((match) => [match.segmentId, match.after]));
    const unchangedIds = new Set(
      segments.filter(({ id, text }) => after.get(id) === text).map(({ id }) => id),
    );
    const put = (originalSegments.get(itemId) ?? []).filter(({ id }) => unchangedIds.has(id));
    if (put.length > 0) await call("changeDocument", { revision, put, remove: [] }, itemId);
  }
}
