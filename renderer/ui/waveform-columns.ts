// Peaks as columns of a picture: for each column the least and most of its stretch. Pure, so that it can be tested.

/** Peaks come in pairs (least, most) a hundredth of a second, unsigned bytes, 128 is silence. */
export const peaksPerSec = 100;

/** Pairs from −1 to 1, two figures a column, for the stretch from `fromSec` to `toSec`. Beyond the peaks it is silent. */
export function waveformColumns(
  peaks: Uint8Array,
  fromSec: number,
  toSec: number,
  columns: number,
): Float32Array {
  const out = new Float32Array(columns * 2);
  const perColumn = ((toSec - fromSec) * peaksPerSec) / columns;
  const count = peaks.length >> 1;
  for (let column = 0; column < columns; column += 1) {
    const first = Math.floor(fromSec * peaksPerSec + column * perColumn);
    const last = Math.max(first + 1, Math.ceil(fromSec * peaksPerSec + (column + 1) * perColumn));
    let min = 128;
    let max = 128;
    for (let index = Math.max(0, first); index < Math.min(last, count); index += 1) {
      min = Math.min(min, peaks[index * 2] ?? 128);
      max = Math.max(max, peaks[index * 2 + 1] ?? 128);
    }
    out[column * 2] = (min - 128) / 128;
    out[column * 2 + 1] = (max - 128) / 127;
  }
  return out;
}

/** What is loud reaches so far; a click beyond it is cut off by the picture's edge. */
const fullHeight = 0.95;
/** What is quieter than this (−21 dB at its loudest) is noise, or nearly: it is not drawn as if it were speech. */
const minPeak = 0.09;
/** The loudest hundredths of a second do not decide: so many of all, and at least so many, a click or two. */
const ignoredPeakShare = 0.002;
const minIgnoredPeaks = 10;

/** How much taller columns of these peaks are drawn: a quiet recording is as tall as a loud one. At least 1. */
export function waveformGain(peaks: Uint8Array): number {
  const counts = new Uint32Array(129);
  for (let index = 0; index < peaks.length; index += 2) {
    const level = Math.max(128 - (peaks[index] ?? 128), (peaks[index + 1] ?? 128) - 128);
    counts[level] = (counts[level] ?? 0) + 1;
  }
  let level = 128;
  for (
    let remainingPeaks = Math.max(minIgnoredPeaks, (peaks.length / 2) * ignoredPeakShare);
    level > 0;
    level -= 1
  ) {
    remainingPeaks -= counts[level] ?? 0;
    if (remainingPeaks < 0) break;
  }
  return Math.max(1, fullHeight / Math.max(minPeak, level / 128));
}
