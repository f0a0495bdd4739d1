// How novels of a language say who speaks: verbs, names, pronouns and where they stand. Pure.

export type Gender = "female" | "male";

export type DialogueRules = {
  /** What follows a quotation, and what precedes it; a group is the name or pronoun. */
  readonly afterPatterns: readonly RegExp[];
  readonly beforePatterns: readonly RegExp[];
  /** A quotation, with its marks. */
  readonly quotation: RegExp;
  /** Whether a paragraph that begins with a dash is spoken. */
  readonly hasDashes: boolean;
  /** Narrative within a quotation: « Viens, dit-elle, il est tard. » or —Ven —dijo ella—. */
  readonly insertion?: RegExp;
  readonly properName: RegExp;
  /** In lower case. `narrator`: "I". */
  readonly pronouns: Readonly<Record<string, Gender | "narrator">>;
  /** A pronoun in narrative; the group is a woman's. */
  readonly genderedPronoun: RegExp;
  readonly women: RegExp;
  readonly men: RegExp;
  /** What a role's name leaves out. */
  readonly article: RegExp;
  /** Capitalized words that begin sentences. */
  readonly noNames: ReadonlySet<string>;
};

const words = (text: string): ReadonlySet<string> => new Set(text.split(" "));
/** `\b` knows only ASCII. */
const [wordStart, wordEnd] = ["(?<!\\p{L})", "(?!\\p{L})"];
const clauseStart = "(?:^|[.!?;,]\\s+|\\s(?:und|et|y) )(?:(?:puis|alors|luego|entonces|dann) )?";
const toName = (titles: string): string =>
  `(?:(?:${titles})\\.? )?(?:\\p{Lu}[\\p{Ll}’'-]+|\\p{Lu}\\.(?=[\\s,]))(?: \\p{Lu}[\\p{Ll}’'-]+)?`;

/** Inside of each are no marks of its own kind. */
const quotations =
  '“[^“”]{1,6000}(?:”|$)|"[^"]{1,6000}"|«[^«»]{1,6000}»|„[^„“”]{1,6000}(?:[“”]|$)|»[^«»]{1,6000}«';
/**
 * An apostrophe looks like a closing single mark: only after punctuation is it one. Straight ones open before a letter.
 */
const singleQuotations =
  "(?<![\\p{L}\\p{N}])‘[^‘]{1,6000}?[,.!?…—–-]’(?!\\p{L})|" +
  "(?<![\\p{L}\\p{N}])'(?=\\p{L})(?:[^']|(?<=\\p{L})'(?=\\p{L})|(?<=s)'(?= \\p{Ll})){1,6000}?[,.!?…—–-]'(?!\\p{L})";

const english = ((): DialogueRules => {
  const verbs =
    "said|says|asked|asks|replied|answered|cried|whispered|shouted|murmured|muttered|exclaimed|called|added|" +
    "continued|returned|began|laughed|sighed|observed|remarked|repeated|demanded|inquired|enquired|protested|" +
    "insisted|agreed|explained|snapped|growled|yelled|screamed|suggested|admitted|declared|announced|interrupted|" +
    "hissed|grunted|pleaded|begged|warned|went on|put in|broke in";
  const name = toName(
    "Mr|Mrs|Ms|Miss|Dr|Sir|Lady|Lord|Captain|Uncle|Aunt|Professor|King|Queen|Prince|Princess",
  );
  const noun = "(?:the|The) (?:(?:old|young|little|tall|other|first|second) )?\\p{Ll}+";
  const who = `(${name}|${noun}|[Hh]e|[Ss]he|I)${wordEnd}`;
  const adverb = "(?:\\p{Ll}+ly )?";
  return {
    afterPatterns: [
      new RegExp(`^[\\s,—–-]*(?:${verbs}) ${who}`, "u"),
      new RegExp(`^[\\s,—–-]*${who} ${adverb}(?:${verbs})${wordEnd}`, "u"),
    ],
    beforePatterns: [
      new RegExp(`(?:^|[.!?]\\s+)${who} ${adverb}(?:${verbs})${wordEnd}[^.!?]{0,60}[,:]\\s*$`, "u"),
      new RegExp(`${wordStart}(?:${verbs}) ${who}[,:]\\s*$`, "u"),
    ],
    quotation: new RegExp(`${quotations}|${singleQuotations}`, "gu"),
    hasDashes: false,
    properName: new RegExp(name, "gu"),
    pronouns: { he: "male", she: "female", i: "narrator" },
    genderedPronoun: /\b(?:(she|her|herself)|he|his|him|himself)\b/i,
    women: /\b(?:mrs|ms|miss|lady|aunt|queen|princess|woman|girl|mother|wife|sister|daughter)\b/i,
    men: /\b(?:mr|sir|lord|uncle|king|prince|captain|man|boy|father|husband|brother|son)\b/i,
    article: /^[Tt]he /,
    noNames: words(
      "The And But Then There This That What When Where Why How Yes No They We You It His Her Their",
    ),
  };
})();

const german = ((): DialogueRules => {
  const verbs =
    "sagte|sagt|fragte|fragt|antwortete|antwortet|rief|ruft|flüsterte|flüstert|murmelte|erwiderte|meinte|meint|" +
    "schrie|entgegnete|erklärte|bemerkte|fügte|fuhr|begann|wiederholte|lachte|seufzte|brummte|knurrte|stammelte|" +
    "versetzte|sprach|bat|befahl|warnte|gestand|unterbrach|hauchte|stöhnte|schimpfte|zischte|stotterte|gab|wollte|" +
    "staunte|drängte";
  const name = toName("Herr|Frau|Fräulein|Doktor|Dr|Onkel|Tante|König|Königin|Prinz|Prinzessin");
  const noun = "[DdEe](?:er|ie|as|in|ine) (?:\\p{Ll}+ )?\\p{Lu}[\\p{Ll}-]+";
  const who = `(${noun}|${name}|[Ee]r|[Ss]ie|[Ii]ch)${wordEnd}`;
  const other = "(?:(?!(?:der|die|das|ein|eine|er|sie|es|ich|wir|man|und|zu) )\\p{Ll}+ )?";
  return {
    afterPatterns: [
      new RegExp(`^[\\s,—–-]*(?:${verbs}) ${other}${who}`, "u"),
      new RegExp(`^[\\s,—–-]*${who} (?:${verbs})${wordEnd}`, "u"),
    ],
    beforePatterns: [
      new RegExp(`${clauseStart}${who} (?:${verbs})${wordEnd}[^.!?]{0,80}[,:]\\s*$`, "u"),
      new RegExp(`${wordStart}(?:${verbs}) ${other}${who}[^.!?:]{0,40}:\\s*$`, "u"),
    ],
    quotation: new RegExp(quotations, "gu"),
    hasDashes: false,
    properName: new RegExp(name, "gu"),
    pronouns: { er: "male", sie: "female", ich: "narrator" },
    genderedPronoun: new RegExp(
      `${wordStart}(?:([Ss]ie|[Ii]hre?[nmrs]?)|[Ee]r|ihn|ihm|[Ss]eine?[nmrs]?)${wordEnd}`,
      "u",
    ),
    women:
      /^[Dd]ie |(?:^|\s)(?:Frau|Fräulein|Tante|Königin|Prinzessin|Mutter|Schwester|Tochter)(?!\p{L})/u,
    men: /^[Dd]er |(?:^|\s)(?:Herr|Onkel|König|Prinz|Vater|Bruder|Sohn)(?!\p{L})/u,
    // With an adjective, the article decides its ending.
    article: /^[Dd](?:er|ie|as) (?=\p{Lu})/u,
    noNames: words(
      "Der Die Das Und Aber Dann Da Dort Dies Was Wann Wo Warum Wie Ja Nein Wir Ihr Es Sein Ihre Seine Als Nun",
    ),
  };
})();

const french = ((): DialogueRules => {
  const verbs =
    "(?:(?:lui|leur|me|se) |s[’'])?(?:dit|dis|demanda|demandai|demande|répondit|répondis|répond|cria|crie|écria|" +
    "murmura|reprit|fit|ajouta|répliqua|continua|exclama|répéta|souffla|soupira|chuchota|hurla|lança|observa|déclara|" +
    "interrompit|balbutia|grogna|protesta|insista|expliqua|admit|commença|poursuivit|interrogea|ordonna|supplia)";
  const name = toName("M|Mme|Mlle|Monsieur|Madame|Mademoiselle|Docteur|Oncle|Tante");
  const noun =
    "(?:[Ll][ea] |[Ll][’'])(?:(?:vieux|vieil|vieille|jeune|petite?|grande?|autre) )?\\p{Ll}+";
  const who = `(${noun}|${name}|[Ii]l|[Ee]lle|[Jj]e)${wordEnd}`;
  const inverted = `(?:-t)?-(elle|il|je)${wordEnd}`;
  return {
    afterPatterns: [
      new RegExp(`^[\\s,—–-]*${verbs}${inverted}`, "u"),
      new RegExp(`^[\\s,—–-]*${verbs} ${who}`, "u"),
      new RegExp(`^[\\s,—–-]*${who} ${verbs}${wordEnd}`, "u"),
    ],
    beforePatterns: [
      new RegExp(`${clauseStart}${who} ${verbs}${wordEnd}[^.!?]{0,80}:\\s*$`, "u"),
      new RegExp(`${wordStart}${verbs} ${who}[^.!?:]{0,40}:\\s*$`, "u"),
    ],
    quotation: new RegExp(quotations, "gu"),
    hasDashes: true,
    // Until the next punctuation, or, where the narrator goes on about him or her, until the end.
    insertion: new RegExp(
      `(?<=[,!?…]\\s)${verbs}(?:${inverted}| ${who})[^,.;:!?…»]*(?:\\.\\s+(?:Il|Elle|Puis)\\s[^»]*|[,.;:]*)`,
      "gu",
    ),
    properName: new RegExp(name, "gu"),
    pronouns: { il: "male", elle: "female", je: "narrator" },
    genderedPronoun: new RegExp(`${wordStart}(?:([Ee]lle)|[Ii]l)${wordEnd}`, "u"),
    women: /^[Ll]a |(?:^|\s)(?:Mme|Mlle|Madame|Mademoiselle|Tante)(?!\p{L})/u,
    men: /^[Ll]e |(?:^|\s)(?:M\.|Monsieur|Oncle)(?!\p{L})/u,
    article: /^[Ll](?:[ea] |[’'])/,
    noNames: words(
      "Le La Les Et Mais Puis Alors Ce Cette Que Quand Où Pourquoi Comment Oui Non Nous Vous Ils Elles Son Sa Un Une",
    ),
  };
})();

const spanish = ((): DialogueRules => {
  const verbs =
    "(?:(?:le|les|me|se) )?(?:dijo|dije|dice|preguntó|pregunté|pregunta|respondió|responde|contestó|contesta|gritó|" +
    "exclamó|murmuró|susurró|replicó|añadió|repitió|continuó|prosiguió|repuso|interrumpió|observó|insistió|protestó|" +
    "explicó|ordenó|suspiró|pidió|advirtió|rio|rió|balbuceó|rogó|aseguró)";
  const name = toName("Don|Doña|don|doña|Señor|Señora|señor|señora|Sr|Sra|Tío|Tía");
  const noun = "(?:[Ee]l|[Ll]a) \\p{Ll}+";
  const who = `(${noun}|${name}|[ÉéEe]l|[Ee]lla|[Yy]o)${wordEnd}`;
  return {
    afterPatterns: [
      new RegExp(`^[\\s,—–-]*${verbs} ${who}`, "u"),
      new RegExp(`^[\\s,—–-]*${who} ${verbs}${wordEnd}`, "u"),
    ],
    beforePatterns: [
      new RegExp(`${clauseStart}${who} ${verbs}${wordEnd}[^.!?]{0,80}:\\s*$`, "u"),
      new RegExp(`${wordStart}${verbs} ${who}[^.!?:]{0,40}:\\s*$`, "u"),
    ],
    quotation: new RegExp(quotations, "gu"),
    hasDashes: true,
    insertion: /(?<=\s)[—–](?=\p{L})[^—–»]*(?:[—–](?=[\s.,;:!?…»])[.,;:]*|$)/gu,
    properName: new RegExp(name, "gu"),
    pronouns: { él: "male", el: "male", ella: "female", yo: "narrator" },
    genderedPronoun: new RegExp(`${wordStart}(?:([Ee]lla)|[Éé]l)${wordEnd}`, "u"),
    women: /^(?:la|doña|señora|sra\.?|tía) |a$/i,
    men: /^(?:el|don|señor|sr\.?|tío) |o$/i,
    article: /^(?:[Ee]l|[Ll]a) /,
    noNames: words(
      "El La Los Las Y Pero Entonces Luego Esto Este Esta Qué Cuándo Dónde Cómo Sí No Nosotros Su Un Una",
    ),
  };
})();

const rulesByLanguage: Readonly<Record<string, DialogueRules>> = {
  de: german,
  fr: french,
  es: spanish,
};

/** @param language an ISO-639-1 code; those of English if there are none for it */
export const dialogueRules = (language = "en"): DialogueRules =>
  rulesByLanguage[language] ?? english;
