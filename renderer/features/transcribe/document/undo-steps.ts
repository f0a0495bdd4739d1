// Undo and redo steps of one open transcript.

import { joinPatches, type Patch } from "./segments.ts";

export type StepOptions = {
  /** Consecutive steps with the same key become one. */
  readonly mergeKey?: string | undefined;
  /** What it did elsewhere is taken back, or done again, too. */
  readonly onUndo?: () => void;
  readonly onRedo?: () => void;
};

type Step = StepOptions & {
  /** Its title. */
  readonly name: string;
  readonly forward: Patch;
  readonly backward: Patch;
};

export type UndoSteps = {
  /** Titles of the next undo and redo step; undefined if there is none. */
  names(): { undoName: string | undefined; redoName: string | undefined };
  /** Adds a step that was taken, and drops those that could be redone. */
  add(step: Step): void;
  /** What to change to take the last step back. */
  undo(): Patch | undefined;
  redo(): Patch | undefined;
};

const maxSteps = 500;

export function createUndoSteps(): UndoSteps {
  const undoSteps: Step[] = [];
  const redoSteps: Step[] = [];
  return {
    names: () => ({ undoName: undoSteps.at(-1)?.name, redoName: redoSteps.at(-1)?.name }),
    add(step) {
      redoSteps.length = 0;
      const last = undoSteps.at(-1);
      if (last !== undefined && step.mergeKey !== undefined && last.mergeKey === step.mergeKey) {
        undoSteps[undoSteps.length - 1] = {
          ...last,
          forward: joinPatches(last.forward, step.forward),
          backward: joinPatches(step.backward, last.backward),
        };
        return;
      }
      undoSteps.push(step);
      if (undoSteps.length > maxSteps) undoSteps.shift();
    },
    undo() {
      const step = undoSteps.pop();
      if (step !== undefined) redoSteps.push(step);
      step?.onUndo?.();
      return step?.backward;
    },
    redo() {
      const step = redoSteps.pop();
      // The next typing must start a step of its own.
      if (step !== undefined) undoSteps.push({ ...step, mergeKey: undefined });
      step?.onRedo?.();
      return step?.forward;
    },
  };
}
