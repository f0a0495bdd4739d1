// Unifies characters that are written in several ways, and removes those without a sound.

import { type NormalizationRule, applyNormalizationRules } from "./normalization-rules.ts";

const rules: readonly NormalizationRule[] = [
  [
    /\u{ad}|[\u{200b}-\u{200f}\u{202a}-\u{202e}\u{2060}-\u{2064}\u{feff}]|\p{Variation_Selector}/gu,
    "",
  ],
  [/[\uff01-\uff5e\ufb00-\ufb06\u3000]/g, (character) => character.normalize("NFKC")],
  [/[\u{1d400}-\u{1d7ff}]/gu, (character) => character.normalize("NFKC")],
  [/[‘’‛ʼ′´`＇]/g, "'"],
  [/[‐‑]/g, "-"],
  [/−/g, "-"],
  [/[″＂]/g, '"'],
  [/[‒―]/g, "–"],
  [/\u2044/g, "/"],
  [/。/g, ". "],
  [/[，、]/g, ", "],
  // Control characters, unpaired surrogates, emoji and other symbols.
  [
    // oxlint-disable-next-line no-control-regex
    /[\u0000-\u001f\u007f-\u009f\p{Cs}\p{Cn}\p{So}\u{1f3fb}-\u{1f3ff}]/gu,
    (character) => (/[№℃℉°©]/.test(character) ? character : " "),
  ],
  [/\s+/gu, " "],
];

export function normalizeCharacters(text: string): string {
  return applyNormalizationRules(text.normalize("NFC"), rules);
}
