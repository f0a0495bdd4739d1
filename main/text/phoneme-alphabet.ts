// The phonemes and signs that the built-in voices were trained on, those of Kokoro and misaki. The ids are in the
// model's files; a test compares.

const alphabet = new Set(
  ';:,.!?—…"()“” \u0303ʣʥʦʨᵝꭧAIOQSTWYᵊabcdefhijklmnopqrstuvwxyzɑɐɒæβɔɕçɖðʤəɚɛɜɟɡɥɨɪʝɯɰŋɳɲɴøɸθœɹɾɻʁɽʂʃʈʧʊʋʌɣɤχʎʒʔˈˌːʰʲ↓→↗↘ᵻ',
);

export const isPhoneme = (character: string): boolean => alphabet.has(character);
