// Units and currencies in Italian, by the names people say: "chili", "giga".

import type { Currency, MoneyWords } from "../normalization/money.ts";
import type { UnitWords } from "../normalization/units.ts";

const isSingular = (written: string): boolean => written === "1";

const euro: Currency = {
  one: "euro",
  many: "euro",
  gender: "masculine",
  cent: "centesimo",
  cents: "centesimi",
};
const dollar: Currency = {
  one: "dollaro",
  many: "dollari",
  gender: "masculine",
  cent: "centesimo",
  cents: "centesimi",
};
const million = { one: "milione", many: "milioni", of: true };
const milliard = { one: "miliardo", many: "miliardi", of: true };

export const money: MoneyWords = {
  currencies: new Map<string, Currency>([
    ["€", euro],
    ["EUR", euro],
    ["$", dollar],
    ["US$", dollar],
    ["USD", dollar],
    ["£", { one: "sterlina", many: "sterline", gender: "feminine", cent: "penny", cents: "pence" }],
    ["¥", { one: "yen", many: "yen", gender: "masculine" }],
  ]),
  magnitudes: new Map([
    ["mila", { one: "mila", many: "mila", of: false }],
    ["mln", million],
    ["M", million],
    ["milione", million],
    ["milioni", million],
    ["milioni di", million],
    ["mld", milliard],
    ["miliardo", milliard],
    ["miliardi", milliard],
    ["miliardi di", milliard],
  ]),
  isSingular,
  joinCents: (whole, cents) => `${whole} e ${cents}`,
  per: "al",
};

export const units: UnitWords = {
  units: new Map([
    ["km/h", ["chilometro orario", "chilometri orari"]],
    ["m/s", ["metro al secondo", "metri al secondo"]],
    ["km", ["chilometro", "chilometri"]],
    ["m", ["metro", "metri"]],
    ["cm", ["centimetro", "centimetri"]],
    ["mm", ["millimetro", "millimetri"]],
    ["kg", ["chilo", "chili"]],
    ["hg", ["etto", "etti"]],
    ["g", ["grammo", "grammi"]],
    ["gr", ["grammo", "grammi"]],
    ["mg", ["milligrammo", "milligrammi"]],
    ["t", ["tonnellata", "tonnellate", "feminine"]],
    ["q", ["quintale", "quintali"]],
    ["l", ["litro", "litri"]],
    ["L", ["litro", "litri"]],
    ["ml", ["millilitro", "millilitri"]],
    ["cl", ["centilitro", "centilitri"]],
    ["ha", ["ettaro", "ettari"]],
    ["h", ["ora", "ore", "feminine"]],
    ["min", ["minuto", "minuti"]],
    ["s", ["secondo", "secondi"]],
    ["kB", ["kilobyte", "kilobyte"]],
    ["MB", ["mega", "mega"]],
    ["GB", ["giga", "giga"]],
    ["TB", ["tera", "tera"]],
    ["Hz", ["hertz", "hertz"]],
    ["kHz", ["kilohertz", "kilohertz"]],
    ["MHz", ["megahertz", "megahertz"]],
    ["GHz", ["gigahertz", "gigahertz"]],
    ["W", ["watt", "watt"]],
    ["kW", ["kilowatt", "kilowatt"]],
    ["MW", ["megawatt", "megawatt"]],
    ["kWh", ["kilowattora", "kilowattora"]],
    ["V", ["volt", "volt"]],
    ["dB", ["decibel", "decibel"]],
    ["kcal", ["chilocaloria", "chilocalorie", "feminine"]],
    ["CV", ["cavallo", "cavalli"]],
  ]),
  square: ["quadrato", "quadrati"],
  cubic: ["cubo", "cubi"],
  degree: ["grado", "gradi"],
  scales: { C: "Celsius", F: "Fahrenheit" },
  percent: "per cento",
  perMille: "per mille",
  isSingular,
  per: "per",
};
