// Endings of regular inflection: which stems a written word may have, and what the ending sounds like after the
// stem's last sound. Looking the stem up is words.ts's work.

const voiceless = new Set("ptkfθ");
const sibilant = new Set("szʃʒʧʤ");
const voicelessBeforeEd = new Set("pkfθʃsʧ");
/** A t after one of these and before a vowel is flapped in American English. */
const flapping = new Set("AIOWYiuæɑəɛɪɹʊʌ");

/** Plural, third person and possessive. */
export function addS(stem: string): string {
  const last = stem.at(-1) ?? "";
  if (voiceless.has(last)) return `${stem}s`;
  return sibilant.has(last) ? `${stem}ᵻz` : `${stem}z`;
}

/** Past tense and participle. */
export function addEd(stem: string): string {
  const last = stem.at(-1) ?? "";
  if (voicelessBeforeEd.has(last)) return `${stem}t`;
  if (last === "d") return `${stem}ᵻd`;
  if (last !== "t") return `${stem}d`;
  return flapping.has(stem.at(-2) ?? "") ? `${stem.slice(0, -1)}ɾᵻd` : `${stem}ᵻd`;
}

export function addIng(stem: string): string {
  const flapped = stem.endsWith("t") && flapping.has(stem.at(-2) ?? "");
  return flapped ? `${stem.slice(0, -1)}ɾɪŋ` : `${stem}ɪŋ`;
}

export type Inflection = {
  readonly add: (stem: string) => string;
  readonly stems: readonly string[];
};

/** The ways a word may be stem and ending, each with its written stems, the likeliest first. */
export function inflections(word: string): Inflection[] {
  const found: Inflection[] = [];
  const size = word.length;
  if (size > 2 && word.endsWith("s")) {
    const stems: string[] = [];
    if (!word.endsWith("ss")) stems.push(word.slice(0, -1));
    if (word.endsWith("'s") || (size > 4 && word.endsWith("es") && !word.endsWith("ies")))
      stems.push(word.slice(0, -2));
    if (size > 4 && word.endsWith("ies")) stems.push(`${word.slice(0, -3)}y`);
    found.push({ add: addS, stems });
  }
  if (size > 3 && word.endsWith("d")) {
    const stems: string[] = [];
    if (!word.endsWith("dd")) stems.push(word.slice(0, -1));
    if (size > 4 && word.endsWith("ed") && !word.endsWith("eed")) stems.push(word.slice(0, -2));
    found.push({ add: addEd, stems });
  }
  if (size > 4 && word.endsWith("ing")) {
    const stems: string[] = [];
    if (size > 5) stems.push(word.slice(0, -3));
    stems.push(`${word.slice(0, -3)}e`);
    if (size > 5 && /(?:([bcdgklmnprstvxz])\1|ck)ing$/.test(word.slice(-5)))
      stems.push(word.slice(0, -4));
    found.push({ add: addIng, stems });
  }
  return found;
}
