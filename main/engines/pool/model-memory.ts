// What models take in memory, gathered from what the children tell of themselves.

import type { EngineMemory } from '../../contract/speech.ts';
import type { ChildMemory } from './protocol.ts';

export type ModelMemory = {
  /** To be called whenever a child told something or ended. */
  note(): void;
  read(): EngineMemory;
};

/**
 * @param present what each child told last
 * @param onChange a model was loaded or let go
 */
export function createModelMemory(present: () => readonly ChildMemory[], onChange: () => void): ModelMemory {
  /** The most that each took: one that is loaded into memory that was freed before seems to take less. */
  const mostBytes = new Map<string, number>();
  let before = '[]';

  const read = (): EngineMemory => {
    const children = present();
    return {
      processes: children.length,
      bytes: children.reduce((sum, { rssBytes }) => sum + rssBytes, 0),
      models: new Map(Array.from(mostBytes, ([id, bytes]) => [id, { bytes, isLoaded: children.some(({ models }) => Object.hasOwn(models, id)) }])),
    };
  };

  return {
    note() {
      for (const [id, bytes] of present().flatMap(({ models }) => Object.entries(models))) mostBytes.set(id, Math.max(bytes, mostBytes.get(id) ?? 0));
      const now = JSON.stringify([...read().models]);
      if (now === before) return;
      before = now;
      onChange();
    },
    read,
  };
}
