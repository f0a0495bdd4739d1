// Toasts: messages about what finished elsewhere, with undo. What belongs to something on the screen is shown there
// instead.

import { create } from "zustand";

export type Toast = {
  readonly id: number;
  readonly text: string;
  readonly tone: "plain" | "good" | "bad";
  readonly action?: { readonly label: string; readonly run: () => void };
};

const toastDurationMs = 7_000;
const maxToasts = 4;
let nextId = 1;

export const useToasts = create<{ toasts: readonly Toast[] }>(() => ({ toasts: [] }));

export const dismissToast = (id: number) =>
  useToasts.setState(({ toasts }) => ({ toasts: toasts.filter((each) => each.id !== id) }));

/** Shown for seven seconds; errors stay until they are dismissed. @returns its id */
export function toast({
  tone = "plain",
  ...rest
}: Omit<Toast, "id" | "tone"> & { tone?: Toast["tone"] }): number {
  const id = nextId++;
  useToasts.setState(({ toasts }) => ({
    toasts: [...toasts, { id, tone, ...rest }].slice(-maxToasts),
  }));
  if (tone !== "bad") setTimeout(() => dismissToast(id), toastDurationMs);
  return id;
}
