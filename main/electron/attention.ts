// What long work does to the machine around it: kept awake meanwhile, progress where programs are listed, a
// notification at the end if the person looked away.

import { app, powerSaveBlocker } from "electron";
import type { Item, StudioEvent } from "../contract/studio.ts";
import type { Messages } from "./messages.ts";
import type { Notices } from "./notices.ts";

export type AttentionDeps = {
  notices: Notices;
  /** The person sees the window. */
  isFocused(): boolean;
  notifies(): boolean;
  /** 0 to 1; −1: none. */
  setProgress(progress: number): void;
  /** Opens the item in the window. */
  open(item: Item): void;
  texts(): Messages;
  /** Milliseconds. */
  now?(): number;
};

export type Attention = { take(event: StudioEvent): void; close(): void };

/** Work that took longer has let the person go and do something else. */
const longMs = 30_000;

export function createAttention({
  notices,
  isFocused,
  notifies,
  setProgress,
  open,
  texts,
  now = () => performance.now(),
}: AttentionDeps): Attention {
  /** Item → when it began, and how far it is; a recording has no end to be near to. */
  const working = new Map<string, { sinceMs: number; progress: number | undefined }>();
  const waiting = new Set<string>();
  let blocker: number | undefined;
  let shownProgress = -1;
  let shownCount = 0;

  function follow(item: Item): void {
    const { id, state, progress } = item;
    const before = working.get(id);
    if (state === "waiting") waiting.add(id);
    else waiting.delete(id);
    if (state === "running" || state === "recording")
      working.set(id, {
        sinceMs: before?.sinceMs ?? now(),
        progress: state === "running" ? progress : undefined,
      });
    else working.delete(id);
    const isOver = before?.progress !== undefined && (state === "done" || state === "failed");
    if (isOver && now() - before.sinceMs > longMs && !isFocused() && notifies()) {
      const { done, failed } = texts();
      notices.show(item.title, state === "done" ? done : `${failed}: ${item.error ?? ""}`, () =>
        open(item),
      );
    }
  }

  function show(): void {
    if (working.size > 0) blocker ??= powerSaveBlocker.start("prevent-app-suspension");
    else if (blocker !== undefined) {
      powerSaveBlocker.stop(blocker);
      blocker = undefined;
    }
    const parts = [...working.values()].flatMap(({ progress }) => progress ?? []);
    const progress =
      parts.length === 0 ? -1 : parts.reduce((sum, part) => sum + part, 0) / parts.length;
    if (progress !== shownProgress) setProgress((shownProgress = progress));
    const count = parts.length + waiting.size;
    if (count !== shownCount) app.setBadgeCount((shownCount = count));
  }

  return {
    take(event) {
      if (event.type === "item") follow(event.item);
      else if (event.type === "item-removed") {
        working.delete(event.id);
        waiting.delete(event.id);
      } else return;
      show();
    },
    close() {
      working.clear();
      waiting.clear();
      show();
    },
  };
}
