// Splits text into the tokens used in the training of the tagger (spaCy's rules for English): separates punctuation and
// contractions, keeps abbreviations and numbers whole. Looks at a few characters at a time, so long runs take linear
// time.

export type Token = {
  readonly text: string;
  /** White space follows. */
  readonly hasSpaceAfter: boolean;
};

const prefixPattern =
  /^(?:-(?=\p{L})|\.{2,}|…|[,:;!?¿¡(){}[\]<>_*&#§%=—–~|"'`“”‘’«»„‚$£€¥₹₩₽+](?!\d)|[$£€¥₹₩₽(["'#“‘<{_*[~=—–])/u;
const suffixPattern = /(?:\.{2,}|…|'s|'S|[,:;!?(){}[\]<>_*&#§%=—–~|"'`“”‘’«»„‚]|(?<=\d)[+$£€¥₹])$/u;
const finalStopPattern = /(?:[\d\p{Ll}\p{Lo}\p{Co}%²+"'’)\]-]|\p{Lu}\p{Lu})\.$/u;
const contractionPattern = /^(.+?)(n't|'(?:ll|ve|re|d|m|s))$/i;
const dottedAbbreviations = new Set(
  (
    "mr. mrs. ms. dr. st. jr. sr. prof. gen. gov. sen. rep. rev. hon. capt. col. lt. sgt. mt. ft. " +
    "inc. ltd. co. corp. bros. " +
    "vs. etc. e.g. i.e. a.m. p.m. jan. feb. mar. apr. jun. jul. aug. sep. sept. oct. nov. dec. ph.d. u.s. u.k. u.n. " +
    "mass. va. calif. conn. ave. blvd. dept. esq."
  ).split(" "),
);
const infixPattern = new RegExp(
  [
    String.raw`(?<=\p{L})(--+|[-–—~])(?=\p{L})|(?<=\d)([-–—])(?=\p{L})|(?<=\d)([-+*^–])(?=[\d-])`,
    String.raw`(?<=[\p{L}\d])([:<>=/])(?=\p{L})|(?<=\p{L})(,)(?=\p{L})|(?<=[\p{Ll}"'])(\.)(?=[\p{Lu}"'])`,
    String.raw`(\.{2,}|…|—|--+)`,
  ].join("|"),
  "u",
);

/** Longer runs without a space are cut, since no word is that long. */
const maxWordLength = 80;

export function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  for (const match of text.matchAll(/(\S+)(\s*)/gu)) {
    const word = match[1] ?? "";
    const subtokens: string[] = [];
    for (let at = 0; at < word.length; at += maxWordLength)
      subtokens.push(...tokenizeWord(word.slice(at, at + maxWordLength)));
    subtokens.forEach((subtoken, index) =>
      tokens.push({
        text: subtoken,
        hasSpaceAfter: index === subtokens.length - 1 && match[2] !== "",
      }),
    );
  }
  return tokens;
}

function tokenizeWord(word: string): string[] {
  const before: string[] = [];
  const after: string[] = [];
  let rest = word;
  while (rest !== "" && !isSingleToken(rest)) {
    const prefix = prefixPattern.exec(rest)?.[0];
    if (prefix !== undefined && !/^'(?:s|d|ll|m|ve|re|em|cause|til|tis|twas|n'?)$/i.test(rest)) {
      before.push(prefix);
      rest = rest.slice(prefix.length);
      continue;
    }
    const suffix = suffixPattern.exec(rest)?.[0] ?? (finalStopPattern.test(rest) ? "." : undefined);
    if (suffix === undefined || suffix === rest) break;
    after.unshift(suffix);
    rest = rest.slice(0, -suffix.length);
  }
  return [...before, ...splitInfixes(rest), ...after];
}

function isSingleToken(word: string): boolean {
  return (
    dottedAbbreviations.has(word.toLowerCase()) ||
    /^\p{L}\.$/u.test(word) ||
    /^(?:\p{L}\.){2,}$/u.test(word)
  );
}

function splitInfixes(word: string): string[] {
  if (word === "") return [];
  if (isSingleToken(word)) return [word];
  if (/^cannot$/i.test(word)) return [word.slice(0, 3), word.slice(3)];
  const split = contractionPattern.exec(word);
  if (split) return [...splitInfixes(split[1] ?? ""), split[2] ?? ""];
  return word.split(infixPattern).filter((part) => part !== undefined && part !== "");
}
