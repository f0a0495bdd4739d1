// Sentences and how they are read aloud, written down before the rules that read them. The rules were developed on the
// first list of each language; the second was kept apart until they were finished.

export type ReadingCase = readonly [written: string, spoken: string];

export type ReadingCases = {
  readonly development: readonly ReadingCase[];
  readonly heldOut: readonly ReadingCase[];
};
