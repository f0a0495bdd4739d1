// The speed of a download over the last seconds.

export type SpeedMeter = {
  add(bytes: number): void;
  /** Undefined until something has arrived for a while, and when nothing arrives anymore. */
  bytesPerSec(): number | undefined;
};

const windowMs = 5000;
const minWindowMs = 200;

/** @param now milliseconds */
export function createSpeedMeter(now: () => number = () => performance.now()): SpeedMeter {
  const startedAtMs = now();
  /** One per tenth of a second at most. */
  const samples: { atMs: number; bytes: number }[] = [];
  return {
    add(bytes) {
      const atMs = Math.floor(now() / 100) * 100;
      const last = samples.at(-1);
      if (last?.atMs === atMs) last.bytes += bytes;
      else samples.push({ atMs, bytes });
    },
    bytesPerSec() {
      const nowMs = now();
      while (samples[0] !== undefined && samples[0].atMs < nowMs - windowMs) samples.shift();
      const durationMs = Math.min(windowMs, nowMs - startedAtMs);
      const bytes = samples.reduce((sum, sample) => sum + sample.bytes, 0);
      return bytes === 0 || durationMs < minWindowMs ? undefined : (bytes / durationMs) * 1000;
    },
  };
}
