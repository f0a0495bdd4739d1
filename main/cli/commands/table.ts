// Rows as columns of a width, for a terminal.

/** Two spaces between columns; the last one ends as it is. Columns named in `right` are aligned to the right. */
export function table(rows: readonly (readonly string[])[], right: readonly number[] = []): string {
  const widths =
    rows[0]?.map((_, column) => Math.max(...rows.map((row) => (row[column] ?? "").length))) ?? [];
  return rows
    .map(
      (row) =>
        `${row
          .map((cell, column) =>
            right.includes(column)
              ? cell.padStart(widths[column] ?? 0)
              : cell.padEnd(widths[column] ?? 0),
          )
          .join("  ")
          .trimEnd()}\n`,
    )
    .join("");
}
