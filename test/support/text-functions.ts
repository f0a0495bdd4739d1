// Every function of the app that reads a text it did not write, by name, as a function of that text alone.

import { splitCue } from "../../main/transcript/cue-splitting.ts";
import { toSrt, toVtt } from "../../main/transcript/subtitles.ts";
import {
  asQuery,
  indexed,
  shown,
  typedParts,
  wordsIn,
} from "../../main/library/search/indexed-text.ts";
import { paragraphs } from "../../main/transcript/paragraphs.ts";
import { reworded } from "../../main/library/search/reworded.ts";
import { group } from "../../main/text/english/groups.ts";
import { takeGiven } from "../../main/text/english/given.ts";
import { cardinal, ordinal } from "../../main/text/english/number-words.ts";
import { isNumber, readNumber } from "../../main/text/english/numbers.ts";
import { readOut } from "../../main/text/english/read-out/read-out.ts";
import { tokenize } from "../../main/text/english/tokens.ts";
import { addEd, addIng, addS } from "../../main/text/english/suffixes.ts";
import { endsSentence } from "../../main/text/sentence-ends.ts";
import { firstClauseApart, splitSentences } from "../../main/text/sentences.ts";
import { scriptOfMarkdown } from "../../main/text/script/import-markdown.ts";
import { decodeText, scriptOfSubtitles, scriptOfText } from "../../main/text/script/import-text.ts";
import { scriptOfXhtml } from "../../main/text/script/import-xhtml.ts";
import { missedWords } from "../../main/text/script/missed-words.ts";
import { otherLanguage } from "../../main/text/script/other-language.ts";
import { createPronouncer } from "../../main/text/script/pronouncing.ts";
import { readScript } from "../../main/text/script/script.ts";
import { unspeakableWordsInSteps } from "../../main/text/script/unspeakable.ts";

const pronounce = createPronouncer([
  { word: "word", says: "wurd" },
  { word: "New York City", says: "/a/" },
  { word: "a", says: "ay" },
  { word: "A.", says: "b" },
]);
const reading = {
  voice: "nova",
  speed: 1,
  voiceNamed: (name: string) => (name === "nova" ? name : undefined),
  pronounce,
};
const words = (text: string) =>
  text.split(" ").map((word, at) => ({ word, startSec: at, endSec: at + 1, probability: 1 }));
const segment = (text: string) =>
  ({ id: 0, startSec: 0, endSec: 60, text, words: words(text), isEdited: false }) as never;

export const textFunctions: Readonly<Record<string, (text: string) => unknown>> = {
  scriptOfMarkdown: (text) => scriptOfMarkdown(text),
  scriptOfText,
  scriptOfSubtitles: (text) => scriptOfSubtitles(text),
  "scriptOfSubtitles, of a cue": (text) =>
    scriptOfSubtitles(`00:00:01,000 --> 00:00:02,000\n${text}`),
  scriptOfXhtml: (text) => scriptOfXhtml(text),
  "decodeText, of broken UTF-8": (text) =>
    decodeText(Buffer.concat([Buffer.from(text), Buffer.of(0xff)])),
  splitSentences,
  firstClauseApart: (text) => firstClauseApart(splitSentences(text)),
  endsSentence: (text) => endsSentence(text, { from: 0, start: 5, end: 6 }, text.length),
  readScript: (text) => readScript(text, reading),
  pronounce,
  otherLanguage,
  unspeakableWords: (text) => [...unspeakableWordsInSteps(text)],
  missedWords: (text) => missedWords(text, `${text} and more`),
  readOut,
  takeGiven,
  tokenize,
  group: (text) => group(tokenize(text), [], () => undefined),
  isNumber,
  readNumber: (text) => readNumber(text, true, (word) => word),
  cardinal: (text) => cardinal(text.replace(/\D/g, "")),
  ordinal: (text) => ordinal(text.replace(/\D/g, "")),
  addS,
  addEd,
  addIng,
  splitCue: (text) => splitCue({ startSec: 0, endSec: text.length / 15, text }),
  "splitCue, with words": (text) =>
    splitCue({ startSec: 0, endSec: text.length / 15, text, words: words(text) }),
  toSrt: (text) => toSrt([{ startSec: 0, endSec: 1, text }]),
  toVtt: (text) => toVtt([{ startSec: 0, endSec: 1, text, speaker: text }]),
  indexed,
  shown,
  wordsIn,
  typedParts,
  asQuery,
  paragraphs: (text) => paragraphs([segment(text)]),
  "paragraphs, of many segments": (text) =>
    paragraphs(words(text).map(({ word }) => segment(word))),
  reworded: (text) => reworded(segment(text), 0, 1, text),
};
