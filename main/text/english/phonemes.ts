// Phoneme classes and rules of stress. The alphabet is misaki's (A = eɪ, I = aɪ, O = oʊ, W = aʊ, Y = ɔɪ), where a
// stress mark is directly before the vowel of its syllable.

export const primaryStress = "ˈ";
export const secondaryStress = "ˌ";

const vowels = new Set("AIOQWYaiuæɑɒɔəɛɜɪʊʌᵻ");
const consonants = new Set("bdfhjklmnpstvwzðŋɡɹɾʃʒʤʧθ");
const pauses = new Set(";:,.!?—…");
/** Vowels that are twice as long as a short one, and affricates, count double. */
const doubleWeight = new Set("AIOQWYʤʧ");

/** The sound after a word decides between ðə and ði, tə and tʊ, weak and strong forms. */
export type NextSound = "vowel" | "consonant" | "pause";

/** The first sound of some phonemes, or `fallback` if they contain no vowel, consonant or pause. */
export function firstSound(phonemes: string, fallback: NextSound): NextSound {
  for (const phoneme of phonemes) {
    if (vowels.has(phoneme)) return "vowel";
    if (consonants.has(phoneme)) return "consonant";
    if (pauses.has(phoneme)) return "pause";
  }
  return fallback;
}

/** At least primary stress; at least secondary stress; one level less than present; none. */
export type Stress = "primary" | "secondary" | "demoted" | "none";

export function applyStress(phonemes: string, stress: Stress | undefined): string {
  const hasPrimary = phonemes.includes(primaryStress);
  const hasSecondary = phonemes.includes(secondaryStress);
  if (stress === "none")
    return phonemes.replaceAll(primaryStress, "").replaceAll(secondaryStress, "");
  if (stress === "demoted")
    return hasPrimary
      ? phonemes.replaceAll(secondaryStress, "").replaceAll(primaryStress, secondaryStress)
      : phonemes;
  if (stress === undefined || hasPrimary) return phonemes;
  if (hasSecondary)
    return stress === "primary" ? phonemes.replaceAll(secondaryStress, primaryStress) : phonemes;
  return markFirstVowel(phonemes, stress === "primary" ? primaryStress : secondaryStress);
}

function markFirstVowel(phonemes: string, mark: string): string {
  const phonemeList = [...phonemes];
  const at = phonemeList.findIndex((phoneme) => vowels.has(phoneme));
  return at < 0 ? phonemes : [...phonemeList.slice(0, at), mark, ...phonemeList.slice(at)].join("");
}

export function phonemeWeight(phonemes: string): number {
  let sum = 0;
  for (const phoneme of phonemes) sum += doubleWeight.has(phoneme) ? 2 : 1;
  return sum;
}

export type Accent = "american" | "british";

/**
 * The alphabet used in the training of the voices: there is no glottal stop; a flapped t is T in American voices, and
 * British ones know neither it nor the vowel of American endings.
 */
export function toVoiceAlphabet(phonemes: string, accent: Accent): string {
  const withoutStops = phonemes.replaceAll("ʔ", "t");
  return accent === "american"
    ? withoutStops.replaceAll("ɾ", "T")
    : withoutStops.replaceAll("ɾ", "t").replaceAll("ᵻ", "ɪ");
}
