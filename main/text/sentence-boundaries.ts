// Tells a full stop that ends a sentence from one that ends an abbreviation, an initial or a list number.

/** They stand before a name or a number, so the sentence goes on. */
const neverSentenceFinal = new Set(
  (
    "mr mrs ms mx dr prof rev hon fr sr sra gen col lt capt cmdr sgt maj adm gov sen rep pres supt insp " +
    "st mt ft vs viz cf e.g i.e eg ie approx ca no nos vol vols ch chap sec fig figs art pp ed eds est " +
    "messrs mme mlle al"
  ).split(" "),
);

/** They may end a sentence; the word that follows decides. */
const maybeSentenceFinal = new Set(
  (
    "etc inc ltd corp co bros jr esq ph.d m.d b.a m.a a.m p.m am pm u.s u.k u.n u.s.a e.u d.c l.a n.y b.c a.d " +
    "ave blvd rd hwy dept univ assn jan feb mar apr jun jul aug sep sept oct nov dec mon tue tues wed thu thur thurs " +
    "fri sat sun ft in oz lb lbs min hr hrs mi km kg cm mm ml"
  ).split(" "),
);

const sentenceStarters = new Set(
  (
    "the a an and but or so yet if when while as at in on by for from with without after before since because although " +
    "i you he she it we they this that these those there here his her its my your our their who what where why how which " +
    "is are was were do does did has have had can could will would should may might must let no not now then thus " +
    "however moreover therefore meanwhile still also even perhaps maybe one two some many most all each every both " +
    "another other such yes please thank thanks once until later today yesterday tomorrow according despite during"
  ).split(" "),
);

/** As far back as a word can reach: longer runs without a space are no abbreviations. */
const maxWordLength = 24;

/** A run of terminators from `start` to `end` in a sentence begun at `from`. */
export type TerminatorRun = { readonly from: number; readonly start: number; readonly end: number };

export function isSentenceEnd(text: string, run: TerminatorRun, paragraphEnd: number): boolean {
  const next = readNextWord(text, run.end, paragraphEnd);
  if (next.word === "" && !next.opens) return true;
  if (/^\p{Ll}/u.test(next.word)) return false;
  const terminator = text.slice(run.start, run.end);
  if (terminator !== ".") return true;

  const word = readWordBefore(text, run.start, run.from);
  const lowerWord = word.toLowerCase();
  const startsSentence = sentenceStarters.has(next.word.toLowerCase());
  // "1. Wash", "a) b. Dry": the number of a list item, with nothing before it.
  if (/^\(?(?:\d{1,3}|[a-zA-Z])$/.test(word) && run.start - run.from === word.length) return false;
  if (neverSentenceFinal.has(lowerWord)) return lowerWord === "no" ? !/^\d/.test(next.word) : false;
  if (/^\p{Lu}$/u.test(word)) return word === "I" || startsSentence;
  if (maybeSentenceFinal.has(lowerWord) || /^(?:\p{L}\.)+\p{L}$/u.test(word))
    return startsSentence || next.opens;
  return true;
}

function readWordBefore(text: string, end: number, from: number): string {
  const earliest = Math.max(from, end - maxWordLength);
  let start = end;
  while (start > earliest && !/[\s"“”‘([{—–/-]/.test(text[start - 1] ?? "")) start--;
  return text.slice(start, end);
}

/** The word after the closers and the white space that follow a terminator, and whether a quotation opens there. */
function readNextWord(
  text: string,
  end: number,
  paragraphEnd: number,
): { word: string; opens: boolean } {
  let at = end;
  while (at < paragraphEnd && /["'”’)\]}»*_]/.test(text[at] ?? "")) at++;
  while (at < paragraphEnd && /\s/.test(text[at] ?? "")) at++;
  const opens = /["“‘'([]/.test(text[at] ?? "") && at < paragraphEnd;
  while (at < paragraphEnd && /["“‘'([*_]/.test(text[at] ?? "")) at++;
  let to = at;
  while (to < Math.min(paragraphEnd, at + maxWordLength) && /[\p{L}\p{N}]/u.test(text[to] ?? ""))
    to++;
  // What is neither a letter nor a quotation (a dash, a symbol) begins something new as well.
  return { word: text.slice(at, to), opens: opens || (to === at && at < paragraphEnd) };
}
