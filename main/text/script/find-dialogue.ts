// Who says which quotation in a novel: by "said Mara", by "she said" and what came before, by the one person that a
// paragraph mentions, and by turns. dialogue-rules.ts has what differs by language. Pure; takes linear time.

import { detectOtherLanguage } from "./detect-other-language.ts";
import { type DialogueRules, dialogueRules, type Gender } from "./dialogue-rules.ts";

export type Speech = {
  /** Offsets of a quotation with its quotation marks. */
  readonly start: number;
  readonly end: number;
  /** Undefined if it cannot be told. */
  readonly speaker: string | undefined;
};
export type Speaker = { readonly name: string; readonly gender: Gender | undefined };
export type Dialogue = {
  /** In order. */
  readonly speeches: readonly Speech[];
  /** By number of speeches. */
  readonly speakers: readonly (Speaker & { readonly speechCount: number })[];
};

/** Other quotations are titles, and words that somebody doubts. */
const endOfSpeech = /(?:[,.!?…—–-]\s?["“”«»‘’']?|[^"“”«»‘’'])$/;

type Paragraph = {
  readonly speeches: { readonly start: number; readonly end: number }[];
  /** All that is not in quotation marks. */
  readonly narrative: string;
  /** As written: a name or a pronoun. */
  readonly attribution: string | undefined;
};

/** Yields after each paragraph and quotation. */
export function* findDialogueInSteps(text: string): Generator<undefined, Dialogue> {
  const paragraphs: Paragraph[] = [];
  const rules = dialogueRules(detectOtherLanguage(text));
  /** The paragraph before, if it announces a speech: “She said:” */
  let lead = "";
  // A line that begins with a dash is a paragraph, too.
  for (const { 0: paragraph, index } of text.matchAll(/\S(?:[^\n]|\n(?![ \t]*[\n—–]))*/g)) {
    yield;
    const read = yield* readParagraph(paragraph, index, rules, lead);
    paragraphs.push(read);
    lead = read.speeches.length === 0 && paragraph.endsWith(":") ? paragraph : "";
  }
  const genders = countGenders(paragraphs, rules);
  const speeches: Speech[] = [];
  const counts = new Map<string, number>();
  const turns = createTurns(genders, rules);
  for (const paragraph of paragraphs) {
    yield;
    const speaker = turns.next(paragraph);
    for (const { start, end } of paragraph.speeches) speeches.push({ start, end, speaker });
    if (speaker !== undefined && paragraph.speeches.length > 0)
      counts.set(speaker, (counts.get(speaker) ?? 0) + 1);
  }
  const speakers = [...counts]
    .map(([name, speechCount]) => ({ name, speechCount, gender: genders.get(name) }))
    .toSorted((one, other) => other.speechCount - one.speechCount);
  return { speeches, speakers };
}

function* readParagraph(
  paragraph: string,
  offset: number,
  rules: DialogueRules,
  lead: string,
): Generator<undefined, Paragraph> {
  const { afterPatterns, beforePatterns } = rules;
  const speeches: Paragraph["speeches"] = [];
  let attribution: string | undefined;
  let narrative = "";
  let at = 0;
  const spans = findSpans(paragraph, rules);
  for (const [number, { start, end, isCertain }] of spans.entries()) {
    yield;
    const before = paragraph.slice(at, start);
    const announcement = start === 0 ? lead : before;
    const after = paragraph.slice(end, spans[number + 1]?.start);
    const found =
      findWho(after, afterPatterns, rules) ?? findWho(announcement, beforePatterns, rules);
    if (found === undefined && !isCertain && !endOfSpeech.test(paragraph.slice(start, end)))
      continue;
    attribution ??= found;
    speeches.push({ start: offset + start, end: offset + end });
    narrative += before;
    at = end;
  }
  return { speeches, narrative: narrative + paragraph.slice(at), attribution };
}

type Span = { readonly start: number; readonly end: number; readonly isCertain: boolean };

/** Quotations, or all of a paragraph that begins with a dash, without the narrative inside. */
function findSpans(
  paragraph: string,
  { quotation, hasDashes, insertion }: DialogueRules,
): readonly Span[] {
  const isDashed = hasDashes && /^[—–]/.test(paragraph);
  const whole = isDashed
    ? [{ text: paragraph, start: 0 }]
    : Array.from(paragraph.matchAll(quotation), ({ 0: text, index }) => ({ text, start: index }));
  return whole.flatMap(({ text, start }) => {
    const spans: Span[] = [];
    const insertions = insertion === undefined ? [] : [...text.matchAll(insertion)];
    const isCertain = isDashed || insertions.length > 0;
    let from = 0;
    const addUntil = (end: number): void => {
      // Without a letter it is the closing mark.
      if (/\p{L}/u.test(text.slice(from, end)))
        spans.push({ start: start + from, end: start + end, isCertain });
    };
    for (const { 0: inserted, index } of insertions) {
      addUntil(index);
      from = index + inserted.length;
    }
    addUntil(text.length);
    return spans;
  });
}

function findWho(
  narrative: string,
  patterns: readonly RegExp[],
  rules: DialogueRules,
): string | undefined {
  // Attributions are next to quotations.
  const near =
    narrative.length > 400 ? `${narrative.slice(0, 200)}…${narrative.slice(-200)}` : narrative;
  for (const pattern of patterns) {
    const name = pattern.exec(near)?.[1];
    const own = name === undefined ? undefined : withoutLeadWord(name, rules);
    if (own !== undefined && !rules.noNames.has(own)) return own;
  }
  return undefined;
}

/** `Then Mara` is Mara. */
function withoutLeadWord(name: string, { noNames, article }: DialogueRules): string {
  const [first = "", ...rest] = name.split(" ");
  const isLed = noNames.has(first) && /^\p{Lu}/u.test(rest[0] ?? "") && !article.test(name);
  return isLed ? rest.join(" ") : name;
}

const pronounOf = (name: string, { pronouns }: DialogueRules): Gender | "narrator" | undefined =>
  pronouns[name.toLowerCase()];

/** As a name in the script: `the old man` is `Old man`. */
const toName = (attribution: string, { article }: DialogueRules): string => {
  const name = attribution.replace(article, "");
  return name.charAt(0).toUpperCase() + name.slice(1);
};

/** By titles and nouns, and by the first pronoun after each "said Mara". */
function countGenders(
  paragraphs: readonly Paragraph[],
  rules: DialogueRules,
): ReadonlyMap<string, Gender | undefined> {
  const votes = new Map<string, number>();
  for (const { attribution, narrative } of paragraphs) {
    if (attribution === undefined || pronounOf(attribution, rules) !== undefined) continue;
    const name = toName(attribution, rules);
    const rest = narrative.slice(narrative.indexOf(attribution) + attribution.length);
    const pronoun = rules.genderedPronoun.exec(rest);
    const vote = rules.women.test(attribution)
      ? 1000
      : rules.men.test(attribution)
        ? -1000
        : pronoun === null
          ? 0
          : pronoun[1] === undefined
            ? -1
            : 1;
    votes.set(name, (votes.get(name) ?? 0) + vote);
  }
  return new Map(
    [...votes].map(([name, vote]) => [name, vote === 0 ? undefined : vote > 0 ? "female" : "male"]),
  );
}

/** Follows a conversation. */
function createTurns(genders: ReadonlyMap<string, Gender | undefined>, rules: DialogueRules) {
  /** Those who spoke or were mentioned, the latest last. */
  let recent: string[] = [];
  /** Speakers of the paragraphs before, without one that only narrates between them. */
  let exchange: string[] = [];
  const remember = (name: string): void =>
    void (recent = [...recent.filter((each) => each !== name), name].slice(-8));

  function resolve({ attribution, narrative }: Paragraph): string | undefined {
    const gender = attribution === undefined ? undefined : pronounOf(attribution, rules);
    if (attribution !== undefined && gender === undefined) return toName(attribution, rules);
    // "I said".
    if (gender === "narrator") return undefined;
    if (gender !== undefined)
      return (
        recent.findLast((name) => genders.get(name) === gender) ??
        recent.findLast((name) => genders.get(name) === undefined)
      );
    const mentioned = mentionedIn(narrative);
    if (mentioned.length === 1) return mentioned[0];
    const [first, second] = exchange.slice(-2);
    return mentioned.length === 0 && second !== undefined && first !== second ? first : undefined;
  }

  const mentionedIn = (narrative: string): string[] => [
    ...new Set((narrative.match(rules.properName) ?? []).filter((name) => genders.has(name))),
  ];

  return {
    next(paragraph: Paragraph): string | undefined {
      const speaker = paragraph.speeches.length === 0 ? undefined : resolve(paragraph);
      for (const name of mentionedIn(paragraph.narrative)) remember(name);
      if (speaker === undefined) exchange = [];
      else {
        remember(speaker);
        exchange = [...exchange.slice(-1), speaker];
      }
      return speaker;
    },
  };
}
