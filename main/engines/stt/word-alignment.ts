// Token times by dynamic time warping over cross attentions, as in openai/whisper's timing.py: normalize each head over
// the tokens, smooth over time, average the heads, find the cheapest monotonic path. Difference: prompt tokens are not
// part of the normalization, because their attentions are not kept.

const medianWidth = 7;

/**
 * @param attentions token → head → attention over frames (rows of equal length). Rows may be cut from longer ones: each
 * is scaled to a sum of 1
 * @returns the frame at which each token begins, plus the end of the last one
 */
export function alignTokens(attentions: readonly (readonly Float32Array[])[]): number[] {
  const tokens = attentions.length;
  const frames = attentions[0]?.[0]?.length ?? 0;
  const heads = attentions[0]?.length ?? 0;
  if (tokens === 0 || frames === 0) return [0];
  const cost = new Float64Array(tokens * frames);
  const smoothed = new Float32Array(frames);
  for (let head = 0; head < heads; head += 1) {
    const rows = attentions.map((row) => normalizeSum(row[head] as Float32Array));
    normalizeOverTokens(rows);
    for (const [token, row] of rows.entries()) {
      smoothByMedian(row, smoothed);
      const from = token * frames;
      for (let frame = 0; frame < frames; frame += 1)
        cost[from + frame]! -= smoothed[frame]! / heads;
    }
  }
  return findCheapestPath(cost, tokens, frames);
}

/** A copy, scaled to a sum of 1. */
function normalizeSum(row: Float32Array): Float32Array {
  let sum = 0;
  for (const value of row) sum += value;
  const scaled = row.slice();
  if (sum > 0)
    for (let frame = 0; frame < row.length; frame += 1) scaled[frame] = row[frame]! / sum;
  return scaled;
}

/** (x − mean) / deviation at each frame, over the tokens; in place. */
function normalizeOverTokens(rows: readonly Float32Array[]): void {
  const frames = rows[0]?.length ?? 0;
  const sums = new Float64Array(frames);
  const squares = new Float64Array(frames);
  for (const row of rows) {
    for (let frame = 0; frame < frames; frame += 1) {
      const value = row[frame]!;
      sums[frame]! += value;
      squares[frame]! += value * value;
    }
  }
  const means = sums.map((sum) => sum / rows.length);
  const deviations = squares.map((sum, frame) =>
    Math.sqrt(Math.max(sum / rows.length - means[frame]! ** 2, 1e-20)),
  );
  for (const row of rows)
    for (let frame = 0; frame < frames; frame += 1)
      row[frame] = (row[frame]! - means[frame]!) / deviations[frame]!;
}

/** Median of seven neighbours, mirrored at the ends. */
function smoothByMedian(row: Float32Array, out: Float32Array): void {
  const half = (medianWidth - 1) / 2;
  if (row.length <= half) {
    out.set(row);
    return;
  }
  const last = row.length - 1;
  const valueMirroredAt = (at: number): number =>
    row[at < 0 ? -at : at > last ? 2 * last - at : at] as number;
  // The window stays sorted while it moves: one value leaves, one enters.
  const window = Float32Array.from({ length: medianWidth }, (_, offset) =>
    valueMirroredAt(offset - half),
  ).sort();
  for (let frame = 0; frame < row.length; frame += 1) {
    out[frame] = window[half] as number;
    const leaving = valueMirroredAt(frame - half);
    const entering = valueMirroredAt(frame + half + 1);
    let at = window.indexOf(leaving);
    for (; at > 0 && (window[at - 1] as number) > entering; at -= 1)
      window[at] = window[at - 1] as number;
    for (; at < medianWidth - 1 && (window[at + 1] as number) < entering; at += 1)
      window[at] = window[at + 1] as number;
    window[at] = entering;
  }
}

/** Cheapest path from the first token and frame to the last; returns the start of each token, then the end. */
function findCheapestPath(cost: Float64Array, tokens: number, frames: number): number[] {
  const width = frames + 1;
  const total = new Float64Array((tokens + 1) * width).fill(Infinity);
  const trace = new Uint8Array((tokens + 1) * width);
  total[0] = 0;
  for (let token = 1; token <= tokens; token += 1) {
    for (let frame = 1; frame <= frames; frame += 1) {
      const at = token * width + frame;
      const both = total[at - width - 1] as number;
      const nextToken = total[at - width] as number;
      const nextFrame = total[at - 1] as number;
      const best = Math.min(both, nextToken, nextFrame);
      trace[at] = best === both ? 0 : best === nextToken ? 1 : 2;
      total[at] = (cost[(token - 1) * frames + frame - 1] as number) + best;
    }
  }
  const startFrames = Array.from({ length: tokens + 1 }, () => frames);
  let token = tokens;
  let frame = frames;
  while (token > 0 && frame > 0) {
    startFrames[token - 1] = frame - 1;
    const step = trace[token * width + frame];
    if (step !== 2) token -= 1;
    if (step !== 1) frame -= 1;
  }
  // Tokens that the path never reached begin at the first frame.
  while (token > 0) {
    startFrames[token - 1] = 0;
    token -= 1;
  }
  return startFrames;
}
