// Phonemes → model ids, in chunks of a length the model can process. text/english provides the phonemes.

/** With more phonemes in one call the model's output degrades. */
export const maxChunkPhonemes = 400;

export type PhonemeChunk = {
  ids: number[];
  /** Last punctuation mark or phoneme, ignoring closing quotes and brackets: determines the pause after the chunk. */
  lastSymbol: string;
};

/** A character with a sound: no punctuation, stress, length or intonation mark. */
const audible = /[^\s\p{P}\p{S}ˈˌː]/u;
/** Closing marks may follow the punctuation mark that determines the pause. */
const closingMarks = /["”)]+$/u;
const cutMarks = new Set([",", ";", ":", "—"]);

/**
 * Cuts at `, ; : —` as late as possible, otherwise at a space, otherwise anywhere. Drops chunks without audible
 * characters.
 */
export function splitPhonemes(
  phonemes: string,
  vocab: ReadonlyMap<string, number>,
  maxPhonemes = maxChunkPhonemes,
): PhonemeChunk[] {
  const knownPhonemes = [...phonemes].filter((character) => vocab.has(character));
  const chunks: PhonemeChunk[] = [];
  for (let start = 0; start < knownPhonemes.length;) {
    let end = Math.min(start + maxPhonemes, knownPhonemes.length);
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
  // A cut in the first third would leave a very short chunk; a later space is better.
  const earliest = start + Math.floor((end - start) / 3);
  for (const isCutCharacter of [(c: string) => cutMarks.has(c), (c: string) => c === " "]) {
    for (let i = end; i > earliest; i--) if (isCutCharacter(characters[i - 1] ?? "")) return i;
  }
  return end;
}
