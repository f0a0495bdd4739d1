// Units after a number: `16GB`, `384,400 km`, `5°C`, `90 km/h`, `20 m²`.

import {
  type NormalizationRule,
  alternationPattern,
  applyNormalizationRules,
} from "../../normalization/normalization-rules.ts";
import { isSingular, numberPattern } from "./patterns.ts";

/** Written unit → singular; the plural adds an s unless it is listed. */
const units = new Map<string, string | readonly [one: string, many: string]>([
  ["km", "kilometer"],
  ["m", "meter"],
  ["cm", "centimeter"],
  ["mm", "millimeter"],
  ["µm", "micrometer"],
  ["μm", "micrometer"],
  ["nm", "nanometer"],
  ["mi", "mile"],
  ["ft", ["foot", "feet"]],
  ["yd", "yard"],
  ["yds", "yard"],
  ["kg", "kilogram"],
  ["g", "gram"],
  ["mg", "milligram"],
  ["µg", "microgram"],
  ["μg", "microgram"],
  ["mcg", "microgram"],
  ["lb", "pound"],
  ["lbs", "pound"],
  ["oz", "ounce"],
  ["L", "liter"],
  ["l", "liter"],
  ["ml", "milliliter"],
  ["mL", "milliliter"],
  ["cl", "centiliter"],
  ["dl", "deciliter"],
  ["dL", "deciliter"],
  ["gal", "gallon"],
  ["tsp", "teaspoon"],
  ["tbsp", "tablespoon"],
  ["ha", "hectare"],
  ["sec", "second"],
  ["secs", "second"],
  ["ms", "millisecond"],
  ["µs", "microsecond"],
  ["ns", "nanosecond"],
  ["min", "minute"],
  ["mins", "minute"],
  ["h", "hour"],
  ["hr", "hour"],
  ["hrs", "hour"],
  ["yr", "year"],
  ["yrs", "year"],
  ["kB", "kilobyte"],
  ["KB", "kilobyte"],
  ["MB", "megabyte"],
  ["GB", "gigabyte"],
  ["TB", "terabyte"],
  ["PB", "petabyte"],
  ["KiB", "kibibyte"],
  ["MiB", "mebibyte"],
  ["GiB", "gibibyte"],
  ["kbps", ["kilobit per second", "kilobits per second"]],
  ["Mbps", ["megabit per second", "megabits per second"]],
  ["Gbps", ["gigabit per second", "gigabits per second"]],
  ["Hz", ["hertz", "hertz"]],
  ["kHz", ["kilohertz", "kilohertz"]],
  ["MHz", ["megahertz", "megahertz"]],
  ["GHz", ["gigahertz", "gigahertz"]],
  ["kW", "kilowatt"],
  ["MW", "megawatt"],
  ["GW", "gigawatt"],
  ["kWh", "kilowatt hour"],
  ["mAh", ["milliamp hour", "milliamp hours"]],
  ["kV", "kilovolt"],
  ["mV", "millivolt"],
  ["mA", "milliamp"],
  ["dB", "decibel"],
  ["Pa", "pascal"],
  ["kPa", "kilopascal"],
  ["psi", ["P.S.I.", "P.S.I."]],
  ["kJ", "kilojoule"],
  ["kcal", "kilocalorie"],
  ["cal", "calorie"],
  ["rpm", ["R.P.M.", "R.P.M."]],
  ["fps", ["frame per second", "frames per second"]],
  ["mpg", ["mile per gallon", "miles per gallon"]],
  ["mph", ["mile per hour", "miles per hour"]],
  ["kph", ["kilometer per hour", "kilometers per hour"]],
  ["px", "pixel"],
  ["hp", ["horsepower", "horsepower"]],
  ["sq ft", ["square foot", "square feet"]],
  ["sq mi", "square mile"],
  ["sq m", "square meter"],
  ["sq km", "square kilometer"],
]);
/** Single capitals are units only without a space after the number. */
const unspacedUnits = new Map([
  ["V", "volt"],
  ["W", "watt"],
  ["Ω", "ohm"],
]);
const perUnits = new Map([
  ["s", "second"],
  ["sec", "second"],
  ["h", "hour"],
  ["hr", "hour"],
  ["min", "minute"],
  ["day", "day"],
  ["d", "day"],
  ["yr", "year"],
  ...[...units].map(
    ([unit, unitName]) => [unit, typeof unitName === "string" ? unitName : unitName[0]] as const,
  ),
]);

const unitName = (unit: string, one: boolean): string => {
  const names = units.get(unit) ?? unspacedUnits.get(unit) ?? unit;
  return typeof names === "string" ? (one ? names : `${names}s`) : names[one ? 0 : 1];
};
const powerPrefix = (exponent: string): string =>
  exponent === "" ? "" : /[2²]/.test(exponent) ? "square " : "cubic ";
function perUnitName(unit: string, exponent: string): string {
  if (unit === "s" && exponent !== "") return "second squared";
  return powerPrefix(exponent) + (perUnits.get(unit) ?? unit);
}
const degrees = (amount: string): string =>
  `${amount} ${isSingular(amount) ? "degree" : "degrees"}`;
const directions: ReadonlyMap<string, string> = new Map([
  ["N", "north"],
  ["S", "south"],
  ["E", "east"],
  ["W", "west"],
]);

const valuePattern = String.raw`(?<![\p{L}\p{N}.,])(-?${numberPattern}|[½¼¾])`;
const rules: readonly NormalizationRule[] = [
  [/(?<![\d.,])(\d{1,2})'\s?(\d{1,2})"/g, "$1 feet $2 inches"],
  [
    /(?<=\d)"(?=\s?(?:x|×|by|thick|long|wide|tall|deep|high|screen|display)\b)|(?<=\d"? ?[x×] ?\d{1,3}(?:\.\d)?)"/g,
    " inches",
  ],
  [
    new RegExp(String.raw`${valuePattern}\s?(?:°\s?([CFKRcf])|([℃℉]))(?![\p{L}\p{N}])`, "gu"),
    (_, amount = "", scale = "", sign = "") =>
      `${degrees(amount)} ${temperatureScaleName(scale || (sign === "℃" ? "C" : "F"))}`,
  ],
  [/°\s?([CF])(?![\p{L}\p{N}])/gu, (_, scale = "") => ` degrees ${temperatureScaleName(scale)}`],
  [
    new RegExp(String.raw`${valuePattern}\s?°(?:\s?([NSEW])(?![\p{L}\p{N}]))?`, "gu"),
    (_, amount = "", side = "") =>
      degrees(amount) + (side === "" ? "" : ` ${directions.get(side) ?? side}`),
  ],
  [
    new RegExp(
      String.raw`${valuePattern}[ -]?(${alternationPattern(units.keys())})([²³]|\^?[23](?=[\s.,;)]|$))?` +
        String.raw`(?:\/(${alternationPattern(perUnits.keys())})([²³])?)?` +
        String.raw`(\.(?=\s+\p{Ll}|[,;:)]))?(?![\p{L}\p{N}'])`,
      "gu",
    ),
    (all, amount = "", unit = "", exponent = "", per = "", perExponent = "") => {
      // "a 5-min walk" is an adjective.
      const adjective = all.startsWith(`${amount}-`);
      const name = unitName(unit, adjective || isSingular(amount));
      const perName = per === "" ? "" : ` per ${perUnitName(per, perExponent)}`;
      return `${amount} ${powerPrefix(exponent)}${name}${perName}`;
    },
  ],
  [
    new RegExp(
      String.raw`${valuePattern}(${alternationPattern(unspacedUnits.keys())})(?![\p{L}\p{N}'&])`,
      "gu",
    ),
    (_, amount = "", unit = "") => `${amount} ${unitName(unit, isSingular(amount))}`,
  ],
  [
    new RegExp(String.raw`${valuePattern}[kK](?![\p{L}\p{N}'])`, "gu"),
    (all, amount = "") => (all.endsWith("K") && /^\d$/.test(amount) ? all : `${amount} thousand`),
  ],
  [new RegExp(String.raw`${valuePattern}x(?![\p{L}\p{N}'])`, "gu"), "$1 times"],
];

function temperatureScaleName(scale: string): string {
  return { C: "Celsius", F: "Fahrenheit", K: "Kelvin", R: "Rankine" }[scale.toUpperCase()] ?? scale;
}

export function expandUnits(text: string): string {
  return applyNormalizationRules(text, rules);
}
