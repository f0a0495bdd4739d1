// Reads an open narration again after changes elsewhere. Events announce the window's own changes too, before or after
// their response; neither requires a reload.

import type { Autosave } from "../../../stores/autosave.ts";

export type NarrationReload = {
  /** The app announced this revision. The same revision as before means that pronunciations changed. */
  onRevision(revision: number): void;
  /** A change of this window made this revision. */
  onOwnRevision(revision: number): void;
  /** Nothing is being sent any more. */
  onIdle(): void;
  soon(): void;
  /** The narration is being read. */
  started(): void;
  close(): void;
};

const delayMs = 300;

/** @param knownRevision undefined until the narration was read */
export function createNarrationReload(
  knownRevision: () => number | undefined,
  { isSending, load }: Pick<Autosave, "isSending" | "load">,
): NarrationReload {
  const earlyRevisions = new Set<number>();
  const awaitedRevisions = new Set<number>();
  let isNeeded = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isClosed = false;

  function soon(): void {
    isNeeded = false;
    if (!isClosed) timer ??= setTimeout(() => void load(), delayMs);
  }

  return {
    onRevision(revision) {
      const known = knownRevision();
      if (awaitedRevisions.delete(revision) || known === undefined) return;
      if (!isSending()) soon();
      else if (revision > known) earlyRevisions.add(revision);
      else isNeeded = true;
    },
    onOwnRevision(revision) {
      if (!earlyRevisions.delete(revision)) awaitedRevisions.add(revision);
    },
    onIdle() {
      const known = knownRevision() ?? 0;
      if ([...earlyRevisions].some((revision) => revision > known)) isNeeded = true;
      earlyRevisions.clear();
      if (isNeeded) soon();
    },
    soon,
    started() {
      clearTimeout(timer);
      timer = undefined;
      // Revisions not announced by now may never be; waiting longer would hide a later change with the same number.
      awaitedRevisions.clear();
    },
    close() {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}
