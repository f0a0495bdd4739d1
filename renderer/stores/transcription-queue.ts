// The queue of transcriptions: whether it is paused, and the order of the items that wait.

import { create } from "zustand";
import type {
  TranscriptionQueueChange,
  TranscriptionQueueState,
} from "../../main/contract/transcription-queue.ts";
import { call } from "../api/client.ts";
import { messageOf } from "../api/error.ts";
import { toast } from "./toasts.ts";

export const useTranscriptionQueue = create<TranscriptionQueueState>(() => ({
  isPaused: false,
  itemIds: [],
}));

/** If it fails, the known order stays; the next event reads it again. */
export async function loadTranscriptionQueue(): Promise<void> {
  const state = await call("readQueue", {}).catch(() => undefined);
  if (state !== undefined) useTranscriptionQueue.setState(state);
}

export async function changeTranscriptionQueue(change: TranscriptionQueueChange): Promise<void> {
  try {
    useTranscriptionQueue.setState(await call("changeQueue", change));
  } catch (error) {
    toast({ tone: "bad", text: messageOf(error) });
  }
}

/** Moves a waiting item by one place or to the top. */
export function moveInQueue(itemId: string, to: "top" | "up" | "down"): Promise<void> {
  const { itemIds } = useTranscriptionQueue.getState();
  return changeTranscriptionQueue({ itemIds: movedIds(itemIds, itemId, to) });
}

/** Pure. */
export function movedIds(
  itemIds: readonly string[],
  itemId: string,
  to: "top" | "up" | "down",
): string[] {
  const index = itemIds.indexOf(itemId);
  if (index < 0) return [...itemIds];
  const others = itemIds.toSpliced(index, 1);
  const place = to === "top" ? 0 : Math.max(0, index + (to === "up" ? -1 : 1));
  return others.toSpliced(place, 0, itemId);
}
