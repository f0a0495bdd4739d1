// Phonemes → the model's ids, in pieces it can take. Which phonemes a text has is text/english's work.

/** More than this in one call and the model loses the thread. */
export const maxChunkPhonemes = 400;

export type PhonemeChunk = {
  ids: number[];
  /** Its last sign or phoneme, closing quotes and brackets aside: tells the pause after it. */ lastSymbol: string;
};

/** A character that is heard: no punctuation, stress, length or intonation mark. */
const audible = /[^\s\p{P}\p{S}ˈˌː]/u;
/** They follow the sign that tells the pause. */
const closingMarks = /["”)]+$/u;
const cutMarks = new Set([",", ";", ":", "—"]);

/** Cuts at `, ; : —` as late as allowed, else at a space, else anywhere. Pieces with nothing to hear fall away. */
export function splitPhonemes(
  phonemes: string,
  vocab: ReadonlyMap<string, number>,
): PhonemeChunk[] {
  const knownPhonemes = [...phonemes].filter((character) => vocab.has(character));
  const chunks: PhonemeChunk[] = [];
  for (let start = 0; start < knownPhonemes.length;) {
    let end = Math.min(start + maxChunkPhonemes, knownPhonemes.length);
    if (end < knownPhonemes.length) end = findCut(knownPhonemes, start, end);
    const chunk = knownPhonemes.slice(start, end).join("").trim();
    if (audible.test(chunk)) {
      const ids = [...chunk].map((character) => vocab.get(character) ?? 0);
      chunks.push({
        ids: [0, ...ids, 0],
        lastSymbol: chunk.replace(closingMarks, "").at(-1) ?? "",
      });
    }
    start = end;
  }
  return chunks;
}

function findCut(characters: readonly string[], start: number, end: number): number {
  // A cut in the first third would leave a stub; a space further on is the lesser evil.
  const earliest = start + Math.floor((end - start) / 3);
  for (const isCutCharacter of [(c: string) => cutMarks.has(c), (c: string) => c === " "]) {
    for (let i = end; i > earliest; i--) if (isCutCharacter(characters[i - 1] ?? "")) return i;
  }
  return end;
}
