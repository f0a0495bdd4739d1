// People whose voices are remembered, and the prints of their voices. What is deleted or replaced here is overwritten
// in the file, too (`secure_delete`); copies of the library are cleaned by recovery/.

import { randomBytes } from "node:crypto";
import { AppError } from "../contract/errors.ts";
import type { Person, StoredPerson } from "../contract/people.ts";
import type { KnownVoice } from "../contract/speakers.ts";
import type { Database } from "../storage/database.ts";

/** What is learnt about a voice from one recording. */
export type LearntVoice = {
  readonly itemId: string;
  readonly title: string;
  readonly speechSec: number;
  readonly print: Float32Array;
};

export type People = {
  /** By name. */
  list(): Person[];
  /** With their prints. @throws AppError `not_found` */
  export(id: string): StoredPerson;
  exportAll(): StoredPerson[];
  /** undefined if nobody of this name is remembered. */
  find(name: string): Person | undefined;
  /** One for each person who is not being forgotten, from all recordings. */
  voices(): KnownVoice[];
  /** Adds to what is known of the person with this name, whom it creates if needed, and who is not forgotten then. */
  remember(name: string, voice: LearntVoice): Person;
  /** Forgets what was learnt from a recording; a person of whom nothing else is known stays, without a voice. */
  forgetRecording(id: string, itemId: string): void;
  /** @throws AppError `not_found`; `name_taken` */
  rename(id: string, name: string): Person;
  /** Removes the person and all prints. @returns whether they existed */
  remove(id: string): boolean;
  /** Until `endForgetting`, `beingForgotten` lists the person: what is interrupted goes on at the next start. */
  beginForgetting(id: string): void;
  endForgetting(id: string): void;
  /** Ids. */
  beingForgotten(): string[];
  /** What was learnt from a recording, if anything. */
  learntFrom(id: string, itemId: string): LearntVoice | undefined;
  /** Adds people of an archive, except those who are known already, by id or by name. */
  addAll(people: readonly StoredPerson[]): void;
};

type PrintRow = {
  person_id: string;
  item_id: string;
  title: string;
  learnt_at_ms: number;
  speech_sec: number;
  print: Uint8Array;
};

export function createPeople(database: Database, now: () => number = Date.now): People {
  const { sqlite } = database;
  const readAll = createReader(database);
  const selectByName = sqlite.prepare("SELECT id FROM people WHERE name = ?");
  const insertPerson = sqlite.prepare(
    "INSERT INTO people (id, name, created_at_ms) VALUES (?, ?, ?)",
  );
  const updateName = sqlite.prepare("UPDATE people SET name = ? WHERE id = ?");
  const deletePerson = sqlite.prepare("DELETE FROM people WHERE id = ?");
  const insertPrint = sqlite.prepare(
    `INSERT OR REPLACE INTO voice_prints (person_id, item_id, title, learnt_at_ms, speech_sec, print)
     VALUES (?, ?, ?, ?, ?, ?)`,
  );
  const deletePrint = sqlite.prepare(
    "DELETE FROM voice_prints WHERE person_id = ? AND item_id = ?",
  );
  const forgotten = createForgottenPeople(database);

  const list = (): Person[] => readAll().map(withoutPrints);

  function read(id: string): Person {
    const found = list().find((person) => person.id === id);
    if (found === undefined) throw unknownPersonError();
    return found;
  }

  function find(name: string): Person | undefined {
    const id = selectByName.get(name)?.["id"] as string | undefined;
    return id === undefined ? undefined : read(id);
  }

  /** Deleted and replaced content is overwritten with zeros. */
  function changeSecurely<T>(work: () => T): T {
    sqlite.exec("PRAGMA secure_delete = ON");
    try {
      return database.change(work);
    } finally {
      sqlite.exec("PRAGMA secure_delete = OFF");
    }
  }

  function add({ id, name, createdAtMs, recordings }: StoredPerson): void {
    insertPerson.run(id, name, createdAtMs);
    for (const { itemId, title, learntAtMs, speechSec, print } of recordings)
      insertPrint.run(id, itemId, title, learntAtMs, speechSec, toBytes(Float32Array.from(print)));
  }

  return {
    list,
    find,
    exportAll: readAll,
    export(id) {
      const found = readAll().find((person) => person.id === id);
      if (found === undefined) throw unknownPersonError();
      return found;
    },
    voices() {
      const forgottenIds = forgotten.list();
      return readAll()
        .filter(({ id, recordings }) => recordings.length > 0 && !forgottenIds.includes(id))
        .map(({ name, recordings }) => ({ name, print: meanPrint(recordings) }));
    },
    remember(name, { itemId, title, speechSec, print }) {
      return changeSecurely(() => {
        const known = find(name);
        const id = known?.id ?? randomBytes(8).toString("hex");
        if (known === undefined) insertPerson.run(id, name, now());
        else forgotten.remove(id);
        insertPrint.run(id, itemId, title, now(), speechSec, toBytes(print));
        return read(id);
      });
    },
    forgetRecording: (id, itemId) => changeSecurely(() => void deletePrint.run(id, itemId)),
    rename(id, name) {
      return changeSecurely(() => {
        read(id);
        const other = find(name);
        if (other !== undefined && other.id !== id)
          throw new AppError("person.nameTaken", { name: other.name }, { param: "name" });
        updateName.run(name, id);
        return read(id);
      });
    },
    remove: (id) => changeSecurely(() => deletePerson.run(id).changes > 0),
    beginForgetting: (id) => database.change(() => forgotten.add(id)),
    endForgetting: (id) => database.change(() => forgotten.remove(id)),
    beingForgotten: forgotten.list,
    learntFrom(id, itemId) {
      const learnt = readAll()
        .find((person) => person.id === id)
        ?.recordings.find((recording) => recording.itemId === itemId);
      return learnt && { ...learnt, print: Float32Array.from(learnt.print) };
    },
    addAll(people) {
      changeSecurely(() => {
        const known = new Set(list().map(({ id }) => id));
        for (const person of people) {
          if (known.has(person.id) || selectByName.get(person.name) !== undefined) continue;
          known.add(person.id);
          add(person);
        }
      });
    },
  };
}

/** Ids of people who are being forgotten. */
function createForgottenPeople({ sqlite }: Database) {
  const insert = sqlite.prepare("INSERT OR IGNORE INTO forgotten_people VALUES (?)");
  const remove = sqlite.prepare("DELETE FROM forgotten_people WHERE person_id = ?");
  const select = sqlite.prepare("SELECT person_id FROM forgotten_people");
  return {
    list: (): string[] => select.all().map((row) => String(row["person_id"])),
    add: (id: string): void => void insert.run(id),
    remove: (id: string): void => void remove.run(id),
  };
}

/** With their prints, by name. */
function createReader({ sqlite }: Database): () => StoredPerson[] {
  const selectPeople = sqlite.prepare("SELECT id, name, created_at_ms FROM people ORDER BY name");
  const selectPrints = sqlite.prepare("SELECT * FROM voice_prints ORDER BY learnt_at_ms DESC");
  return () => {
    const prints = Map.groupBy(selectPrints.all() as PrintRow[], ({ person_id }) => person_id);
    return selectPeople.all().map((row) => ({
      id: String(row["id"]),
      name: String(row["name"]),
      createdAtMs: Number(row["created_at_ms"]),
      recordings: (prints.get(String(row["id"])) ?? []).map((print) => ({
        itemId: print.item_id,
        title: print.title,
        learntAtMs: print.learnt_at_ms,
        speechSec: print.speech_sec,
        print: Array.from(toFloats(print.print)),
      })),
    }));
  };
}

const withoutPrints = ({ recordings, ...person }: StoredPerson): Person => ({
  ...person,
  recordings: recordings.map((recording) => {
    const { print: _, ...rest } = recording;
    return rest;
  }),
});

const unknownPersonError = (): AppError => new AppError("person.unknown", {}, { param: "id" });

/** By seconds of speech; prints are unit vectors. */
function meanPrint(recordings: StoredPerson["recordings"]): Float32Array {
  const mean = new Float32Array(recordings[0]?.print.length ?? 0);
  for (const { print, speechSec } of recordings)
    for (let i = 0; i < mean.length; i++) mean[i]! += (print[i] ?? 0) * speechSec;
  return mean;
}

const toBytes = ({ buffer, byteOffset, byteLength }: Float32Array): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);

/** Copied, since the bytes of a row need not be aligned. */
const toFloats = (bytes: Uint8Array): Float32Array => new Float32Array(bytes.slice().buffer);
