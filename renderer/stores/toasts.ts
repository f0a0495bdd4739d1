// Toasts: messages about what finished elsewhere, with undo. What belongs to something on the screen is shown there
// instead. They stay when the language changes, so texts of ours are functions.

import { create } from "zustand";

export type Toast = {
  readonly id: number;
  readonly text: string | (() => string);
  readonly tone: "plain" | "good" | "bad";
  readonly action?: { readonly label: string; readonly run: () => void };
};

const toastDurationMs = 7_000;
const maxToasts = 4;
let nextId = 1;

export const useToasts = create<{ toasts: readonly Toast[] }>(() => ({ toasts: [] }));

export const dismissToast = (id: number) =>
  useToasts.setState(({ toasts }) => ({ toasts: toasts.filter((each) => each.id !== id) }));

export const toastText = ({ text }: Pick<Toast, "text">): string =>
  typeof text === "function" ? text() : text;

/** An undo belongs to one toast only; anything else is not said twice. */
const isRepeated = (one: Omit<Toast, "id">, other: Omit<Toast, "id">): boolean =>
  one.tone === other.tone &&
  (one.tone === "bad" || one.action === undefined) &&
  toastText(one) === toastText(other);

/** Shown for seven seconds; errors stay until they are dismissed. It replaces an identical one. @returns its id */
export function toast({
  tone = "plain",
  ...rest
}: Omit<Toast, "id" | "tone"> & { tone?: Toast["tone"] }): number {
  const id = nextId++;
  useToasts.setState(({ toasts }) => ({
    toasts: [
      ...toasts.filter((other) => !isRepeated({ tone, ...rest }, other)),
      { id, tone, ...rest },
    ].slice(-maxToasts),
  }));
  if (tone !== "bad") setTimeout(() => dismissToast(id), toastDurationMs);
  return id;
}
