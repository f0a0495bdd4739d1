// Who says which quotation in an English novel: by "said Mara", by "she said" and what came before, by the one person
// that a paragraph mentions, and by turns. Pure; takes linear time.

export type Speech = {
  /** Offsets of a quotation with its quotation marks. */
  readonly start: number;
  readonly end: number;
  /** Undefined if it cannot be told. */
  readonly speaker: string | undefined;
};
export type Speaker = { readonly name: string; readonly gender: "female" | "male" | undefined };
export type Dialogue = {
  /** In order. */
  readonly speeches: readonly Speech[];
  /** By number of speeches. */
  readonly speakers: readonly (Speaker & { readonly speechCount: number })[];
};

const verbs =
  "said|says|asked|asks|replied|answered|cried|whispered|shouted|murmured|muttered|exclaimed|called|added|continued|" +
  "returned|began|laughed|sighed|observed|remarked|repeated|demanded|inquired|enquired|protested|insisted|agreed|" +
  "explained|snapped|growled|yelled|screamed|suggested|admitted|declared|announced|interrupted|hissed|grunted|" +
  "pleaded|begged|warned|went on|put in|broke in";
const titles =
  "Mr|Mrs|Ms|Miss|Dr|Sir|Lady|Lord|Captain|Uncle|Aunt|Professor|King|Queen|Prince|Princess";
const properName = `(?:(?:${titles})\\.? )?\\p{Lu}[\\p{Ll}’'-]+(?: \\p{Lu}[\\p{Ll}’'-]+)?`;
const nounName = "(?:the|The) (?:(?:old|young|little|tall|other|first|second) )?\\p{Ll}+";
const who = `(${properName}|${nounName}|[Hh]e|[Ss]he|I)`;
const adverb = "(?:\\p{Ll}+ly )?";
const afterPatterns = [
  new RegExp(`^[\\s,—–-]*(?:${verbs}) ${who}\\b`, "u"),
  new RegExp(`^[\\s,—–-]*${who} ${adverb}(?:${verbs})\\b`, "u"),
];
const beforePatterns = [
  new RegExp(`(?:^|[.!?]\\s+)${who} ${adverb}(?:${verbs})\\b[^.!?]{0,60}[,:]\\s*$`, "u"),
  new RegExp(`\\b(?:${verbs}) ${who}[,:]\\s*$`, "u"),
];
const speechPattern = /“[^“”]{1,6000}(?:”|$)|"[^"]{1,6000}"|«[^«»]{1,6000}»/g;
/** Other quotations are titles, and words that somebody doubts. */
const endOfSpeech = /(?:[,.!?…—–-]["”»]?|[^"”»])$/;
const noNames: ReadonlySet<string> = new Set(
  "The And But Then There This That What When Where Why How Yes No They We You It His Her Their".split(
    " ",
  ),
);
const women =
  /\b(?:mrs|ms|miss|lady|aunt|queen|princess|woman|girl|mother|wife|sister|daughter)\b/i;
const men = /\b(?:mr|sir|lord|uncle|king|prince|captain|man|boy|father|husband|brother|son)\b/i;

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
  for (const { 0: paragraph, index } of text.matchAll(/\S(?:[^\n]|\n(?![ \t]*\n))*/g)) {
    yield;
    paragraphs.push(yield* readParagraph(paragraph, index));
  }
  const genders = countGenders(paragraphs);
  const speeches: Speech[] = [];
  const counts = new Map<string, number>();
  const turns = createTurns(genders);
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

function* readParagraph(paragraph: string, offset: number): Generator<undefined, Paragraph> {
  const speeches: Paragraph["speeches"] = [];
  let attribution: string | undefined;
  let narrative = "";
  let at = 0;
  const quotes = [...paragraph.matchAll(speechPattern)];
  for (const [number, { 0: quote, index }] of quotes.entries()) {
    yield;
    const end = index + quote.length;
    const before = paragraph.slice(at, index);
    const after = paragraph.slice(end, quotes[number + 1]?.index);
    const found = findWho(after, afterPatterns) ?? findWho(before, beforePatterns);
    if (found === undefined && !endOfSpeech.test(quote)) continue;
    attribution ??= found;
    speeches.push({ start: offset + index, end: offset + end });
    narrative += before;
    at = end;
  }
  return { speeches, narrative: narrative + paragraph.slice(at), attribution };
}

function findWho(narrative: string, patterns: readonly RegExp[]): string | undefined {
  // Attributions are next to quotations.
  const near =
    narrative.length > 400 ? `${narrative.slice(0, 200)}…${narrative.slice(-200)}` : narrative;
  for (const pattern of patterns) {
    const name = pattern.exec(near)?.[1];
    if (name !== undefined && !noNames.has(name)) return name;
  }
  return undefined;
}

const isPronoun = (name: string): boolean => /^(?:he|she|i)$/i.test(name);

/** As a name in the script: `the old man` is `Old man`. */
const toName = (attribution: string): string => {
  const name = attribution.replace(/^the /i, "");
  return name.charAt(0).toUpperCase() + name.slice(1);
};

/** By titles and nouns, and by the first pronoun after each "said Mara". */
function countGenders(
  paragraphs: readonly Paragraph[],
): ReadonlyMap<string, "female" | "male" | undefined> {
  const votes = new Map<string, number>();
  for (const { attribution, narrative } of paragraphs) {
    if (attribution === undefined || isPronoun(attribution)) continue;
    const name = toName(attribution);
    const rest = narrative.slice(narrative.indexOf(attribution) + attribution.length);
    const pronoun = /\b(?:(she|her|herself)|he|his|him|himself)\b/i.exec(rest);
    const vote = women.test(name)
      ? 1000
      : men.test(name)
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
function createTurns(genders: ReadonlyMap<string, "female" | "male" | undefined>) {
  /** Those who spoke or were mentioned, the latest last. */
  let recent: string[] = [];
  /** Speakers of the paragraphs before, without one that only narrates between them. */
  let exchange: string[] = [];
  const remember = (name: string): void =>
    void (recent = [...recent.filter((each) => each !== name), name].slice(-8));

  function resolve({ attribution, narrative }: Paragraph): string | undefined {
    if (attribution !== undefined && !isPronoun(attribution)) return toName(attribution);
    const gender = attribution && { he: "male", she: "female" }[attribution.toLowerCase()];
    if (gender !== undefined)
      return (
        recent.findLast((name) => genders.get(name) === gender) ??
        recent.findLast((name) => genders.get(name) === undefined)
      );
    // "I said": the narrator speaks.
    if (attribution !== undefined) return undefined;
    const mentioned = mentionedIn(narrative);
    if (mentioned.length === 1) return mentioned[0];
    const [first, second] = exchange.slice(-2);
    return mentioned.length === 0 && second !== undefined && first !== second ? first : undefined;
  }

  const mentionedIn = (narrative: string): string[] => [
    ...new Set(
      (narrative.match(new RegExp(properName, "gu")) ?? []).filter((name) => genders.has(name)),
    ),
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
