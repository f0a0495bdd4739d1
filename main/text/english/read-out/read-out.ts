// Puts what is not words into words, in an order in which no rule takes another's characters. Plain numbers stay
// digits: numbers.ts reads them where their place in the sentence is known.

import { readAbbreviations } from "./abbreviations.ts";
import { readAddresses } from "./addresses.ts";
import { cleanCharacters } from "./characters.ts";
import { readCodes } from "./codes.ts";
import { readDates } from "./dates.ts";
import { readMoney } from "./money.ts";
import { readNumerals, readRanges } from "./numerals.ts";
import { readRomanNumerals } from "./roman.ts";
import { readSymbols } from "./symbols.ts";
import { readUnits } from "./units.ts";

const steps = [
  cleanCharacters,
  readAddresses,
  readRomanNumerals,
  readAbbreviations,
  readDates,
  readCodes,
  readMoney,
  readRanges,
  readUnits,
  readNumerals,
  readSymbols,
];

export function readOut(text: string): string {
  return steps.reduce((spoken, step) => step(spoken), text);
}
