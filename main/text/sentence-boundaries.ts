// Distinguishes a full stop that ends a sentence from one of an abbreviation, an initial or a list number.

/** A name or a number follows these, so the sentence continues. */
const neverSentenceFinal = new Set(
  (
    "mr mrs ms mx dr prof rev hon fr sr sra gen col lt capt cmdr sgt maj adm gov sen rep pres supt insp " +
    "st mt ft vs viz cf e.g i.e eg ie approx ca no nos vol vols ch chap sec fig figs art pp ed eds est " +
    "messrs mme mlle al"
  ).split(" "),
);

/** These may end a sentence; the next word decides. */
const maybeSentenceFinal = new Set(
  (
    "etc inc ltd corp co bros jr esq ph.d m.d b.a m.a a.m p.m am pm u.s u.k u.n u.s.a e.u d.c l.a n.y b.c a.d " +
    "ave blvd rd hwy dept univ assn jan feb mar apr jun jul aug sep sept oct nov dec mon tue tues wed thu thur thurs " +
    "fri sat sun ft in oz lb lbs min hr hrs mi km kg cm mm ml"
  ).split(" "),
);

const sentenceStarters = new Set(
  (
    "the a an and but or so yet if when while as at in on by for from with without after before since because " +
    "although i you he she it we they this that these those there here his her its my your our their who what " +
    "where why how which " +
    "is are was were do does did has have had can could will would should may might must let no not now then thus " +
    "however moreover therefore meanwhile still also even perhaps maybe one two some many most all each every both " +
    "another other such yes please thank thanks once until later today yesterday tomorrow according despite during"
  ).split(" "),
);

/** Maximum length of a word to look back; longer runs without a space are not abbreviations. */
const maxWordLength = 24;

/** A run of terminators from `start` to `end` in a sentence that starts at `from`. */
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

/** The word after a terminator's closing marks and white space, and whether a quotation opens there. */
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
  // Anything other than a letter or a quotation mark (a dash, a symbol) also starts a new sentence.
  return { word: text.slice(at, to), opens: opens || (to === at && at < paragraphEnd) };
}
