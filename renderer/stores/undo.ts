// Undo and redo. A stack belongs to one document; the window's own stack holds actions outside of documents (removing
// items, renaming). Steps run one after the other.

import { create, type StoreApi, type UseBoundStore } from "zustand";
import { messageOf } from "../api/error.ts";
import { t } from "../messages/messages.ts";
import { toast } from "./toasts.ts";

export type UndoStep = {
  /** What was done, as in "Undo: merge segments". May be a getter, so that it follows a change of language. */
  readonly title: string;
  readonly undo: () => void | Promise<void>;
  readonly redo: () => void | Promise<void>;
};

export type UndoState = {
  readonly past: readonly UndoStep[];
  readonly future: readonly UndoStep[];
  /** Adds a step that was done already. @returns the step, for a button that undoes just this one */
  push(step: UndoStep): UndoStep;
  /** Undoes the last step, or just `only`, at any position; does nothing if that was undone already. */
  undo(only?: UndoStep): Promise<void>;
  redo(): Promise<void>;
  clear(): void;
};

const maxSteps = 500;

export function createUndoStack(): UseBoundStore<StoreApi<UndoState>> {
  let lastMove: Promise<void> = Promise.resolve();
  return create<UndoState>((set, get) => {
    // A step that fails stays on its stack, so that it can be tried again.
    const move = async (
      from: "past" | "future",
      to: "past" | "future",
      previousMove: Promise<void>,
      only?: UndoStep,
    ) => {
      await previousMove;
      const step = only ?? get()[from].at(-1);
      if (step === undefined || !get()[from].includes(step)) return;
      try {
        await (from === "past" ? step.undo() : step.redo());
        set((state) => ({
          ...state,
          [from]: state[from].filter((each) => each !== step),
          [to]: [...state[to], step],
        }));
      } catch (error) {
        toast({
          tone: "bad",
          text: () => t("frame.undo.failed", { title: step.title, why: messageOf(error) }),
        });
      }
    };
    return {
      past: [],
      future: [],
      push(step) {
        set(({ past }) => ({ past: [...past, step].slice(-maxSteps), future: [] }));
        return step;
      },
      undo: (only) => (lastMove = move("past", "future", lastMove, only)),
      redo: () => (lastMove = move("future", "past", lastMove)),
      clear: () => set({ past: [], future: [] }),
    };
  });
}

/** The window's own stack. */
export const useUndo = createUndoStack();

/** Whether a step can be undone; buttons that offer it disappear otherwise. */
export const useCanUndo = (step: UndoStep | undefined): boolean =>
  useUndo(({ past }) => step !== undefined && past.includes(step));
