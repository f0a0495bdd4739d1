// Plays an address through the browser's own media element. One way to play; player.ts takes others.

import type { CreatePlayback } from "./player.ts";

/** How often a position is told while playing; whoever needs it finer asks `now()`. */
const reportIntervalMs = 50;

/** `url` is asked when it is played: the app's addresses change when it is started anew. */
export const mediaPlayback =
  (url: () => string): CreatePlayback =>
  (report) => {
    const element = new Audio();
    element.preload = "auto";
    element.src = url();
    let frame = 0;
    let reportedAtMs = 0;
    const reportFrame = (atMs: number) => {
      frame = element.paused ? 0 : requestAnimationFrame(reportFrame);
      if (atMs - reportedAtMs < reportIntervalMs) return;
      reportedAtMs = atMs;
      report({ positionSec: element.currentTime });
    };
    const reportNow = () => report({ positionSec: element.currentTime });
    element.addEventListener(
      "durationchange",
      () => Number.isFinite(element.duration) && report({ durationSec: element.duration }),
    );
    element.addEventListener("seeked", reportNow);
    element.addEventListener("play", () => {
      report({ isPlaying: true });
      if (frame === 0) frame = requestAnimationFrame(reportFrame);
    });
    for (const name of ["pause", "ended"] as const) {
      element.addEventListener(name, () => {
        reportNow();
        report({ isPlaying: false });
      });
    }
    element.addEventListener("error", () => report({ isPlaying: false, hasFailed: true }));
    return {
      play: async () => {
        await element.play();
      },
      pause: () => element.pause(),
      seek: (sec) => {
        element.currentTime = sec;
      },
      setRate: (rate) => {
        element.playbackRate = rate;
      },
      currentSec: () => element.currentTime,
      close: () => {
        cancelAnimationFrame(frame);
        element.pause();
        element.removeAttribute("src");
        element.load();
      },
    };
  };
