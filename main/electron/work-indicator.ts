// What long work does to the machine around it: kept awake meanwhile, progress where programs are listed, a
// notification at the end if the person looked away.

import { app, powerSaveBlocker } from "electron";
import type { Item, StudioEvent } from "../contract/studio.ts";
import type { Messages } from "./messages.ts";
import type { Notifications } from "./notifications.ts";

export type WorkIndicatorDeps = {
  notifications: Notifications;
  /** The person sees the window. */
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

export type WorkIndicator = { onEvent(event: StudioEvent): void; close(): void };

/** Work that took longer has let the person go and do something else. */
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
  /** Item → when it began, and how far it is; a recording has no end to be near to. */
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
