// Units and currencies in French.

import type { Currency, MoneyWords } from "../normalization/money.ts";
import type { UnitWords } from "../normalization/units.ts";

/** Below two: "1,5 kilomètre". */
const isSingular = (written: string): boolean => /^[01](?:,|$)/.test(written);

const euro: Currency = {
  one: "euro",
  many: "euros",
  gender: "masculine",
  cent: "centime",
  cents: "centimes",
};
const dollar: Currency = {
  one: "dollar",
  many: "dollars",
  gender: "masculine",
  cent: "cent",
  cents: "cents",
};
const million = { one: "million", many: "millions", of: true };
const milliard = { one: "milliard", many: "milliards", of: true };

export const money: MoneyWords = {
  currencies: new Map<string, Currency>([
    ["€", euro],
    ["EUR", euro],
    ["$", dollar],
    ["US$", dollar],
    ["USD", dollar],
    ["£", { one: "livre", many: "livres", gender: "feminine", cent: "penny", cents: "pence" }],
    [
      "CHF",
      {
        one: "franc suisse",
        many: "francs suisses",
        gender: "masculine",
        cent: "centime",
        cents: "centimes",
      },
    ],
    ["¥", { one: "yen", many: "yens", gender: "masculine" }],
  ]),
  magnitudes: new Map([
    ["k", { one: "mille", many: "mille", of: false }],
    ["M", million],
    ["million", million],
    ["millions", million],
    ["Md", milliard],
    ["Mds", milliard],
    ["milliard", milliard],
    ["milliards", milliard],
  ]),
  isSingular,
  joinCents: (whole, cents) => `${whole} ${cents}`,
  per: "par",
};

export const units: UnitWords = {
  units: new Map([
    ["km/h", ["kilomètre heure", "kilomètres heure"]],
    ["km", ["kilomètre", "kilomètres"]],
    ["m", ["mètre", "mètres"]],
    ["cm", ["centimètre", "centimètres"]],
    ["mm", ["millimètre", "millimètres"]],
    ["kg", ["kilo", "kilos"]],
    ["g", ["gramme", "grammes"]],
    ["mg", ["milligramme", "milligrammes"]],
    ["t", ["tonne", "tonnes", "feminine"]],
    ["l", ["litre", "litres"]],
    ["L", ["litre", "litres"]],
    ["ml", ["millilitre", "millilitres"]],
    ["mL", ["millilitre", "millilitres"]],
    ["cl", ["centilitre", "centilitres"]],
    ["dl", ["décilitre", "décilitres"]],
    ["ha", ["hectare", "hectares"]],
    ["h", ["heure", "heures", "feminine"]],
    ["min", ["minute", "minutes", "feminine"]],
    ["mn", ["minute", "minutes", "feminine"]],
    ["s", ["seconde", "secondes", "feminine"]],
    ["ms", ["milliseconde", "millisecondes", "feminine"]],
    ["j", ["jour", "jours"]],
    ["ko", ["kilooctet", "kilooctets"]],
    ["Mo", ["mégaoctet", "mégaoctets"]],
    ["Go", ["gigaoctet", "gigaoctets"]],
    ["To", ["téraoctet", "téraoctets"]],
    ["Hz", ["hertz", "hertz"]],
    ["kHz", ["kilohertz", "kilohertz"]],
    ["MHz", ["mégahertz", "mégahertz"]],
    ["GHz", ["gigahertz", "gigahertz"]],
    ["W", ["watt", "watts"]],
    ["kW", ["kilowatt", "kilowatts"]],
    ["MW", ["mégawatt", "mégawatts"]],
    ["kWh", ["kilowattheure", "kilowattheures"]],
    ["V", ["volt", "volts"]],
    ["dB", ["décibel", "décibels"]],
    ["kcal", ["kilocalorie", "kilocalories", "feminine"]],
  ]),
  square: ["carré", "carrés"],
  cubic: ["cube", "cubes"],
  degree: ["degré", "degrés"],
  scales: { C: "Celsius", F: "Fahrenheit" },
  percent: "pour cent",
  perMille: "pour mille",
  isSingular,
  per: "par",
};
