// Parses a narration's script into sentences: `[nova] …` at the start of a line changes the voice until the next such
// mark, and so does `[Mara]` anywhere if the cast has that role; `[es]` there is the language of the paragraph; blank
// lines and `[pause 1.5s]` add pauses, `# Heading` starts a chapter, `[word](/phonemes/)` sets a pronunciation. See
// sentences.ts for the ends of sentences. Pure; takes linear time.

import { defaultPausesSec, type NarrateOptions, type Role } from "../../contract/narration.ts";
import {
  headingMarkPattern,
  innerSpeakerMarkPattern,
  pauseMarkPattern,
  parseLanguageTag,
  pauseMarkSec,
  readLineStart,
} from "../../contract/script-marks.ts";
import { iterateSentences, type LanguageOf } from "../sentences.ts";
import { maxScriptSentences, tooManySentencesError } from "./character-budget.ts";
import { inlinePhonemeLink } from "./apply-pronunciations.ts";

export type ScriptSentence = {
  /** UTF-16 offsets into the script of the spoken text, without the voice mark before it. */
  start: number;
  end: number;
  /** Text to synthesize. */
  text: string;
  /** Text to display: without phonemes and respellings. */
  written: string;
  voice: string;
  speed: number;
  /** The role, or the voice that the script names. Omitted if it is the narration's own voice. */
  speaker?: string;
  gainDb?: number;
  /** Seconds of silence after the sentence. */
  pauseSec: number;
  /** ISO-639-1, where it is known. */
  language?: string;
  /** The script names the language. */
  isLanguageGiven?: true;
  /** The heading's text; only set for a heading. */
  chapter?: string;
};

type Delivery = Pick<NarrateOptions, "sentencePauseSec" | "paragraphPauseSec" | "gainDb">;

export type ScriptOptions = Delivery & {
  /** Voice until the script names another. */
  voice: string;
  /** Speed factor; it also scales pauses from punctuation for which there is no setting. */
  speed: number;
  cast?: readonly Role[] | undefined;
  /** The voice for a name in brackets; undefined if it is ordinary text. */
  findVoice(name: string): string | undefined;
  /** Applies the user's pronunciations. */
  pronounce(text: string): string;
  /** Default: sentences end as in English. */
  languageOf?: LanguageOf;
};

/** Seconds of silence at speed 1. */
const pausesSec = {
  sentence: defaultPausesSec.sentencePauseSec,
  clause: 0.2,
  paragraph: defaultPausesSec.paragraphPauseSec,
  heading: 1,
  scene: 1.5,
} as const;
const maxPauseSec = 60;

/** Who reads a run, and how. */
type Reader = Delivery & Pick<ScriptSentence, "voice" | "speed" | "speaker">;

/** A run of the script in one voice, without marks inside. */
type Run = {
  start: number;
  end: number;
  reader: Reader;
  isHeading: boolean;
  /** Of the first paragraph. */
  language?: string;
  /** Somebody else goes on in the same line. */
  isContinued?: boolean;
  /** Requested by marks after it. */
  pauseSec?: number;
};

export function parseScript(script: string, options: ScriptOptions): ScriptSentence[] {
  const steps = parseScriptInSteps(script, options);
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/** Like `parseScript`, one line or sentence per step, so that other work can run while a whole book is parsed. */
export function* parseScriptInSteps(
  script: string,
  options: ScriptOptions,
): Generator<undefined, ScriptSentence[]> {
  const sentences: ScriptSentence[] = [];
  const runs: Run[] = [];
  yield* addRuns(script, options, runs);
  for (const run of runs) yield* addSentences(script, run, options, sentences);
  return sentences;
}

function* addSentences(
  script: string,
  run: Run,
  { pronounce, languageOf }: ScriptOptions,
  output: ScriptSentence[],
): Generator<undefined, void> {
  const source = script.slice(run.start, run.end).trimEnd();
  const { voice, speed, speaker, gainDb } = run.reader;
  const first = output.length;
  let given = run.language;
  const findLanguage =
    given === undefined ? languageOf : (paragraph: string) => given ?? languageOf?.(paragraph);
  for (const sentence of iterateSentences(maskPhonemeLinks(source), findLanguage)) {
    const { start, end, paragraphEnd, language } = sentence;
    const languages = givenOrFound(given, languageOf && language);
    if (paragraphEnd) given = undefined;
    yield;
    const slice = source.slice(start, end).replace(/\s+/g, " ");
    const previous = output.at(-1);
    if (!/[\p{L}\p{N}\p{S}]/u.test(slice.replace(/[*_~#=+|<>-]/g, ""))) {
      // A row of asterisks or dashes between paragraphs.
      if (previous !== undefined)
        previous.pauseSec = Math.max(previous.pauseSec, pausesSec.scene / speed);
      continue;
    }
    const written = slice.replace(inlinePhonemeLink, "$1");
    const endsParagraph = paragraphEnd && !(run.isContinued && end === source.length);
    const kind = endsParagraph ? (run.isHeading ? "heading" : "paragraph") : kindOfEnd(slice);
    if (output.length >= maxScriptSentences) throw tooManySentencesError();
    output.push({
      start: run.start + start,
      end: run.start + end,
      text: pronounce(slice),
      written,
      voice,
      speed,
      ...(speaker === undefined ? {} : { speaker }),
      ...(gainDb === undefined ? {} : { gainDb }),
      pauseSec: pauseAfter(kind, run.reader),
      ...languages,
      ...(run.isHeading && output.length === first
        ? { chapter: source.replace(inlinePhonemeLink, "$1").replace(/\s+/g, " ").trim() }
        : {}),
    });
  }
  const last = output.at(-1);
  // A requested pause replaces the one from punctuation.
  if (last !== undefined && run.pauseSec !== undefined)
    last.pauseSec = Math.min(maxPauseSec, run.pauseSec);
}

function givenOrFound(
  given: string | undefined,
  found: string | undefined,
): Pick<ScriptSentence, "language" | "isLanguageGiven"> {
  if (given !== undefined) return { language: given, isLanguageGiven: true };
  return found === undefined ? {} : { language: found };
}

/** Of the marks that may end a heading, and spaces around them: `## Title ##`. Takes linear time. */
function closingMarkLengthOf(line: string): number {
  const back = (from: number, characters: string): number => {
    let at = from;
    while (at > 0 && characters.includes(line.charAt(at - 1))) at -= 1;
    return at;
  };
  const end = back(line.length, " \t");
  const marks = back(end, "#");
  const start = back(marks, " \t");
  return marks === end || start === marks ? 0 : line.length - start;
}

const kindOfEnd = (sentence: string): "sentence" | "clause" =>
  /[.!?…。！？।॥]["'”’“)\]»›*_ ]*$/u.test(sentence) ? "sentence" : "clause";

function pauseAfter(kind: keyof typeof pausesSec, reader: Reader): number {
  const chosenSec =
    kind === "sentence"
      ? reader.sentencePauseSec
      : kind === "paragraph"
        ? reader.paragraphPauseSec
        : undefined;
  return chosenSec ?? pausesSec[kind] / reader.speed;
}

/** Replaces a word and its phonemes by one word of the same length, so that no cut is made inside. */
const maskPhonemeLinks = (source: string): string =>
  source.replace(inlinePhonemeLink, (link) => (link[1] ?? "x").padEnd(link.length, "x"));

/** Finds who reads what follows a name in brackets. */
function createReaders(options: ScriptOptions) {
  const { voice, speed, sentencePauseSec, paragraphPauseSec, gainDb, cast = [] } = options;
  const narrator: Reader = { voice, speed, sentencePauseSec, paragraphPauseSec, gainDb };
  const byRole = new Map<string, Reader>();
  for (const { name, ...given } of cast) {
    const own = Object.fromEntries(
      Object.entries(given).filter(([, value]) => value !== undefined),
    );
    byRole.set(name.toLowerCase(), { ...narrator, ...own, speaker: name });
  }
  const findRole = (name: string): Reader | undefined => byRole.get(name.trim().toLowerCase());
  return {
    narrator,
    findRole,
    hasRoles: byRole.size > 0,
    find(name: string): Reader | undefined {
      const role = findRole(name);
      if (role !== undefined) return role;
      const named = options.findVoice(name);
      return named === undefined ? undefined : { ...narrator, voice: named, speaker: named };
    },
  };
}

type Readers = ReturnType<typeof createReaders>;
/** Where a line is interrupted: by a pause, or by the next speaker. */
type Break = { start: number; end: number; pauseSec?: number; reader?: Reader };

function findBreaks(line: string, { hasRoles, findRole }: Readers): Break[] {
  if (!line.includes("[")) return [];
  const breaks: Break[] = [];
  for (const { 0: mark, 1: amount, 2: unit, index } of line.matchAll(pauseMarkPattern))
    breaks.push({ start: index, end: index + mark.length, pauseSec: pauseMarkSec(amount, unit) });
  if (!hasRoles) return breaks;
  for (const { 0: mark, 1: name = "", index } of line.matchAll(innerSpeakerMarkPattern)) {
    const reader = findRole(name);
    if (reader !== undefined) breaks.push({ start: index, end: index + mark.length, reader });
  }
  return breaks.toSorted((one, other) => one.start - other.start);
}

function* addRuns(script: string, options: ScriptOptions, runs: Run[]): Generator<undefined, void> {
  const readers = createReaders(options);
  let reader = readers.narrator;
  let language: string | undefined;
  let openRun: Run | undefined;
  const close = (): void => {
    if (openRun !== undefined) runs.push(openRun);
    openRun = undefined;
  };
  const extendRun = (start: number, end: number, isHeading: boolean): void => {
    if (script.slice(start, end).trim() === "") return;
    openRun ??= { start, end, reader, isHeading, ...(language === undefined ? {} : { language }) };
    openRun.end = end;
  };
  for (const [lineStart, lineEnd] of iterateLines(script)) {
    yield;
    const marks = readLineStart(
      script.slice(lineStart, lineEnd),
      (name) => readers.find(name) !== undefined,
    );
    if (marks.end > 0) close();
    if (marks.speaker !== undefined) reader = readers.find(marks.speaker.name) ?? reader;
    language = marks.language && parseLanguageTag(marks.language.name);
    let at = lineStart + marks.end;
    const headingMarkLength = headingMarkPattern.exec(script.slice(at, lineEnd))?.[0].length;
    if (headingMarkLength !== undefined) {
      close();
      at += headingMarkLength;
    }
    const lineTextStart = at;
    const isHeadingAt = (start: number): boolean =>
      headingMarkLength !== undefined && start === lineTextStart;
    for (const { start, end, pauseSec, reader: next } of findBreaks(
      script.slice(lineTextStart, lineEnd),
      readers,
    )) {
      extendRun(at, lineTextStart + start, isHeadingAt(at));
      at = lineTextStart + end;
      if (openRun !== undefined && next !== undefined)
        openRun.isContinued = script.slice(at, lineEnd).trim() !== "";
      close();
      reader = next ?? reader;
      const previousRun = runs.at(-1);
      if (previousRun !== undefined && pauseSec !== undefined)
        previousRun.pauseSec = (previousRun.pauseSec ?? 0) + pauseSec;
    }
    const closingMarkLength =
      headingMarkLength === undefined ? 0 : closingMarkLengthOf(script.slice(at, lineEnd));
    extendRun(at, lineEnd - closingMarkLength, isHeadingAt(at));
    if (headingMarkLength !== undefined) close();
  }
  close();
}

function* iterateLines(text: string): Generator<[start: number, end: number]> {
  for (const { 0: line, index } of text.matchAll(
    /[^\n\r\u2028\u2029]*(?:\r\n|[\n\r\u2028\u2029]|$)/g,
  )) {
    if (line !== "") yield [index, index + line.replace(/[\n\r\u2028\u2029]+$/, "").length];
  }
}
