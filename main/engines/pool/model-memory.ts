// Memory of child processes and models, collected from the children's reports.

import type { EngineMemory } from "../../contract/speech.ts";
import type { ChildMemory } from "./protocol.ts";

export type ModelMemory = {
  /** Call after every report of a child and after a child ended. */
  update(): void;
  /** Call when a model was removed or replaced: the next one of this id may need less. */
  forget(modelId: string): void;
  snapshot(): EngineMemory;
};

/** Smaller changes wait for the next report: memory differs a little after every task. */
const minReportedChangeBytes = 50e6;

/**
 * @param getReports the last report of each child
 * @param onChange called when a model was loaded or unloaded, a process came or went, or memory changed clearly
 */
export function createModelMemory(
  getReports: () => readonly ChildMemory[],
  onChange: (memory: EngineMemory) => void,
): ModelMemory {
  /** Maximum measured per model: a model that is loaded into memory freed before seems smaller than it is. */
  const maxBytes = new Map<string, number>();

  const snapshot = (): EngineMemory => {
    const reports = getReports().filter(({ rssBytes }) => rssBytes > 0);
    return {
      processes: reports.length,
      bytes: reports.reduce((sum, { rssBytes }) => sum + rssBytes, 0),
      models: new Map(
        Array.from(maxBytes, ([id, bytes]) => [
          id,
          { bytes, isLoaded: reports.some(({ models }) => Object.hasOwn(models, id)) },
        ]),
      ),
    };
  };
  let previous = snapshot();

  return {
    update() {
      for (const [id, bytes] of getReports().flatMap(({ models }) => Object.entries(models)))
        maxBytes.set(id, Math.max(bytes, maxBytes.get(id) ?? 0));
      const current = snapshot();
      if (!hasChanged(previous, current)) return;
      previous = current;
      onChange(current);
    },
    forget: (modelId) => void maxBytes.delete(modelId),
    snapshot,
  };
}

function hasChanged(previous: EngineMemory, current: EngineMemory): boolean {
  if (
    previous.processes !== current.processes ||
    Math.abs(previous.bytes - current.bytes) >= minReportedChangeBytes
  )
    return true;
  return JSON.stringify([...previous.models]) !== JSON.stringify([...current.models]);
}
