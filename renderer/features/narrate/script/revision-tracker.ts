// Decides when a narration is loaded again. Events announce the window's own changes too, before or after their
// response; neither requires a reload.

const reloadDelayMs = 300;

export function createRevisionTracker({
  current,
  isSending,
  reload,
}: {
  /** The revision of the loaded narration; undefined: not loaded yet. */
  current(): number | undefined;
  isSending(): boolean;
  reload(): Promise<void>;
}) {
  /** Announced while a change was being sent. */
  const earlyRevisions = new Set<number>();
  /** Of responses, and not announced yet. */
  const awaitedRevisions = new Set<number>();
  let needsReload = false;
  let reloadTimer: ReturnType<typeof setTimeout> | undefined;
  let isClosed = false;

  function reloadSoon(): void {
    needsReload = false;
    if (!isClosed) reloadTimer ??= setTimeout(() => void reload(), reloadDelayMs);
  }

  return {
    reloadSoon,
    onRead(): void {
      clearTimeout(reloadTimer);
      reloadTimer = undefined;
      // Revisions not announced by now may never be; waiting longer would hide a later change with the same number.
      awaitedRevisions.clear();
    },
    /** The app has stored a change as this revision. */
    onResponse(revision: number): void {
      if (!earlyRevisions.delete(revision)) awaitedRevisions.add(revision);
    },
    /** The same revision as before means that pronunciations changed. */
    onRevision(revision: number): void {
      const currentRevision = current();
      if (awaitedRevisions.delete(revision) || currentRevision === undefined) return;
      if (!isSending()) reloadSoon();
      else if (revision > currentRevision) earlyRevisions.add(revision);
      else needsReload = true;
    },
    /** Nothing is being sent any more. */
    onIdle(): void {
      if ([...earlyRevisions].some((revision) => revision > (current() ?? 0))) needsReload = true;
      earlyRevisions.clear();
      if (needsReload) reloadSoon();
    },
    close(): void {
      isClosed = true;
      clearTimeout(reloadTimer);
    },
  };
}
