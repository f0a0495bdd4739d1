// Whole numbers as Hindi words. Each number below 100 has a name of its own; above, lakh and crore.

const small = (
  "शून्य एक दो तीन चार पाँच छह सात आठ नौ दस ग्यारह बारह तेरह चौदह पंद्रह सोलह सत्रह अठारह उन्नीस बीस " +
  "इक्कीस बाईस तेईस चौबीस " +
  "पच्चीस छब्बीस सत्ताईस अट्ठाईस उनतीस तीस इकतीस बत्तीस तैंतीस चौंतीस पैंतीस छत्तीस सैंतीस अड़तीस " +
  "उनतालीस चालीस इकतालीस बयालीस " +
  "तैंतालीस चौवालीस पैंतालीस छियालीस सैंतालीस अड़तालीस उनचास पचास इक्यावन बावन तिरपन चौवन पचपन छप्पन " +
  "सत्तावन अट्ठावन उनसठ साठ " +
  "इकसठ बासठ तिरसठ चौंसठ पैंसठ छियासठ सड़सठ अड़सठ उनहत्तर सत्तर इकहत्तर बहत्तर तिहत्तर चौहत्तर पचहत्तर " +
  "छिहत्तर सतहत्तर अठहत्तर " +
  "उन्यासी अस्सी इक्यासी बयासी तिरासी चौरासी पचासी छियासी सत्तासी अट्ठासी नवासी नब्बे इक्यानवे बानवे " +
  "तिरानवे चौरानवे पचानवे छियानवे " +
  "सत्तानवे अट्ठानवे निन्यानवे"
).split(" ");
const scales = [
  [10_000_000, "करोड़"],
  [100_000, "लाख"],
  [1_000, "हज़ार"],
  [100, "सौ"],
] as const;

/** Longer numbers are read digit by digit. */
const maxDigits = 11;

export const digitWords = (digits: string): string =>
  [...digits].map((digit) => small[Number(digit)] ?? "").join(" ");

export function cardinal(digits: string): string {
  return digits.length > maxDigits || /^0\d/.test(digits)
    ? digitWords(digits)
    : readValue(Number(digits));
}

function readValue(value: number): string {
  for (const [size, name] of scales) {
    if (value < size) continue;
    const rest = value % size;
    return `${readValue(Math.floor(value / size))} ${name}${rest === 0 ? "" : ` ${readValue(rest)}`}`;
  }
  return small[value] ?? "";
}

/** 1947 as nineteen hundred forty-seven. */
export function readYear(digits: string): string {
  const century = Number(digits.slice(0, 2));
  if (digits.length !== 4 || century < 11 || century > 19) return cardinal(digits);
  const rest = Number(digits.slice(2));
  return `${readValue(century)} सौ${rest === 0 ? "" : ` ${readValue(rest)}`}`;
}
