// Numbers that identify something: telephone, account and book numbers. Read digit by digit, with a pause between
// groups.

import {
  type NormalizationRule,
  applyNormalizationRules,
} from "../../normalization/normalization-rules.ts";

const spellDigits = (digits: string): string => [...digits].join(" ");
const spellGroups = (code: string): string =>
  (code.match(/\d+|\p{L}+/gu) ?? [])
    .map((group) => (/\d/.test(group) ? spellDigits(group) : group))
    .join(", ");
/** The prefix of a telephone number, with the pause after it. */
function spellCountry(prefix: string): string {
  if (prefix === "") return "";
  return `${prefix.startsWith("+") ? "plus " : ""}${spellDigits(prefix.replace(/\D/g, ""))}, `;
}

const rules: readonly NormalizationRule[] = [
  // +1 (555) 123-4567, (555) 123-4567, 212-555-0198, 212.555.0198, 1-800-555-0199.
  [
    /(?<![\w.-])(\+\d{1,3}[ .-]?|1[ .-])?(?:\((\d{3})\) ?|(\d{3})[-.])(\d{3})[-. ](\d{4})(?![\w-]|\.\d)/g,
    (_, country = "", area = "", area2 = "", exchange = "", line = "") =>
      spellCountry(country) + [area || area2, exchange, line].map(spellDigits).join(", "),
  ],
  [
    /(?<![\w.+-])\+(\d{1,3}(?:[ -]\d{2,6}){1,6})(?![\w-])/g,
    (_, number = "") => `plus ${spellGroups(number)}`,
  ],
  // 555-0142; round numbers are a range.
  [
    /(?<![\w.-])([2-9]\d{2})-(\d{4})(?![\w-]|\.\d)/g,
    (all, exchange = "", line = "") =>
      exchange.endsWith("0") && line.endsWith("0")
        ? all
        : `${spellDigits(exchange)}, ${spellDigits(line)}`,
  ],
  // ISBN 978-3-16-148410-0, 123-45-6789: three or more groups.
  [/(?<![\w.-])\d{1,9}(?:-\d{1,9}){2,9}(?:-[xX])?(?![\w-])/g, spellGroups],
  // Washington, DC 20500.
  [
    /(?<=\b[A-Z]{2} )(\d{5})(?:-(\d{4}))?(?![\w-]|[.,]\d)/g,
    (_, code = "", more = "") => spellDigits(code) + (more === "" ? "" : `, ${spellDigits(more)}`),
  ],
  // 1234 5678 9012 3456.
  [/(?<![\w.,-])\d{4}(?: \d{4}){2,5}(?![\w,-])/g, spellGroups],
];

export function expandCodes(text: string): string {
  return applyNormalizationRules(text, rules);
}
