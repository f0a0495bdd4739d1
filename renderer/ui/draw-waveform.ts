// Draws waveform columns on a canvas at the screen's pixel density. Colours come from the canvas's CSS, so that they
// follow the theme.

/**
 * `gain`: factor for the columns' height. `playedFraction` and `markers` are fractions of the width; the position may
 * be left or right of it.
 */
export function drawWaveform(
  canvas: HTMLCanvasElement,
  columns: Float32Array,
  gain: number,
  playedFraction: number,
  markers: readonly number[],
): void {
  const context = canvas.getContext("2d");
  const width = columns.length / 2;
  const height = Math.round(canvas.clientHeight * devicePixelRatio);
  if (context === null || height === 0) return;
  if (canvas.width !== width) canvas.width = width;
  if (canvas.height !== height) canvas.height = height;
  const { color, outlineColor, borderTopColor } = getComputedStyle(canvas);
  context.clearRect(0, 0, width, height);
  const middle = height / 2;
  const scaledHeight = middle * gain;
  const minHeight = Math.max(1, devicePixelRatio) / 2;
  const playedColumns = Math.round(playedFraction * width);
  for (let column = 0; column < width; column += 1) {
    if (column === 0) context.fillStyle = playedColumns > 0 ? outlineColor : color;
    if (column === playedColumns) context.fillStyle = color;
    const bottom = middle + Math.max(minHeight, -(columns[column * 2] ?? 0) * scaledHeight);
    const top = middle - Math.max(minHeight, (columns[column * 2 + 1] ?? 0) * scaledHeight);
    context.fillRect(column, top, 1, bottom - top);
  }
  context.fillStyle = borderTopColor;
  const size = Math.round(3 * devicePixelRatio);
  for (const marker of markers)
    context.fillRect(Math.round(marker * width) - size / 2, height - size, size, size);
}
