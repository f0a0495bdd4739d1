// Regular inflection: the possible stems of a written word, and the sound of the ending after the stem's last sound.
// word-reader.ts looks up the stem.

const voicelessEndings = new Set("ptkfθ");
const sibilantEndings = new Set("szʃʒʧʤ");
const voicelessBeforeEd = new Set("pkfθʃsʧ");
/** After one of these and before a vowel, t is flapped in American English. */
const flapContexts = new Set("AIOWYiuæɑəɛɪɹʊʌ");

/** Plural, third person and possessive. */
export function addS(stem: string): string {
  const last = stem.at(-1) ?? "";
  if (voicelessEndings.has(last)) return `${stem}s`;
  return sibilantEndings.has(last) ? `${stem}ᵻz` : `${stem}z`;
}

/** Past tense and participle. */
export function addEd(stem: string): string {
  const last = stem.at(-1) ?? "";
  if (voicelessBeforeEd.has(last)) return `${stem}t`;
  if (last === "d") return `${stem}ᵻd`;
  if (last !== "t") return `${stem}d`;
  return flapContexts.has(stem.at(-2) ?? "") ? `${stem.slice(0, -1)}ɾᵻd` : `${stem}ᵻd`;
}

/** An r that British English does not pronounce at the end of a word returns before a vowel: "care", "caring". */
const silentR = /(?:ə|[ɑɔɛɜɪ]ː)$/u;

export function addIng(stem: string): string {
  if (silentR.test(stem)) return `${stem}ɹɪŋ`;
  const isFlapped = stem.endsWith("t") && flapContexts.has(stem.at(-2) ?? "");
  return isFlapped ? `${stem.slice(0, -1)}ɾɪŋ` : `${stem}ɪŋ`;
}

export type Inflection = {
  readonly addEnding: (stem: string) => string;
  readonly stems: readonly string[];
};

/** Possible splits of a word into stem and ending, each with its written stems, the most probable first. */
export function inflections(word: string): Inflection[] {
  const results: Inflection[] = [];
  const size = word.length;
  if (size > 2 && word.endsWith("s")) {
    const stems: string[] = [];
    if (!word.endsWith("ss")) stems.push(word.slice(0, -1));
    if (word.endsWith("'s") || (size > 4 && word.endsWith("es") && !word.endsWith("ies")))
      stems.push(word.slice(0, -2));
    if (size > 4 && word.endsWith("ies")) stems.push(`${word.slice(0, -3)}y`);
    results.push({ addEnding: addS, stems });
  }
  if (size > 3 && word.endsWith("d")) {
    const stems: string[] = [];
    if (!word.endsWith("dd")) stems.push(word.slice(0, -1));
    if (size > 4 && word.endsWith("ed") && !word.endsWith("eed")) stems.push(word.slice(0, -2));
    results.push({ addEnding: addEd, stems });
  }
  if (size > 4 && word.endsWith("ing")) {
    const stems: string[] = [];
    if (size > 5) stems.push(word.slice(0, -3));
    stems.push(`${word.slice(0, -3)}e`);
    if (size > 5 && /(?:([bcdgklmnprstvxz])\1|ck)ing$/.test(word.slice(-5)))
      stems.push(word.slice(0, -4));
    results.push({ addEnding: addIng, stems });
  }
  return results;
}
