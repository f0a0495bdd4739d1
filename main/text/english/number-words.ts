// Whole numbers as English words. Arguments are strings of digits, so that large numbers do not overflow.

const smallNumbers = (
  "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen " +
  "seventeen eighteen nineteen"
).split(" ");
const tens = "  twenty thirty forty fifty sixty seventy eighty ninety".split(" ");
const scales = (
  " thousand million billion trillion quadrillion quintillion sextillion septillion octillion " +
  "nonillion decillion"
).split(" ");
const irregularOrdinals = new Map([
  ["one", "first"],
  ["two", "second"],
  ["three", "third"],
  ["five", "fifth"],
  ["eight", "eighth"],
  ["nine", "ninth"],
  ["twelve", "twelfth"],
]);

/** Longer numbers are read digit by digit. */
const maxDigits = scales.length * 3;

export function cardinalWords(digits: string): string[] {
  const significantDigits = digits.replace(/^0+(?=\d)/, "");
  if (significantDigits.length > maxDigits) return digitWords(digits);
  if (significantDigits === "0") return ["zero"];
  const words: string[] = [];
  const groups = Math.ceil(significantDigits.length / 3);
  for (let group = groups - 1; group >= 0; group--) {
    const value = Number(
      significantDigits.slice(
        Math.max(0, significantDigits.length - group * 3 - 3),
        significantDigits.length - group * 3,
      ),
    );
    if (value === 0) continue;
    words.push(...wordsBelowThousand(value));
    if (group > 0) words.push(scales[group] ?? "");
  }
  return words;
}

function wordsBelowThousand(value: number): string[] {
  const words = value >= 100 ? [smallNumbers[Math.floor(value / 100)] ?? "", "hundred"] : [];
  const rest = value % 100;
  if (rest >= 20) words.push(tens[Math.floor(rest / 10)] ?? "");
  if (rest >= 20 ? rest % 10 > 0 : rest > 0)
    words.push(smallNumbers[rest >= 20 ? rest % 10 : rest] ?? "");
  return words;
}

export function ordinalWords(digits: string): string[] {
  const words = cardinalWords(digits);
  const last = words.pop() ?? "";
  return [
    ...words,
    irregularOrdinals.get(last) ?? (last.endsWith("y") ? `${last.slice(0, -1)}ieth` : `${last}th`),
  ];
}

/** Four digits in pairs, as years are read: 1906 nineteen oh six, 1900 nineteen hundred, 2005 two thousand five. */
export function yearWords(digits: string): string[] {
  const century = Number(digits.slice(0, 2));
  const rest = Number(digits.slice(2));
  if (digits.length !== 4 || century === 0 || (century % 10 === 0 && rest < 10))
    return cardinalWords(digits);
  const centuryWords = cardinalWords(String(century));
  if (rest === 0) return [...centuryWords, "hundred"];
  return rest < 10
    ? [...centuryWords, "oh", ...cardinalWords(String(rest))]
    : [...centuryWords, ...cardinalWords(String(rest))];
}

export function digitWords(digits: string): string[] {
  return [...digits].map((digit) => smallNumbers[Number(digit)] ?? "");
}
