// Scores how well the typed text matches a command or title. Matches the beginnings of words: fuzzy matching would find
// unrelated commands, and Enter would run one of them.

const normalizeText = (text: string) =>
  text.normalize("NFD").replaceAll(/\p{M}/gu, "").toLowerCase();

/** 0: no match; 1: the title starts with it. Every typed word must start a word of the title. */
export function paletteScore(title: string, query: string): number {
  const [normalizedTitle, normalizedQuery] = [normalizeText(title), normalizeText(query).trim()];
  if (normalizedQuery === "" || normalizedTitle.startsWith(normalizedQuery)) return 1;
  const words = normalizedTitle.split(/[^\p{L}\p{N}]+/u);
  return normalizedQuery.split(/\s+/).every((part) => words.some((word) => word.startsWith(part)))
    ? 0.5
    : 0;
}
