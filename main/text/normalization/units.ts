// Units after a number, temperatures and percentages: `5 km`, `120 km/h`, `-5 °C`, `20 m²`, `50 %`.

import type { Gender } from "./grammar.ts";
import {
  type NormalizationRule,
  alternationPattern,
  applyNormalizationRules,
} from "./normalization-rules.ts";
import { type NumberWords, numberPattern, readNumber } from "./numbers.ts";

type Unit = readonly [one: string, many: string, gender?: Gender];

export type UnitWords = {
  /** Symbol → names. A symbol of one letter counts only after a space: "5 m". */
  readonly units: ReadonlyMap<string, Unit>;
  /** Adjectives after a unit. */
  readonly square: Unit;
  readonly cubic: Unit;
  readonly degree: Unit;
  readonly scales: { readonly C: string; readonly F: string };
  readonly percent: string;
  readonly perMille: string;
  readonly isSingular: (written: string) => boolean;
  readonly per: string;
};

export function createUnitReader(words: UnitWords, numbers: NumberWords): (text: string) => string {
  const { units, square, cubic, degree } = words;
  const amountPattern = String.raw`(?<![\p{L}\p{N}.,])(${numberPattern})`;
  const unitPattern = alternationPattern(units.keys());
  const count = (written: string, unit: Unit): string => {
    const name = words.isSingular(written) ? unit[0] : unit[1];
    const number = readNumber(written, numbers, { noun: unit[2] ?? "masculine", nextWord: name });
    return `${number} ${name}`;
  };
  const rules: readonly NormalizationRule[] = [
    [
      new RegExp(String.raw`${amountPattern} ?(?:° ?([CF])|℃|℉)(?![\p{L}\p{N}])`, "gu"),
      (all, amount = "", scale = "") =>
        `${count(amount, degree)} ${scale === "F" || all.endsWith("℉") ? words.scales.F : words.scales.C}`,
    ],
    [
      new RegExp(String.raw`${amountPattern} ?°(?! ?\p{L})`, "gu"),
      (_, amount = "") => count(amount, degree),
    ],
    [
      new RegExp(String.raw`${amountPattern} ?([%‰])`, "gu"),
      (_, amount = "", sign = "") =>
        `${readNumber(amount, numbers)} ${sign === "%" ? words.percent : words.perMille}`,
    ],
    [
      new RegExp(
        String.raw`${amountPattern} ?(${unitPattern})([²³]|[23](?=[ .,;)]|$))?(?:/(${unitPattern}))?(?![\p{L}\p{N}'/])`,
        "gu",
      ),
      (_, amount = "", symbol = "", power = "", perSymbol = "") => {
        const unit = units.get(symbol) ?? [symbol, symbol];
        const adjective = power === "" ? undefined : /[2²]/.test(power) ? square : cubic;
        const form = words.isSingular(amount) ? 0 : 1;
        const per = units.get(perSymbol)?.[0];
        return (
          count(amount, unit) +
          (adjective === undefined ? "" : ` ${adjective[form]}`) +
          (per === undefined ? "" : ` ${words.per} ${per}`)
        );
      },
    ],
  ];
  return (text) => applyNormalizationRules(text, rules);
}
