// What the words around a number decide: gender, and whether the number belongs to a noun.

export type Gender = "masculine" | "feminine";

/** `noun`: the gender of the noun that is counted; without one the number stands alone. */
export type NumberForm = { readonly noun?: Gender; readonly nextWord?: string };

/** Words before and after a number; the one after it without what it is contracted with. */
type GenderRules = {
  /** Articles, prepositions, conjunctions, common verbs: no noun follows the number. */
  readonly notNouns: string;
  readonly feminine: string;
  readonly masculine: string;
  readonly feminineEnding: RegExp;
};

const toSet = (words: string): ReadonlySet<string> => new Set(words.split(" "));

/** @returns a function from a word to its gender as a noun; undefined if it is none */
export function createGenderFinder(rules: GenderRules): (word: string) => Gender | undefined {
  const [notNouns, feminine, masculine] = [
    toSet(rules.notNouns),
    toSet(rules.feminine),
    toSet(rules.masculine),
  ];
  return (written) => {
    const word = written.toLowerCase();
    if (notNouns.has(word)) return undefined;
    if (masculine.has(word)) return "masculine";
    return feminine.has(word) || rules.feminineEnding.test(word) ? "feminine" : "masculine";
  };
}
