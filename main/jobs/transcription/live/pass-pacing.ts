// How often growing speech is transcribed again: as often as the machine manages without being busy with it all the
// time. A pass that had to wait for other work counts with that time, so a loaded machine gets fewer passes, not late
// ones.

export type PassPacing = {
  isDue(): boolean;
  /** @returns function to call when the pass has ended */
  startPass(): () => void;
};

/** More often, two passes recognize the same. */
const minIntervalMs = 250;
/** Share of the time in which a pass may run. */
const maxPassShare = 0.65;
/** Weight of the latest pass: passes over longer speech take longer, so it counts most. */
const smoothingFactor = 0.6;

/** @param now milliseconds of a monotonic clock */
export function createPassPacing(now: () => number): PassPacing {
  let passMs: number | undefined;
  let nextMs = -Infinity;
  return {
    isDue: () => now() >= nextMs,
    startPass() {
      const startMs = now();
      return () => {
        const tookMs = now() - startMs;
        passMs = passMs === undefined ? tookMs : passMs + smoothingFactor * (tookMs - passMs);
        nextMs = startMs + Math.max(minIntervalMs, passMs / maxPassShare);
      };
    },
  };
}
