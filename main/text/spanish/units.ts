// Units and currencies in Spanish, by the names people say: "kilos", "gigas".

import type { Currency, MoneyWords } from "../normalization/money.ts";
import type { UnitWords } from "../normalization/units.ts";

const isSingular = (written: string): boolean => written === "1";

const euro = {
  one: "euro",
  many: "euros",
  gender: "masculine",
  cent: "céntimo",
  cents: "céntimos",
} as const;
const dollar = {
  one: "dólar",
  many: "dólares",
  gender: "masculine",
  cent: "centavo",
  cents: "centavos",
} as const;
const pound = {
  one: "libra",
  many: "libras",
  gender: "feminine",
  cent: "penique",
  cents: "peniques",
} as const;
const peso = {
  one: "peso",
  many: "pesos",
  gender: "masculine",
  cent: "centavo",
  cents: "centavos",
} as const;

export const money: MoneyWords = {
  currencies: new Map<string, Currency>([
    ["€", euro],
    ["EUR", euro],
    ["$", dollar],
    ["US$", dollar],
    ["USD", dollar],
    ["£", pound],
    ["MXN", peso],
    [
      "R$",
      { one: "real", many: "reales", gender: "masculine", cent: "centavo", cents: "centavos" },
    ],
    ["¥", { one: "yen", many: "yenes", gender: "masculine" }],
  ]),
  magnitudes: new Map([
    ["mil", { one: "mil", many: "mil", of: false }],
    ["millón", { one: "millón", many: "millones", of: true }],
    ["millones", { one: "millón", many: "millones", of: true }],
    ["mil millones", { one: "mil millones", many: "mil millones", of: true }],
    ["M", { one: "millón", many: "millones", of: true }],
    ["millón de", { one: "millón", many: "millones", of: true }],
    ["millones de", { one: "millón", many: "millones", of: true }],
    ["billones", { one: "billón", many: "billones", of: true }],
  ]),
  isSingular,
  joinCents: (whole, cents, unit) => `${whole} con ${cents} ${unit}`,
  per: "por",
};

export const units: UnitWords = {
  units: new Map([
    ["km", ["kilómetro", "kilómetros"]],
    ["m", ["metro", "metros"]],
    ["cm", ["centímetro", "centímetros"]],
    ["mm", ["milímetro", "milímetros"]],
    ["kg", ["kilo", "kilos"]],
    ["g", ["gramo", "gramos"]],
    ["mg", ["miligramo", "miligramos"]],
    ["t", ["tonelada", "toneladas", "feminine"]],
    ["l", ["litro", "litros"]],
    ["L", ["litro", "litros"]],
    ["ml", ["mililitro", "mililitros"]],
    ["cl", ["centilitro", "centilitros"]],
    ["ha", ["hectárea", "hectáreas", "feminine"]],
    ["h", ["hora", "horas", "feminine"]],
    ["min", ["minuto", "minutos"]],
    ["s", ["segundo", "segundos"]],
    ["ms", ["milisegundo", "milisegundos"]],
    ["kB", ["kilobyte", "kilobytes"]],
    ["MB", ["mega", "megas"]],
    ["GB", ["giga", "gigas"]],
    ["TB", ["tera", "teras"]],
    ["Mbps", ["megabit por segundo", "megabits por segundo"]],
    ["Hz", ["hercio", "hercios"]],
    ["kHz", ["kilohercio", "kilohercios"]],
    ["MHz", ["megahercio", "megahercios"]],
    ["GHz", ["gigahercio", "gigahercios"]],
    ["W", ["vatio", "vatios"]],
    ["kW", ["kilovatio", "kilovatios"]],
    ["MW", ["megavatio", "megavatios"]],
    ["kWh", ["kilovatio hora", "kilovatios hora"]],
    ["V", ["voltio", "voltios"]],
    ["dB", ["decibelio", "decibelios"]],
    ["kcal", ["kilocaloría", "kilocalorías", "feminine"]],
    ["CV", ["caballo", "caballos"]],
    ["bar", ["bar", "bares"]],
  ]),
  square: ["cuadrado", "cuadrados"],
  cubic: ["cúbico", "cúbicos"],
  degree: ["grado", "grados"],
  scales: { C: "Celsius", F: "Fahrenheit" },
  percent: "por ciento",
  perMille: "por mil",
  isSingular,
  per: "por",
};
