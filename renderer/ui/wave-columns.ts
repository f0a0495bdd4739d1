// Peaks as columns of a picture: for each column the least and most of its stretch. Pure, so that it can be tested.

/** Peaks come in pairs (least, most) a hundredth of a second, unsigned bytes, 128 is silence. */
export const peaksPerSec = 100;

/** Pairs from −1 to 1, two figures a column, for the stretch from `fromSec` to `toSec`. Beyond the peaks it is silent. */
export function waveColumns(peaks: Uint8Array, fromSec: number, toSec: number, columns: number): Float32Array {
  const out = new Float32Array(columns * 2);
  const perColumn = ((toSec - fromSec) * peaksPerSec) / columns;
  const count = peaks.length >> 1;
  for (let column = 0; column < columns; column += 1) {
    const first = Math.floor(fromSec * peaksPerSec + column * perColumn);
    const last = Math.max(first + 1, Math.ceil(fromSec * peaksPerSec + (column + 1) * perColumn));
    let least = 128;
    let most = 128;
    for (let index = Math.max(0, first); index < Math.min(last, count); index += 1) {
      least = Math.min(least, peaks[index * 2] ?? 128);
      most = Math.max(most, peaks[index * 2 + 1] ?? 128);
    }
    out[column * 2] = (least - 128) / 128;
    out[column * 2 + 1] = (most - 128) / 127;
  }
  return out;
}

/** From here on the loudest moment fills the picture. */
const fullHeight = 0.95;
/** What is quieter than this (−21 dB at its loudest) is noise, or nearly: it is not drawn as if it were speech. */
const quietest = 0.09;

/** How much taller columns are drawn: a quiet recording's loudest moment is as tall as a loud one's. At least 1. */
export const waveGain = (columns: Float32Array): number => Math.max(1, fullHeight / Math.max(quietest, columns.reduce((most, value) => Math.max(most, Math.abs(value)), 0)));
