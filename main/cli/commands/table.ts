// Formats rows as aligned columns for a terminal.

/** Two spaces between columns; the last column is not padded. Columns in `right` are right-aligned. */
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
