// Playback of an address through the browser's media element. See player.ts for other kinds.

import type { CreatePlayback } from "./player.ts";

/** Interval of reported positions; for a finer one use `currentSec()`. */
const reportIntervalMs = 50;

/** `url` is a function, because the app's addresses change when it restarts. */
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
