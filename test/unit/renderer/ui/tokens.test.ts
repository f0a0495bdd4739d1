import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const css = readFileSync(join(import.meta.dirname, "../../../../renderer/ui/tokens.css"), "utf8");
const pairs = new Map(
  Array.from(
    css.matchAll(/--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)/g),
    ([, name, light, dark]) => [name as string, { light: light as string, dark: dark as string }],
  ),
);
const themes = ["light", "dark"] as const;

/** Relative luminance as defined in WCAG 2.2. */
function luminance(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5]
    .map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string): number {
  const [lighter = 0, darker = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (lighter + 0.05) / (darker + 0.05);
}

const text = [
  "ink",
  "ink-2",
  "accent",
  "good",
  "warn",
  "bad",
  "hue-1",
  "hue-2",
  "hue-3",
  "hue-4",
  "hue-5",
  "hue-6",
];
const grounds = ["paper", "panel"];
const wanted: readonly (readonly [front: string, back: string, least: number])[] = [
  ...text.flatMap((front) => grounds.map((back) => [front, back, 4.5] as const)),
  ...["hover", "chosen", "accent-wash", "warn-wash", "bad-wash"].map(
    (back) => ["ink", back, 4.5] as const,
  ),
  ...["hover", "chosen"].map((back) => ["ink-2", back, 4.5] as const),
  ["bad", "bad-wash", 4.5],
  ["warn", "warn-wash", 4.5],
  ["on-accent", "accent", 4.5],
  ["on-accent", "accent-hover", 4.5],
  ["on-bad", "bad-fill", 4.5],
  ...grounds.map((back) => ["line-strong", back, 3] as const),
];

it("measures contrast as defined in the guidelines", () => {
  expect(contrast("#000000", "#ffffff")).toBeCloseTo(21);
  expect(contrast("#777777", "#ffffff")).toBeCloseTo(4.48, 2);
});

it.each(themes)("keeps enough contrast between all pairs of colours (%s)", (theme) => {
  const failing = wanted
    .map(([front, back, least]) => ({
      front,
      back,
      least,
      is: contrast(pairs.get(front)?.[theme] ?? "", pairs.get(back)?.[theme] ?? ""),
    }))
    .filter(({ is, least }) => !(is >= least))
    .map(({ front, back, is, least }) => `${front} on ${back}: ${is.toFixed(2)}, not ${least}`);
  expect(failing).toEqual([]);
});
