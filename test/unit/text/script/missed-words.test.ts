import { expect, it } from 'vitest';
import { missedWords } from '../../../../main/text/script/missed-words.ts';

const same: readonly [written: string, heard: string][] = [
  ['Hello, world!', 'hello world'],
  ["Don't say you can't; it's fine.", 'do not say you cannot its fine'],
  ['In 1906 there were 1,906 of them.', 'in nineteen oh six there were one thousand nine hundred six of them'],
  ['It cost $5.50 on the 3rd.', 'It cost five dollars fifty on the third.'],
  ['Anyone can go into the newsroom.', 'Any one can go into the news room.'],
  ['Dr. Kowalski met Mr. Smith.', 'Doctor Kovalsky met Mister Smith.'],
  ['Sales rose 20% & more.', 'Sales rose twenty percent and more'],
  ['Write here, knight.', 'right hear night'],
  ['', 'anything'],
];

it.each(same)('takes "%s" heard as "%s" for the same', (written, heard) => {
  expect(missedWords(written, heard)).toEqual([]);
});

it('lists the words that were left out or became others, as they are written', () => {
  expect(missedWords('The quick brown Fox jumps.', 'The quick jumps.')).toEqual(['brown', 'Fox']);
  expect(missedWords('She sold 12 elephants yesterday.', 'She sold twelve bananas yesterday.')).toEqual(['elephants']);
  expect(missedWords('Nothing came back.', '')).toEqual(['Nothing', 'came', 'back']);
});
