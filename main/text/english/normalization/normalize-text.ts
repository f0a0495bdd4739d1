// Applies all normalization rules, in an order in which no rule consumes another's characters. Plain numbers stay
// digits: numbers.ts reads them later by their position in the sentence.

import { expandAbbreviations } from "./abbreviations.ts";
import { expandAddresses } from "./addresses.ts";
import { normalizeCharacters } from "../../normalization/characters.ts";
import { expandCodes } from "./codes.ts";
import { expandDates } from "./dates.ts";
import { expandMoney } from "./money.ts";
import { expandNumerals, expandRanges } from "./numerals.ts";
import { expandRomanNumerals } from "./roman.ts";
import { expandSymbols } from "./symbols.ts";
import { expandUnits } from "./units.ts";

const steps = [
  normalizeCharacters,
  expandAddresses,
  expandRomanNumerals,
  expandAbbreviations,
  expandDates,
  expandCodes,
  expandMoney,
  expandRanges,
  expandUnits,
  expandNumerals,
  expandSymbols,
];

export function normalizeText(text: string): string {
  return steps.reduce((normalized, step) => step(normalized), text);
}
