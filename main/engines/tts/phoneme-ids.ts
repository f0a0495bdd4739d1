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

export type ChunkLength = {
  /** Longer chunks are cut at a mark; without one they go on up to `max`. */
  readonly preferred: number;
  readonly max: number;
};

/**
 * Cuts at `, ; : —`, otherwise at a space, otherwise anywhere, into parts of about equal length. Drops chunks without
 * audible characters.
 */
export function splitPhonemes(
  phonemes: string,
  vocab: ReadonlyMap<string, number>,
  length: ChunkLength = { preferred: maxChunkPhonemes, max: maxChunkPhonemes },
): PhonemeChunk[] {
  const knownPhonemes = [...phonemes].filter((character) => vocab.has(character));
  const chunks: PhonemeChunk[] = [];
  for (let start = 0; start < knownPhonemes.length;) {
    const end = start + chunkLength(knownPhonemes, start, length);
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

function chunkLength(
  characters: readonly string[],
  start: number,
  { preferred, max }: ChunkLength,
): number {
  const rest = characters.length - start;
  if (rest <= preferred) return rest;
  const isMark = (length: number): boolean => cutMarks.has(characters[start + length - 1] ?? "");
  const isSpace = (length: number): boolean => characters[start + length - 1] === " ";
  return (
    findCut(isMark, rest, preferred) ??
    findCut(isMark, rest, Math.min(max, rest - 1)) ??
    (rest <= max ? rest : (findCut(isSpace, rest, max) ?? max))
  );
}

/** The one nearest to parts of equal length. */
function findCut(
  isCut: (length: number) => boolean,
  rest: number,
  max: number,
): number | undefined {
  const target = rest / Math.ceil(rest / max);
  let best: number | undefined;
  // A cut in the first third would leave a very short chunk.
  for (let length = Math.floor(max / 3) + 1; length <= max; length++)
    if (isCut(length) && (best === undefined || isNearer(length, best, target))) best = length;
  return best;
}

const isNearer = (one: number, other: number, target: number): boolean =>
  Math.abs(one - target) < Math.abs(other - target);
