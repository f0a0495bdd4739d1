// Prints measurements as a table and writes them as JSON. Compares each value with its goal; a missed goal is reported,
// not thrown.

import { mkdirSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join, resolve } from "node:path";

export type Row = {
  area: string;
  what: string;
  /** undefined: not measurable here, `note` gives the reason. */
  value: number | undefined;
  unit: "×" | "%" | "ms" | "s" | "MB" | "LU" | "";
  goal?: { min: number } | { max: number };
  note?: string;
};

export type Results = {
  rows: Row[];
  /** All single values behind the rows, by name, with the unit in the name. */
  raw: Record<string, unknown>;
};

const rootDir = resolve(import.meta.dirname, "..", "..");

export const skipped = (area: string, what: string, note: string): Row => ({
  area,
  what,
  value: undefined,
  unit: "",
  note: `skipped: ${note}`,
});

/**
 * Prints the table and writes `<folder>/<time>.json`, which git ignores. @returns the number of missed goals; a row
 * without a value is neither met nor missed
 */
export function report(
  title: string,
  folder: "bench-results" | "eval-results" | "endure-results",
  { rows, raw }: Results,
): { missedCount: number } {
  const lines = [["", "figure", "measured", "goal", "", "note"], ...rows.map(tableCells)];
  const widths =
    lines[0]?.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0))) ?? [];
  const table = lines.map((line) =>
    line
      .map((cell, column) =>
        column === 2 ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0),
      )
      .join("  ")
      .trimEnd(),
  );
  const missedCount = rows.filter((row) => isMet(row) === false).length;
  const judgedCount = rows.filter((row) => isMet(row) !== undefined).length;
  const notRun = rows.filter(({ value, goal }) => value === undefined && goal !== undefined).length;
  const dir = join(rootDir, folder);
  mkdirSync(dir, { recursive: true });
  const measuredAt = new Date().toISOString();
  const path = join(dir, `${measuredAt.replaceAll(":", "-")}.json`);
  const [{ model } = { model: "unknown" }] = cpus();
  const machine = {
    processor: model,
    cores: cpus().length,
    node: process.version,
    platform: `${process.platform}-${process.arch}`,
  };
  const judgedRows = rows.map((row) => ({ ...row, met: isMet(row) }));
  const figures = { title, measuredAt, machine, rows: judgedRows, raw };
  writeFileSync(path, `${JSON.stringify(figures, undefined, 2)}\n`);
  const notRunText = notRun === 0 ? "" : `, ${notRun} not run`;
  process.stdout.write(
    `\n${title}\n\n${table.join("\n")}\n\n` +
      `${judgedCount - missedCount} of ${judgedCount} goals met${notRunText}. All figures: ${path}\n`,
  );
  return { missedCount };
}

function tableCells(row: Row): string[] {
  const { area, what, value, unit, goal, note = "" } = row;
  const measured = value === undefined ? "–" : `${value.toFixed(2)} ${unit}`.trim();
  const goalText =
    goal === undefined
      ? ""
      : "min" in goal
        ? `≥ ${rounded(goal.min)} ${unit}`
        : `≤ ${rounded(goal.max)} ${unit}`;
  return [area, what, measured, goalText.trim(), verdict(row), note];
}

/** Goals are mostly round; those that were measured are not. */
const rounded = (goal: number): number => Number(goal.toFixed(2));

function verdict(row: Row): string {
  const met = isMet(row);
  if (met === undefined) return row.value === undefined && row.goal !== undefined ? "not run" : "";
  return met ? "met" : "MISSED";
}

export function isMet({ value, goal }: Row): boolean | undefined {
  if (value === undefined || goal === undefined) return undefined;
  return "min" in goal ? value >= goal.min : value <= goal.max;
}

/** Progress for the person who waits; not part of the table. */
export const logProgress = (text: string): boolean => process.stderr.write(`${text}\n`);
