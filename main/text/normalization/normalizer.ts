// Builds a language's normalization from its words, in an order in which no rule consumes another's characters. The
// result has only words and punctuation.

import { type Abbreviations, createAbbreviationReader } from "./abbreviations.ts";
import { type AcronymWords, createAcronymReader } from "./acronyms.ts";
import { type AddressWords, createAddressRules } from "./addresses.ts";
import { normalizeCharacters } from "./characters.ts";
import { type CodeWords, createCodeReader } from "./codes.ts";
import { type DateWords, createDateReader } from "./dates.ts";
import { type MoneyWords, createMoneyReader } from "./money.ts";
import { type NormalizationRule, applyNormalizationRules } from "./normalization-rules.ts";
import { type NumberWords, readNumbers, unifyNumbers } from "./numbers.ts";
import { type NumeralWords, createNumeralReader, createRangeReader } from "./numerals.ts";
import { type OrdinalWords, createOrdinalReader } from "./ordinals.ts";
import { type SymbolNames, createSymbolReader } from "./symbols.ts";
import { type TimeWords, createTimeReader } from "./times.ts";
import { type UnitWords, createUnitReader } from "./units.ts";

export type LanguageWords = {
  /** Roman numerals and what only this language has; before all others. */
  readonly ownRules: readonly NormalizationRule[];
  readonly addresses: AddressWords;
  readonly abbreviations: Abbreviations;
  readonly dates: DateWords;
  readonly times: TimeWords;
  readonly codes: CodeWords;
  readonly ordinals: OrdinalWords;
  readonly money: MoneyWords;
  readonly units: UnitWords;
  readonly numerals: NumeralWords;
  readonly numbers: NumberWords;
  readonly acronyms: AcronymWords;
  readonly symbols: SymbolNames;
};

export function createNormalizer(words: LanguageWords): (text: string) => string {
  const { numbers } = words;
  const addressRules = createAddressRules(words.addresses);
  const unitNames = new Map([...words.units.units].map(([symbol, [one]]) => [symbol, one]));
  const steps: readonly ((text: string) => string)[] = [
    normalizeCharacters,
    (text) => applyNormalizationRules(text, addressRules),
    createAbbreviationReader(words.abbreviations),
    (text) => applyNormalizationRules(text, words.ownRules),
    createDateReader(words.dates),
    createTimeReader(words.times),
    createCodeReader(words.codes),
    createOrdinalReader(words.ordinals),
    unifyNumbers,
    createRangeReader(words.numerals),
    createMoneyReader(words.money, numbers, unitNames),
    createUnitReader(words.units, numbers),
    createNumeralReader(words.numerals, numbers),
    (text) => readNumbers(text, numbers),
    createAcronymReader(words.acronyms),
    createSymbolReader(words.symbols),
  ];
  return (text) => steps.reduce((normalized, step) => step(normalized), text);
}
