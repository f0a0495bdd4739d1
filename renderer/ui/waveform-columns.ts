// Converts peaks to waveform columns: minimum and maximum of each column's range. Pure.

/** Peaks are pairs (minimum, maximum) for each 10 ms, as unsigned bytes; 128 is silence. */
export const peaksPerSec = 100;

/** Pairs from −1 to 1, two values per column, for the range from `fromSec` to `toSec`. Silent beyond the peaks. */
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

/** Height of loud audio; louder clicks are clipped at the edge. */
const fullHeight = 0.95;
/** Recordings below −21 dB at their loudest are mostly noise, and are not amplified to the height of speech. */
const minPeak = 0.09;
/** Share and minimum number of the loudest peaks to ignore: probably clicks. */
const ignoredPeakShare = 0.002;
const minIgnoredPeaks = 10;

/** Factor for the columns' height, at least 1: a quiet recording is drawn as tall as a loud one. */
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
