// The phoneme alphabet's classes and the rules of stress. Alphabet: misaki's (A = eɪ, I = aɪ, O = oʊ, W = aʊ,
// Y = ɔɪ), where a stress mark stands directly before the vowel of its syllable.

export const primary = "ˈ";
export const secondary = "ˌ";

const vowels = new Set("AIOQWYaiuæɑɒɔəɛɜɪʊʌᵻ");
const consonants = new Set("bdfhjklmnpstvwzðŋɡɹɾʃʒʤʧθ");
const pauses = new Set(";:,.!?—…");
/** Vowels that take twice the time of a short one, and affricates, count double. */
const heavy = new Set("AIOQWYʤʧ");

/** What the listener hears next: it decides between ðə and ði, tə and tʊ, weak and strong forms. */
export type NextSound = "vowel" | "consonant" | "pause";

/** The first sound of some phonemes, or `otherwise` where they hold none that counts. */
export function firstSound(phonemes: string, otherwise: NextSound): NextSound {
  for (const sound of phonemes) {
    if (vowels.has(sound)) return "vowel";
    if (consonants.has(sound)) return "consonant";
    if (pauses.has(sound)) return "pause";
  }
  return otherwise;
}

/** At least primary stress; at least secondary stress; one step less than it has; none at all. */
export type Stress = "primary" | "secondary" | "demoted" | "none";

export function withStress(phonemes: string, stress: Stress | undefined): string {
  const strong = phonemes.includes(primary);
  const weak = phonemes.includes(secondary);
  if (stress === "none") return phonemes.replaceAll(primary, "").replaceAll(secondary, "");
  if (stress === "demoted")
    return strong ? phonemes.replaceAll(secondary, "").replaceAll(primary, secondary) : phonemes;
  if (stress === undefined || strong) return phonemes;
  if (weak) return stress === "primary" ? phonemes.replaceAll(secondary, primary) : phonemes;
  return markFirstVowel(phonemes, stress === "primary" ? primary : secondary);
}

function markFirstVowel(phonemes: string, mark: string): string {
  const sounds = [...phonemes];
  const at = sounds.findIndex((sound) => vowels.has(sound));
  return at < 0 ? phonemes : [...sounds.slice(0, at), mark, ...sounds.slice(at)].join("");
}

export function weight(phonemes: string): number {
  let sum = 0;
  for (const sound of phonemes) sum += heavy.has(sound) ? 2 : 1;
  return sum;
}

/** The alphabet as the voices were trained on it: a flapped t is T and there is no glottal stop. */
export function asSpoken(phonemes: string): string {
  return phonemes.replaceAll("ɾ", "T").replaceAll("ʔ", "t");
}
