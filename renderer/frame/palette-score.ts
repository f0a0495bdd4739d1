// How well what is typed fits a command or a title. By the beginnings of words: letters found anywhere would bring up
// commands that nobody meant, and one of them would be run by Enter.

const normalizeText = (text: string) =>
  text.normalize("NFD").replaceAll(/\p{M}/gu, "").toLowerCase();

/** 0: not at all; 1: it begins so. Every word that is typed must begin a word of the title. */
export function paletteScore(title: string, query: string): number {
  const [normalizedTitle, normalizedQuery] = [normalizeText(title), normalizeText(query).trim()];
  if (normalizedQuery === "" || normalizedTitle.startsWith(normalizedQuery)) return 1;
  const words = normalizedTitle.split(/[^\p{L}\p{N}]+/u);
  return normalizedQuery.split(/\s+/).every((part) => words.some((word) => word.startsWith(part)))
    ? 0.5
    : 0;
}
