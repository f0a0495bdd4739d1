// Formats times, sizes, costs and dates in the selected language.

import { formatTime } from "../../main/contract/format-time.ts";
import { languageInUse } from "./messages.ts";

export { formatTime };

/** The selected language as the system or browser has it: `en-GB`, whose dates are not those of `en-US`. */
function regionalLanguage(): string {
  const language = languageInUse();
  return navigator.languages.find((tag) => tag.split("-")[0] === language) ?? language;
}

/** To create an Intl object takes long compared with its use: rows of a list share them. */
function cachedFormat<Options, Format>(
  create: new (language: string, options: Options) => Format,
  chooseLanguage: () => string = languageInUse,
): (options: Options) => Format {
  const formats = new Map<string, Format>();
  return (options) => {
    const language = chooseLanguage();
    const key = `${language} ${JSON.stringify(options)}`;
    let format = formats.get(key);
    if (format === undefined) formats.set(key, (format = new create(language, options)));
    return format;
  };
}

const numberFormat = cachedFormat<Intl.NumberFormatOptions, Intl.NumberFormat>(Intl.NumberFormat);
const dateFormat = cachedFormat<Intl.DateTimeFormatOptions, Intl.DateTimeFormat>(
  Intl.DateTimeFormat,
  regionalLanguage,
);

const number = (value: number, minDecimals: number, maxDecimals = minDecimals) =>
  numberFormat({
    minimumFractionDigits: minDecimals,
    maximumFractionDigits: maxDecimals,
  }).format(value);

const quantity = (value: number, unit: string, decimals: number) =>
  numberFormat({
    style: "unit",
    unit,
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
  }).format(value);

export const formatDecimal = (value: number, decimals: number) => number(value, decimals);

/** A time with tenths of a second: `0:02.4`. */
export function formatTimeTenths(sec: number): string {
  const tenths = Math.floor(sec * 10 + 1e-6) % 10;
  return `${formatTime(sec)}${formatDecimal(tenths / 10, 1).slice(1)}`;
}

export const formatCount = (value: number) => number(value, 0);

/** @param share 0 to 1 */
export const formatPercent = (share: number) => numberFormat({ style: "percent" }).format(share);

/** Decimal units, as disks are sold: `12 kB`, `0.3 MB`, `12.0 MB`, `1.4 GB`. */
export const formatSize = (sizeBytes: number) =>
  sizeBytes < 5e4
    ? quantity(sizeBytes / 1e3, "kilobyte", 0)
    : sizeBytes >= 1e9
      ? quantity(sizeBytes / 1e9, "gigabyte", 1)
      : quantity(sizeBytes / 1e6, "megabyte", 1);

/** US dollars, with as many decimals as matter: `$0`, `$0.0042`, `$12.30`. */
export function formatCost(usd: number): string {
  const decimals = usd === 0 ? 0 : usd < 0.01 ? 4 : usd < 1 ? 3 : 2;
  return numberFormat({
    style: "currency",
    currency: "USD",
    currencyDisplay: "narrowSymbol",
    minimumFractionDigits: Math.min(decimals, 2),
    maximumFractionDigits: decimals,
  }).format(usd);
}

export const formatDate = (atMs: number) => dateFormat({ dateStyle: "medium" }).format(atMs);
/** `Monday, 23 November 2026` in the order of the language. */
export const formatDay = (atMs: number) => dateFormat({ dateStyle: "full" }).format(atMs);
/** `23 Nov`. */
export const formatShortDay = (atMs: number) =>
  dateFormat({ day: "numeric", month: "short" }).format(atMs);
export const formatDateTime = (atMs: number) =>
  dateFormat({ dateStyle: "medium", timeStyle: "short" }).format(atMs);
/** `14:32` or `2:32 PM`. */
export const formatTimeOfDay = (atMs: number) => dateFormat({ timeStyle: "short" }).format(atMs);
export const formatClock = (atMs: number) => dateFormat({ timeStyle: "medium" }).format(atMs);

/**
 * A language's name in the selected language: `de` is German, or Deutsch; `fallback` if the browser does not know it.
 */
export function formatLanguage(
  code: string,
  fallback = code,
  style: "long" | "short" = "long",
): string {
  try {
    return (
      new Intl.DisplayNames(languageInUse(), { type: "language", fallback: "none", style }).of(
        code,
      ) ?? fallback
    );
  } catch {
    return fallback;
  }
}
