// System effects of long work: keeps the machine awake, shows progress in the dock or taskbar, and notifies at the end
// if the window has no focus.

import { app, powerSaveBlocker } from "electron";
import type { AppEvent } from "../contract/app-event.ts";
import type { Item } from "../contract/library-item.ts";
import type { Messages } from "./messages.ts";
import type { Notifications } from "./notifications.ts";

export type WorkIndicatorDeps = {
  notifications: Notifications;
  /** True if the window has the focus. */
  isFocused(): boolean;
  shouldNotify(): boolean;
  /** 0 to 1; −1: none. */
  setProgress(progress: number): void;
  /** Opens the item in the window. */
  open(item: Item): void;
  texts(): Messages;
  /** Milliseconds. */
  now?(): number;
};

export type WorkIndicator = { onEvent(event: AppEvent): void; close(): void };

/** Minimum duration of work for a notification: the user may be doing something else by then. */
const minNotifyWorkMs = 30_000;

export function createWorkIndicator({
  notifications,
  isFocused,
  shouldNotify,
  setProgress,
  open,
  texts,
  now = () => performance.now(),
}: WorkIndicatorDeps): WorkIndicator {
  /** Item → start time and progress; recordings have no progress. */
  const activeWork = new Map<string, { startedAtMs: number; progress: number | undefined }>();
  const waitingIds = new Set<string>();
  let blocker: number | undefined;
  let shownProgress = -1;
  let shownCount = 0;

  function trackItem(item: Item): void {
    const { id, state, progress } = item;
    const previous = activeWork.get(id);
    if (state === "waiting") waitingIds.add(id);
    else waitingIds.delete(id);
    if (state === "running" || state === "recording")
      activeWork.set(id, {
        startedAtMs: previous?.startedAtMs ?? now(),
        progress: state === "running" ? progress : undefined,
      });
    else activeWork.delete(id);
    const hasEnded = previous?.progress !== undefined && (state === "done" || state === "failed");
    if (
      hasEnded &&
      now() - previous.startedAtMs > minNotifyWorkMs &&
      !isFocused() &&
      shouldNotify()
    ) {
      const { done, failed } = texts();
      notifications.show(
        item.title,
        state === "done" ? done : `${failed}: ${item.error ?? ""}`,
        () => open(item),
      );
    }
  }

  function updateIndicators(): void {
    if (activeWork.size > 0) blocker ??= powerSaveBlocker.start("prevent-app-suspension");
    else if (blocker !== undefined) {
      powerSaveBlocker.stop(blocker);
      blocker = undefined;
    }
    const fractions = [...activeWork.values()].flatMap(({ progress }) => progress ?? []);
    const progress =
      fractions.length === 0
        ? -1
        : fractions.reduce((sum, fraction) => sum + fraction, 0) / fractions.length;
    if (progress !== shownProgress) setProgress((shownProgress = progress));
    const count = fractions.length + waitingIds.size;
    if (count !== shownCount) app.setBadgeCount((shownCount = count));
  }

  return {
    onEvent(event) {
      if (event.type === "item") trackItem(event.item);
      else if (event.type === "item-removed") {
        activeWork.delete(event.id);
        waitingIds.delete(event.id);
      } else return;
      updateIndicators();
    },
    close() {
      activeWork.clear();
      waitingIds.clear();
      updateIndicators();
    },
  };
}
