// Parses a narration's script into sentences: `[nova] …` at the start of a line changes the voice until the next such
// mark, blank lines and `[pause 1.5s]` add pauses, `# Heading` starts a chapter, `[word](/phonemes/)` sets a
// pronunciation. See sentences.ts for the ends of sentences. Pure; takes linear time.

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
  /** Seconds of silence after the sentence. */
  pauseSec: number;
  /** ISO-639-1, where it is known. */
  language?: string;
  /** The heading's text; only set for a heading. */
  chapter?: string;
};

export type ScriptOptions = {
  /** Voice until the script names another. */
  voice: string;
  /** Speed factor; it also scales pauses from punctuation. */
  speed: number;
  /** The voice for a name in brackets; undefined if it is ordinary text. */
  findVoice(name: string): string | undefined;
  /** Applies the user's pronunciations. */
  pronounce(text: string): string;
  /** Default: sentences end as in English. */
  languageOf?: LanguageOf;
};

/** Seconds of silence at speed 1. */
const pausesSec = { sentence: 0.4, clause: 0.2, paragraph: 0.75, heading: 1, scene: 1.5 } as const;
const maxPauseSec = 60;

const voiceMarkPattern = /^[ \t]*\[([\p{L}\p{N}_-]{1,60})\](?!\()[ \t]*/u;
const heading = /^[ \t]*(#{1,6})[ \t]+(?=\S)/;
const pauseMarkPattern =
  /\[pause(?:[ \t]+(\d{1,4}(?:[.,]\d{1,3})?)[ \t]*(ms|s|sec|seconds?)?)?\]/giu;

/** A run of the script in one voice, without marks inside. */
type Run = {
  start: number;
  end: number;
  voice: string;
  isHeading: boolean;
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
  { speed, pronounce, languageOf }: ScriptOptions,
  output: ScriptSentence[],
): Generator<undefined, void> {
  const source = script.slice(run.start, run.end);
  const first = output.length;
  for (const sentence of iterateSentences(maskPhonemeLinks(source), languageOf)) {
    const { start, end, paragraphEnd, language } = sentence;
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
    const kind = paragraphEnd
      ? run.isHeading
        ? "heading"
        : "paragraph"
      : /[.!?…。！？।॥]["'”’“)\]»›*_ ]*$/u.test(slice)
        ? "sentence"
        : "clause";
    if (output.length >= maxScriptSentences) throw tooManySentencesError();
    output.push({
      start: run.start + start,
      end: run.start + end,
      text: pronounce(slice),
      written,
      voice: run.voice,
      pauseSec: pausesSec[kind] / speed,
      ...(languageOf === undefined || language === undefined ? {} : { language }),
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

/** Replaces a word and its phonemes by one word of the same length, so that no cut is made inside. */
const maskPhonemeLinks = (source: string): string =>
  source.replace(inlinePhonemeLink, (link) => (link[1] ?? "x").padEnd(link.length, "x"));

function* addRuns(
  script: string,
  { voice: firstVoice, findVoice }: ScriptOptions,
  runs: Run[],
): Generator<undefined, void> {
  let voice = firstVoice;
  let openRun: Run | undefined;
  const close = (): void => {
    if (openRun !== undefined) runs.push(openRun);
    openRun = undefined;
  };
  const extendRun = (start: number, end: number, isHeading: boolean): void => {
    if (script.slice(start, end).trim() === "") return;
    openRun ??= { start, end, voice, isHeading };
    openRun.end = end;
  };
  for (const [lineStart, lineEnd] of iterateLines(script)) {
    yield;
    let at = lineStart;
    const mark = voiceMarkPattern.exec(script.slice(at, lineEnd));
    const markedVoice = mark === null ? undefined : findVoice(mark[1] ?? "");
    if (mark !== null && markedVoice !== undefined) {
      close();
      voice = markedVoice;
      at += mark[0].length;
    }
    const headingMarkLength = heading.exec(script.slice(at, lineEnd))?.[0].length;
    if (headingMarkLength !== undefined) {
      close();
      at += headingMarkLength;
    }
    const lineTextStart = at;
    for (const { 0: pause, 1: amount = "1", 2: unit = "s", index } of script
      .slice(lineTextStart, lineEnd)
      .matchAll(pauseMarkPattern)) {
      extendRun(at, lineTextStart + index, headingMarkLength !== undefined && at === lineTextStart);
      at = lineTextStart + index + pause.length;
      close();
      const previousRun = runs.at(-1);
      if (previousRun !== undefined)
        previousRun.pauseSec =
          (previousRun.pauseSec ?? 0) +
          Number(amount.replace(",", ".")) / (unit.toLowerCase() === "ms" ? 1000 : 1);
    }
    const closingMarkLength =
      headingMarkLength === undefined
        ? 0
        : (/[ \t]+#+[ \t]*$/.exec(script.slice(at, lineEnd))?.[0].length ?? 0);
    extendRun(
      at,
      lineEnd - closingMarkLength,
      headingMarkLength !== undefined && at === lineTextStart,
    );
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
