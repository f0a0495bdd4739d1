// Texts made to cost a parser or a pattern more than they should: every special character and token repeated, alone,
// between words and around them, without an end that anything could find.

const tokens = [
  // Punctuation and blanks of every kind.
  ...'-–—_*#~`"\'“”‘’«»()[]{}<>|\\/.,;:!?…&%$€+=^@ \t\n\r0aAäß한字\u00a0\u200b\u2028\u0301😀\ud800\u00ad\0',
  // Markdown.
  '![', '[[', '](', '[](', '[a](', '[a][b]', '[a]: b\n', '[^1]', '**', '*a ', '_', '__', '*a _b ', 'a*b_c ', '*_', '``a`', '``` \n', '~~', '~~~\n', '# ', '> ', '- ', '- a\n', ' - a\n', '1. a\n', '- - ', '|a', '| a | b |\n|---|---|\n', '=\n', 'a\n=\n', 'a\n-\n', '\\', '[ ] ', '- [ ] a\n', '    a\n', '---\n',
  // HTML, XML and entities.
  '<!--', '<!', '<![CDATA[', '<?', '<a', '<a ', '<a b="', '<a b=\'', '</', '<p>', '<b>', '</b>', '<i></b>', '<svg>', '<script>', '<td>', '<h1>', '<br>', '<a b>', '&', '&#', '&#x', '&amp', '&amp;', '-->', ']]>', '{\\',
  // Subtitles.
  '00:00:01,000 --> 00:00:02,000\n', '1\n00:00:01,000 --> 00:00:02,000\nHi.\n\n', '00:', '-->',
  // Scripts.
  '[nova] ', '[pause', '[pause 1s]', '[a](/b', '[a](/b/)', '[pause \t', '# # ',
  // Numbers, names, words.
  '1,', '1.', '1,000', '1-', '1/', '1:', '12:30 ', '$1', '1st', '1k', '50%', 'a.', 'A.', 'U.S.', 'Mr. ', 'Dr', 'a-', "a'", 'a@', 'a@b.', 'www.', 'http://', 'http://a/', 'A1', 'aA', 'IV ', 'Henry ', '10 km ', '1/2 ', 'Jan 1, ', '2020-01-01', 'word ', 'word, ', 'Word. ', 'a\n', 'a\n\n', 'a\r\n', '\r\n', ' \n', '\t \n', '. ', '." ', '.)', '!?', '" ', ' "', '($', '#1', '+1 ', '°C', 'µ', 'α', '½', '…"',
];

export type HostileText = { name: string; make(length: number): string };

/** @returns texts of about `length` UTF-16 units, whatever length is asked for */
export const hostileTexts: readonly HostileText[] = tokens.flatMap((token) => [
  { name: `${JSON.stringify(token)} repeated`, make: (length) => token.repeat(Math.ceil(length / token.length)) },
  { name: `${JSON.stringify(token)} repeated, then a letter`, make: (length) => `${token.repeat(Math.ceil(length / token.length))}x` },
  { name: `a letter, then ${JSON.stringify(token)} repeated, then a stop`, make: (length) => `x${token.repeat(Math.ceil(length / token.length))}.x` },
]);

/** Two tokens in turn: what one begins and the other almost ends. @param random uniform in [0, 1) */
export function mixedText(random: () => number): HostileText {
  const pick = (): string => tokens[Math.floor(random() * tokens.length)] ?? '';
  const [before, one, other, after] = [pick(), pick(), pick(), pick()];
  const pair = one + other;
  return { name: `${JSON.stringify(before)}, ${JSON.stringify(pair)} repeated, ${JSON.stringify(after)}`, make: (length) => before + pair.repeat(Math.ceil(length / pair.length)) + after };
}
