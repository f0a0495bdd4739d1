import { expect, it } from 'vitest';
import { createJsonTable } from '../../../main/text/json-table.ts';
import { hibariData } from '../../support/hibari-guess.ts';

it('finds what JSON.parse finds, for every entry of a dictionary', () => {
  const json = hibariData('lexicon_us_gold');
  const table = createJsonTable(json);
  for (const [word, entry] of Object.entries(JSON.parse(json) as object)) expect(table.get(word)).toEqual(entry);
});

it('finds tables within a table', () => {
  const json = hibariData('tagger');
  const weights = createJsonTable(createJsonTable(json).source('weights') ?? '');
  const parsed = JSON.parse(json) as { weights: object };
  for (const [feature, byTag] of Object.entries(parsed.weights)) expect(weights.get(feature)).toEqual(byTag);
});

it.each([
  '{}',
  ' { } ',
  '{"a": 1}',
  '{"a":1,"a":2}',
  '{ "a" : [1, {"b": "c"}] , "b\\"\\\\" : "x,}\\"" , "\\u00e9": null, "": {"": []}, "ʌ": true\n}',
])('finds what JSON.parse finds in %s', (json) => {
  const table = createJsonTable(json);
  const parsed = JSON.parse(json) as Record<string, unknown>;
  for (const [key, value] of Object.entries(parsed)) expect(table.get(key)).toEqual(value);
  for (const key of ['b', 'x', 'constructor', '__proto__', 'toString']) expect(table.get(key)).toEqual(undefined);
});
