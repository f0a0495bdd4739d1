// A large JSON object kept as text: entries are found by hash and parsed on request. A hundred thousand strings and
// objects would take half a second to create, and a tenth of a second at every garbage collection.

export type Table<Value> = { get(key: string): Value | undefined };

export type JsonTable<Value> = Table<Value> & {
  /** The value as written, for a nested table. */
  readSource(key: string): string | undefined;
};

const fieldsPerEntry = 4;
const [quote, backslash, colon, comma] = ['"', "\\", ":", ","].map((character) =>
  character.charCodeAt(0),
);

/** @param json a valid JSON object; it is not validated again */
export function createJsonTable<Value>(json: string): JsonTable<Value> {
  /** Start and end of each entry's key and value. */
  const entries = Int32Array.from(indexEntries(json));
  const count = entries.length / fieldsPerEntry;
  /** Open addressing: a slot has the entry's index plus one, or 0. */
  const hashSlots = new Int32Array(2 ** Math.ceil(Math.log2(2 * count + 1)));

  const readField = (entry: number, fieldIndex: number): number =>
    entries[entry * fieldsPerEntry + fieldIndex] as number;

  function readKey(entry: number): string {
    const key = json.slice(readField(entry, 0), readField(entry, 1));
    return key.includes("\\") ? (JSON.parse(`"${key}"`) as string) : key;
  }

  function matchesKey(entry: number, key: string): boolean {
    // Escapes only make a key longer.
    const writtenLength = readField(entry, 1) - readField(entry, 0);
    if (writtenLength > key.length || key.includes("\\")) return readKey(entry) === key;
    return writtenLength === key.length && json.startsWith(key, readField(entry, 0));
  }

  /** The slot of the key, or the empty one for it. */
  function findSlot(key: string): number {
    let slot = hash(key) & (hashSlots.length - 1);
    while ((hashSlots[slot] as number) > 0 && !matchesKey((hashSlots[slot] as number) - 1, key))
      slot = (slot + 1) & (hashSlots.length - 1);
    return slot;
  }

  // Of equal keys the last one counts, as in JSON.parse.
  for (let entry = 0; entry < count; entry += 1) hashSlots[findSlot(readKey(entry))] = entry + 1;

  function readSource(key: string): string | undefined {
    const entry = (hashSlots[findSlot(key)] as number) - 1;
    return entry < 0 ? undefined : json.slice(readField(entry, 2), readField(entry, 3));
  }

  return {
    readSource,
    get(key) {
      const value = readSource(key);
      return value === undefined ? undefined : (JSON.parse(value) as Value);
    },
  };
}

/** Four numbers per entry: start and end of its key (without quotes) and of its value. */
function indexEntries(json: string): number[] {
  const offsets: number[] = [];
  let depth = 0;
  let key: readonly [number, number] | undefined;
  let valueStart = 0;
  for (let at = 0; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (code === quote) {
      const from = at + 1;
      for (at = from; json.charCodeAt(at) !== quote; at += 1)
        if (json.charCodeAt(at) === backslash) at += 1;
      if (depth === 1 && key === undefined) key = [from, at];
    } else if (code === colon && depth === 1) {
      valueStart = at + 1;
    } else {
      if (code === 0x5b || code === 0x7b) depth += 1;
      else if (code === 0x5d || code === 0x7d) depth -= 1;
      else if (code !== comma) continue;
      const isEntryEnd = code === comma ? depth === 1 : depth === 0;
      if (!isEntryEnd || key === undefined) continue;
      offsets.push(...key, valueStart, at);
      key = undefined;
    }
  }
  return offsets;
}

/** FNV-1a over UTF-16 units. */
function hash(key: string): number {
  let value = 0x811c9dc5;
  for (let at = 0; at < key.length; at += 1)
    value = Math.imul(value ^ key.charCodeAt(at), 0x01000193);
  return value >>> 0;
}
