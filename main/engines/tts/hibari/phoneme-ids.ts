// Phonemes → the model's ids, in pieces it can take. Which phonemes a text has is text/english's work.

/** More than this in one call and the model loses the thread. */
export const longestPiece = 400;

export type PhonemePiece = {
  ids: number[];
  /** Its last sign or phoneme, closing quotes and brackets aside: tells the pause after it. */ last: string;
};

/** A character that is heard: no punctuation, stress, length or intonation mark. */
const audible = /[^\s\p{P}\p{S}ˈˌː]/u;
/** They follow the sign that tells the pause. */
const closers = /["”)]+$/u;
const cutAfter = new Set([",", ";", ":", "—"]);

/** Cuts at `, ; : —` as late as allowed, else at a space, else anywhere. Pieces with nothing to hear fall away. */
export function phonemePieces(
  phonemes: string,
  vocab: ReadonlyMap<string, number>,
): PhonemePiece[] {
  const known = [...phonemes].filter((character) => vocab.has(character));
  const pieces: PhonemePiece[] = [];
  for (let start = 0; start < known.length;) {
    let end = Math.min(start + longestPiece, known.length);
    if (end < known.length) end = cutBefore(known, start, end);
    const piece = known.slice(start, end).join("").trim();
    if (audible.test(piece)) {
      const ids = [...piece].map((character) => vocab.get(character) ?? 0);
      pieces.push({ ids: [0, ...ids, 0], last: piece.replace(closers, "").at(-1) ?? "" });
    }
    start = end;
  }
  return pieces;
}

function cutBefore(characters: readonly string[], start: number, end: number): number {
  // A cut in the first third would leave a stub; a space further on is the lesser evil.
  const earliest = start + Math.floor((end - start) / 3);
  for (const isCut of [(c: string) => cutAfter.has(c), (c: string) => c === " "]) {
    for (let i = end; i > earliest; i--) if (isCut(characters[i - 1] ?? "")) return i;
  }
  return end;
}
