// All functions of the app that parse foreign text, by name, as functions of that text alone.

import { splitCue } from "../../main/transcript/cue-splitting.ts";
import { toSrt, toVtt } from "../../main/transcript/subtitles.ts";
import {
  toFtsQuery,
  toIndexedText,
  toDisplayText,
} from "../../main/library/search/indexed-text.ts";
import { toParagraphs } from "../../main/transcript/paragraphs.ts";
import { replaceTextRange } from "../../main/library/search/replace-text-range.ts";
import { groupTokens } from "../../main/text/english/token-groups.ts";
import { extractInlinePhonemes } from "../../main/text/english/inline-phonemes.ts";
import { cardinalWords, ordinalWords } from "../../main/text/english/number-words.ts";
import { isNumber, readNumber } from "../../main/text/english/numbers.ts";
import { normalizeText } from "../../main/text/english/normalization/normalize-text.ts";
import { tokenize } from "../../main/text/english/tokens.ts";
import { addEd, addIng, addS } from "../../main/text/english/suffixes.ts";
import { boundaryWords } from "../../main/text/boundary-words.ts";
import { normalizeText as normalizeIn } from "../../main/text/normalize-text.ts";
import { isSentenceEnd } from "../../main/text/sentence-boundaries.ts";
import { splitFirstClause, splitSentences } from "../../main/text/sentences.ts";
import { markdownToScript } from "../../main/text/script/import-markdown.ts";
import { decodeText, subtitlesToScript, textToScript } from "../../main/text/script/import-text.ts";
import { wordToScript } from "../../main/text/script/import-word.ts";
import { xhtmlToScript } from "../../main/text/script/import-xhtml.ts";
import { findMissedWords } from "../../main/text/script/missed-words.ts";
import { detectOtherLanguage } from "../../main/text/script/detect-other-language.ts";
import { createPronouncer } from "../../main/text/script/apply-pronunciations.ts";
import { parseScript } from "../../main/text/script/script.ts";
import { findUnpronounceableWordsInSteps } from "../../main/text/script/unpronounceable-words.ts";

const pronounce = createPronouncer([
  { word: "word", says: "wurd" },
  { word: "New York City", says: "/a/" },
  { word: "a", says: "ay" },
  { word: "A.", says: "b" },
]);
const scriptReadingOptions = {
  voice: "nova",
  speed: 1,
  findVoice: (name: string) => (name === "nova" ? name : undefined),
  pronounce,
};
const words = (text: string) =>
  text.split(" ").map((word, at) => ({ word, startSec: at, endSec: at + 1, probability: 1 }));
const segment = (text: string) =>
  ({ id: 0, startSec: 0, endSec: 60, text, words: words(text), isEdited: false }) as never;

export const textFunctions: Readonly<Record<string, (text: string) => unknown>> = {
  scriptOfMarkdown: (text) => markdownToScript(text),
  scriptOfText: textToScript,
  scriptOfSubtitles: (text) => subtitlesToScript(text),
  "scriptOfSubtitles, of a cue": (text) =>
    subtitlesToScript(`00:00:01,000 --> 00:00:02,000\n${text}`),
  scriptOfWord: (text) => wordToScript(text, new Map()),
  scriptOfXhtml: (text) => xhtmlToScript(text),
  "decodeText, of broken UTF-8": (text) =>
    decodeText(Buffer.concat([Buffer.from(text), Buffer.of(0xff)])),
  splitSentences: (text) => splitSentences(text),
  firstClauseApart: (text) => splitFirstClause(splitSentences(text)),
  endsSentence: (text) =>
    isSentenceEnd(text, { from: 0, start: 5, end: 6 }, text.length, boundaryWords("en")),
  readScript: (text) => parseScript(text, scriptReadingOptions),
  pronounce,
  otherLanguage: detectOtherLanguage,
  unspeakableWords: (text) => [...findUnpronounceableWordsInSteps(text)],
  missedWords: (text) => findMissedWords(text, `${text} and more`),
  normalizeText: normalizeText,
  "normalizeText, in British English": (text) => normalizeIn(text, "en-GB"),
  "normalizeText, in Spanish": (text) => normalizeIn(text, "es"),
  "normalizeText, in French": (text) => normalizeIn(text, "fr"),
  "normalizeText, in Italian": (text) => normalizeIn(text, "it"),
  "normalizeText, in Portuguese": (text) => normalizeIn(text, "pt"),
  "normalizeText, in Hindi": (text) => normalizeIn(text, "hi"),
  extractInlinePhonemes: extractInlinePhonemes,
  tokenize,
  group: (text) => groupTokens(tokenize(text), [], () => undefined),
  isNumber,
  readNumber: (text) => readNumber(text, true, (word) => word),
  cardinal: (text) => cardinalWords(text.replace(/\D/g, "")),
  ordinal: (text) => ordinalWords(text.replace(/\D/g, "")),
  addS,
  addEd,
  addIng,
  splitCue: (text) => splitCue({ startSec: 0, endSec: text.length / 15, text }),
  "splitCue, with words": (text) =>
    splitCue({ startSec: 0, endSec: text.length / 15, text, words: words(text) }),
  toSrt: (text) => toSrt([{ startSec: 0, endSec: 1, text }]),
  toVtt: (text) => toVtt([{ startSec: 0, endSec: 1, text, speaker: text }]),
  indexed: toIndexedText,
  shown: toDisplayText,
  asQuery: toFtsQuery,
  paragraphs: (text) => toParagraphs([segment(text)]),
  "paragraphs, of many segments": (text) =>
    toParagraphs(words(text).map(({ word }) => segment(word))),
  reworded: (text) => replaceTextRange(segment(text), 0, 1, text),
};
