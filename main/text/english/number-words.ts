// Whole numbers as English words. Arguments are strings of digits, so that no size overflows.

const small =
  "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split(
    " ",
  );
const tens = "  twenty thirty forty fifty sixty seventy eighty ninety".split(" ");
const scales =
  " thousand million billion trillion quadrillion quintillion sextillion septillion octillion nonillion decillion".split(
    " ",
  );
const irregular = new Map([
  ["one", "first"],
  ["two", "second"],
  ["three", "third"],
  ["five", "fifth"],
  ["eight", "eighth"],
  ["nine", "ninth"],
  ["twelve", "twelfth"],
]);

/** Beyond this many digits nobody says the number: digit by digit. */
const longest = scales.length * 3;

export function cardinal(digits: string): string[] {
  const plain = digits.replace(/^0+(?=\d)/, "");
  if (plain.length > longest) return digitByDigit(digits);
  if (plain === "0") return ["zero"];
  const words: string[] = [];
  const groups = Math.ceil(plain.length / 3);
  for (let group = groups - 1; group >= 0; group--) {
    const value = Number(
      plain.slice(Math.max(0, plain.length - group * 3 - 3), plain.length - group * 3),
    );
    if (value === 0) continue;
    words.push(...belowThousand(value));
    if (group > 0) words.push(scales[group] ?? "");
  }
  return words;
}

function belowThousand(value: number): string[] {
  const words = value >= 100 ? [small[Math.floor(value / 100)] ?? "", "hundred"] : [];
  const rest = value % 100;
  if (rest >= 20) words.push(tens[Math.floor(rest / 10)] ?? "");
  if (rest >= 20 ? rest % 10 > 0 : rest > 0) words.push(small[rest >= 20 ? rest % 10 : rest] ?? "");
  return words;
}

export function ordinal(digits: string): string[] {
  const words = cardinal(digits);
  const last = words.pop() ?? "";
  return [
    ...words,
    irregular.get(last) ?? (last.endsWith("y") ? `${last.slice(0, -1)}ieth` : `${last}th`),
  ];
}

/** Four digits in pairs, as years are read: 1906 nineteen oh six, 1900 nineteen hundred, 2005 two thousand five. */
export function year(digits: string): string[] {
  const century = Number(digits.slice(0, 2));
  const rest = Number(digits.slice(2));
  if (digits.length !== 4 || century === 0 || (century % 10 === 0 && rest < 10))
    return cardinal(digits);
  const head = cardinal(String(century));
  if (rest === 0) return [...head, "hundred"];
  return rest < 10
    ? [...head, "oh", ...cardinal(String(rest))]
    : [...head, ...cardinal(String(rest))];
}

export function digitByDigit(digits: string): string[] {
  return [...digits].map((digit) => small[Number(digit)] ?? "");
}
