// Units and currencies in Brazilian Portuguese, by the names people say: "quilos", "gigas".

import type { Currency, MoneyWords } from "../normalization/money.ts";
import type { UnitWords } from "../normalization/units.ts";

const isSingular = (written: string): boolean => written === "1";

const cents = { cent: "centavo", cents: "centavos" };
const real: Currency = { one: "real", many: "reais", gender: "masculine", ...cents };
const dollar: Currency = { one: "dólar", many: "dólares", gender: "masculine", ...cents };
const euro: Currency = { one: "euro", many: "euros", gender: "masculine", ...cents };
const million = { one: "milhão", many: "milhões", of: true };
const billion = { one: "bilhão", many: "bilhões", of: true };
const trillion = { one: "trilhão", many: "trilhões", of: true };

export const money: MoneyWords = {
  currencies: new Map<string, Currency>([
    ["R$", real],
    ["BRL", real],
    ["$", dollar],
    ["US$", dollar],
    ["USD", dollar],
    ["€", euro],
    ["EUR", euro],
    ["£", { one: "libra", many: "libras", gender: "feminine", cent: "penny", cents: "pence" }],
    ["¥", { one: "iene", many: "ienes", gender: "masculine" }],
  ]),
  magnitudes: new Map([
    ["mil", { one: "mil", many: "mil", of: false }],
    ["mi", million],
    ["milhão", million],
    ["milhões", million],
    ["bi", billion],
    ["bilhão", billion],
    ["bilhões", billion],
    ["tri", trillion],
    ["trilhão", trillion],
    ["trilhões", trillion],
  ]),
  isSingular,
  joinCents: (whole, centCount, unit) => `${whole} e ${centCount} ${unit}`,
  per: "por",
};

export const units: UnitWords = {
  units: new Map([
    ["km", ["quilômetro", "quilômetros"]],
    ["m", ["metro", "metros"]],
    ["cm", ["centímetro", "centímetros"]],
    ["mm", ["milímetro", "milímetros"]],
    ["kg", ["quilo", "quilos"]],
    ["g", ["grama", "gramas"]],
    ["mg", ["miligrama", "miligramas"]],
    ["t", ["tonelada", "toneladas", "feminine"]],
    ["l", ["litro", "litros"]],
    ["L", ["litro", "litros"]],
    ["ml", ["mililitro", "mililitros"]],
    ["mL", ["mililitro", "mililitros"]],
    ["ha", ["hectare", "hectares"]],
    ["h", ["hora", "horas", "feminine"]],
    ["min", ["minuto", "minutos"]],
    ["s", ["segundo", "segundos"]],
    ["kB", ["kilobyte", "kilobytes"]],
    ["MB", ["mega", "megas"]],
    ["GB", ["giga", "gigas"]],
    ["TB", ["tera", "teras"]],
    ["Mbps", ["megabit por segundo", "megabits por segundo"]],
    ["Hz", ["hertz", "hertz"]],
    ["kHz", ["quilohertz", "quilohertz"]],
    ["MHz", ["megahertz", "megahertz"]],
    ["GHz", ["gigahertz", "gigahertz"]],
    ["W", ["watt", "watts"]],
    ["kW", ["quilowatt", "quilowatts"]],
    ["MW", ["megawatt", "megawatts"]],
    ["kWh", ["quilowatt-hora", "quilowatts-hora"]],
    ["V", ["volt", "volts"]],
    ["dB", ["decibel", "decibéis"]],
    ["kcal", ["quilocaloria", "quilocalorias", "feminine"]],
    ["cv", ["cavalo", "cavalos"]],
  ]),
  square: ["quadrado", "quadrados"],
  cubic: ["cúbico", "cúbicos"],
  degree: ["grau", "graus"],
  scales: { C: "Celsius", F: "Fahrenheit" },
  percent: "por cento",
  perMille: "por mil",
  isSingular,
  per: "por",
};
