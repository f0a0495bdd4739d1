// How loud a microphone is, and whether it hears anything at all. Pure but for its timer.

const quietestDb = -60;
/** Share of the displayed level that is left after 50 ms. */
const fallShare = 0.85;

/** 0 to 1 from −60 dB to full scale. */
export const levelOf = (peak: number): number =>
  Math.max(0, 1 - (20 * Math.log10(Math.max(peak, 1e-6))) / quietestDb);

/** Rises at once and falls slowly, so that it is readable. */
export const displayLevel = (displayed: number, peak: number): number =>
  Math.max(levelOf(peak), displayed * fallShare);

/** −50 dB: above the noise of a muted or unplugged microphone, below speech at a distance. */
const soundPeak = 0.003;
export const silenceSec = 10;

/** `waiting`: nothing yet, but not for long. */
export type Hearing = "waiting" | "sound" | "silence";

export type HearingWatch = {
  /** Begins anew: after a pause, or with another microphone. */
  start(): void;
  /** The peak (0 to 1) of the latest audio. */
  hear(peak: number): void;
  stop(): void;
};

/**
 * Reports silence when nothing was heard for 10 s, also if no audio arrives at all, and sound as soon as there is some.
 */
export function createHearingWatch(onChange: (hearing: Hearing) => void): HearingWatch {
  let hearing: Hearing | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  function change(next: Hearing): void {
    if (next === hearing) return;
    hearing = next;
    onChange(next);
  }
  function stop(): void {
    clearTimeout(timer);
    hearing = undefined;
  }
  function waitForSound(): void {
    clearTimeout(timer);
    timer = setTimeout(() => change("silence"), silenceSec * 1000);
  }
  return {
    start() {
      stop();
      waitForSound();
      change("waiting");
    },
    hear(peak) {
      // `undefined`: audio in transit after the end.
      if (hearing === undefined || peak < soundPeak) return;
      waitForSound();
      change("sound");
    },
    stop,
  };
}
