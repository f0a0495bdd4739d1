// The dark modules of a QR code as the path of an SVG.

/** One square a dark module. */
export const qrPath = (rows: readonly (readonly boolean[])[]): string =>
  rows.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ""))).join("");
