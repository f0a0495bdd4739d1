// How well what is typed fits a command or a title. By the beginnings of words: letters found anywhere would bring up
// commands that nobody meant, and one of them would be run by Enter.

const folded = (text: string) => text.normalize("NFD").replaceAll(/\p{M}/gu, "").toLowerCase();

/** 0: not at all; 1: it begins so. Every word that is typed must begin a word of the title. */
export function paletteScore(title: string, typed: string): number {
  const [whole, wanted] = [folded(title), folded(typed).trim()];
  if (wanted === "" || whole.startsWith(wanted)) return 1;
  const words = whole.split(/[^\p{L}\p{N}]+/u);
  return wanted.split(/\s+/).every((part) => words.some((word) => word.startsWith(part))) ? 0.5 : 0;
}
