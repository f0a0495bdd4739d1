// Cuts text into the tokens the tagger was trained on (spaCy's rules for English): punctuation and contractions
// apart, abbreviations and numbers whole. Looks at a few characters at a time, so long runs take linear time.

export type Token = {
  readonly text: string;
  /** White space follows. */
  readonly spaced: boolean;
};

const opening =
  /^(?:-(?=\p{L})|\.{2,}|…|[,:;!?¿¡(){}[\]<>_*&#§%=—–~|"'`“”‘’«»„‚$£€¥₹₩₽+](?!\d)|[$£€¥₹₩₽(["'#“‘<{_*[~=—–])/u;
const closing = /(?:\.{2,}|…|'s|'S|[,:;!?(){}[\]<>_*&#§%=—–~|"'`“”‘’«»„‚]|(?<=\d)[+$£€¥₹])$/u;
const closingStop = /(?:[\d\p{Ll}\p{Lo}\p{Co}%²+"'’)\]-]|\p{Lu}\p{Lu})\.$/u;
const contraction = /^(.+?)(n't|'(?:ll|ve|re|d|m|s))$/i;
const keepsDot = new Set(
  (
    "mr. mrs. ms. dr. st. jr. sr. prof. gen. gov. sen. rep. rev. hon. capt. col. lt. sgt. mt. ft. inc. ltd. co. corp. bros. " +
    "vs. etc. e.g. i.e. a.m. p.m. jan. feb. mar. apr. jun. jul. aug. sep. sept. oct. nov. dec. ph.d. u.s. u.k. u.n. " +
    "mass. va. calif. conn. ave. blvd. dept. esq."
  ).split(" "),
);
const parts =
  /(?<=\p{L})(--+|[-–—~])(?=\p{L})|(?<=\d)([-–—])(?=\p{L})|(?<=\d)([-+*^–])(?=[\d-])|(?<=[\p{L}\d])([:<>=/])(?=\p{L})|(?<=\p{L})(,)(?=\p{L})|(?<=[\p{Ll}"'])(\.)(?=[\p{Lu}"'])|(\.{2,}|…|—|--+)/u;

/** Longest stretch without a space that is looked into; more is cut, since no word is that long. */
const longestWord = 80;

export function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  for (const match of text.matchAll(/(\S+)(\s*)/gu)) {
    const word = match[1] ?? "";
    const pieces: string[] = [];
    for (let at = 0; at < word.length; at += longestWord)
      pieces.push(...tokensOf(word.slice(at, at + longestWord)));
    pieces.forEach((piece, index) =>
      tokens.push({ text: piece, spaced: index === pieces.length - 1 && match[2] !== "" }),
    );
  }
  return tokens;
}

function tokensOf(word: string): string[] {
  const before: string[] = [];
  const after: string[] = [];
  let rest = word;
  while (rest !== "" && !isWhole(rest)) {
    const open = opening.exec(rest)?.[0];
    if (open !== undefined && !/^'(?:s|d|ll|m|ve|re|em|cause|til|tis|twas|n'?)$/i.test(rest)) {
      before.push(open);
      rest = rest.slice(open.length);
      continue;
    }
    const close = closing.exec(rest)?.[0] ?? (closingStop.test(rest) ? "." : undefined);
    if (close === undefined || close === rest) break;
    after.unshift(close);
    rest = rest.slice(0, -close.length);
  }
  return [...before, ...inner(rest), ...after];
}

function isWhole(word: string): boolean {
  return (
    keepsDot.has(word.toLowerCase()) || /^\p{L}\.$/u.test(word) || /^(?:\p{L}\.){2,}$/u.test(word)
  );
}

function inner(word: string): string[] {
  if (word === "") return [];
  if (isWhole(word)) return [word];
  if (/^cannot$/i.test(word)) return [word.slice(0, 3), word.slice(3)];
  const split = contraction.exec(word);
  if (split) return [...inner(split[1] ?? ""), split[2] ?? ""];
  return word.split(parts).filter((part) => part !== undefined && part !== "");
}
