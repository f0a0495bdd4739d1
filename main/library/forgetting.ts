// Deletes remembered people: from the copies of the library, from the library itself, and from its write-ahead log.
// What is interrupted (a full disk, a killed process) goes on at the next start.

import type { StoredPerson } from "../contract/people.ts";
import type { Log } from "../log.ts";
import type { People } from "./people.ts";
import type { LibraryBackups } from "./recovery/library-backups.ts";

export type ForgettingDeps = {
  people: People;
  backups: Pick<LibraryBackups, "forgetPerson">;
  /** Empties the write-ahead log. */
  checkpoint(): Promise<unknown>;
  log: Log;
};

export type Forgetting = {
  /**
   * @returns whether there was such a person
   * @throws if a copy cannot be changed; it is tried again at the next start
   */
  forget(person: StoredPerson): Promise<boolean>;
  /** Ends what was interrupted. Never throws. */
  resume(): Promise<void>;
};

export function createForgetting({ people, backups, checkpoint, log }: ForgettingDeps): Forgetting {
  async function forgetPrints(id: string, prints: readonly Uint8Array[]): Promise<boolean> {
    const isRemoved = await backups.forgetPerson({ id, prints }, () => people.remove(id));
    try {
      await checkpoint();
      people.endForgetting(id);
    } catch (error) {
      log.warn({ err: error }, "the log of the library could not be emptied of a forgotten person");
    }
    return isRemoved;
  }

  return {
    async forget({ id, recordings }) {
      // Recorded first: if that fails, nothing has changed.
      people.beginForgetting(id);
      return forgetPrints(id, toPrintBytes(recordings));
    },
    async resume() {
      for (const id of people.beingForgotten()) {
        try {
          const isKnown = people.list().some((person) => person.id === id);
          await forgetPrints(id, isKnown ? toPrintBytes(people.export(id).recordings) : []);
        } catch (error) {
          log.warn({ err: error }, "a person could not be forgotten yet");
        }
      }
    },
  };
}

/** As they are stored. */
const toPrintBytes = (recordings: StoredPerson["recordings"]): Uint8Array[] =>
  recordings.map(({ print }) => new Uint8Array(Float32Array.from(print).buffer));
