// What processes and models take in memory, gathered from what the children tell of themselves.

import type { EngineMemory } from "../../contract/speech.ts";
import type { ChildMemory } from "./protocol.ts";

export type ModelMemory = {
  /** To be called whenever a child told something or ended. */
  update(): void;
  snapshot(): EngineMemory;
};

/** Less than that is told with the next change: what a process holds differs after every task. */
const minReportedChangeBytes = 50e6;

/**
 * @param getReports what each child told last
 * @param onChange a model was loaded or let go, a process came or went, or they hold clearly more or less
 */
export function createModelMemory(
  getReports: () => readonly ChildMemory[],
  onChange: (memory: EngineMemory) => void,
): ModelMemory {
  /** The most that each took: one that is loaded into memory that was freed before seems to take less. */
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
