// What processes and models take in memory, gathered from what the children tell of themselves.

import type { EngineMemory } from "../../contract/speech.ts";
import type { ChildMemory } from "./protocol.ts";

export type ModelMemory = {
  /** To be called whenever a child told something or ended. */
  note(): void;
  read(): EngineMemory;
};

/** Less than that is told with the next change: what a process holds differs after every task. */
const worthTellingBytes = 50e6;

/**
 * @param present what each child told last
 * @param onChange a model was loaded or let go, a process came or went, or they hold clearly more or less
 */
export function createModelMemory(
  present: () => readonly ChildMemory[],
  onChange: (memory: EngineMemory) => void,
): ModelMemory {
  /** The most that each took: one that is loaded into memory that was freed before seems to take less. */
  const maxBytes = new Map<string, number>();

  const read = (): EngineMemory => {
    const told = present().filter(({ rssBytes }) => rssBytes > 0);
    return {
      processes: told.length,
      bytes: told.reduce((sum, { rssBytes }) => sum + rssBytes, 0),
      models: new Map(
        Array.from(maxBytes, ([id, bytes]) => [
          id,
          { bytes, isLoaded: told.some(({ models }) => Object.hasOwn(models, id)) },
        ]),
      ),
    };
  };
  let before = read();

  return {
    note() {
      for (const [id, bytes] of present().flatMap(({ models }) => Object.entries(models)))
        maxBytes.set(id, Math.max(bytes, maxBytes.get(id) ?? 0));
      const now = read();
      if (!differs(before, now)) return;
      before = now;
      onChange(now);
    },
    read,
  };
}

function differs(before: EngineMemory, now: EngineMemory): boolean {
  if (before.processes !== now.processes || Math.abs(before.bytes - now.bytes) >= worthTellingBytes)
    return true;
  return JSON.stringify([...before.models]) !== JSON.stringify([...now.models]);
}
