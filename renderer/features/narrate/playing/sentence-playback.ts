// Plays a narration sentence by sentence, without gaps, while the rest is still generated: takes are scheduled on the
// audio clock a few seconds ahead. Waits for sentences that are not generated, and requests them.

import type { CreatePlayback, Playback, PlaybackReport } from "../../../stores/player.ts";
import { createAudioSchedule } from "./audio-schedule.ts";
import { createScheduleFiller, type FillerDeps } from "./schedule-filler.ts";
import { createSentencePositions, type PlaybackPosition } from "./sentence-positions.ts";
import type { TakeAudioCache } from "./take-audio-cache.ts";

export type SentencePlaybackDeps = FillerDeps & {
  /** Speed of the narration, for estimated durations. */
  speed(): number;
  createTakeAudioCache(context: BaseAudioContext): TakeAudioCache;
  createContext?: () => AudioContext;
};

export type SentencePlayback = Playback & {
  /** The sentence that is playing, or that would play next; undefined before the first start. */
  playingSentenceId(): string | undefined;
  /** The next sentence is not generated yet, and nothing is playing. */
  isWaiting(): boolean;
  /** Call when the sentences or their takes changed. */
  onSentencesChanged(): void;
};

const tickMs = 80;
const startPosition: PlaybackPosition = { id: undefined, index: 0, offsetSec: 0 };

/** `onCreated` gets each playback that the player creates. */
export const createSentencePlaybackFactory =
  (
    deps: SentencePlaybackDeps,
    onCreated: (playback: SentencePlayback | undefined) => void,
  ): CreatePlayback =>
  (report) => {
    const playback = createSentencePlayback(deps, report, () => onCreated(undefined));
    onCreated(playback);
    return playback;
  };

function createSentencePlayback(
  deps: SentencePlaybackDeps,
  report: (report: PlaybackReport) => void,
  onClosed: () => void,
): SentencePlayback {
  const context = (deps.createContext ?? (() => new AudioContext()))();
  // An opened narration is loaded; only one that plays needs the audio device.
  void context.suspend();
  const positions = createSentencePositions(deps);
  const schedule = createAudioSchedule(context);
  const filler = createScheduleFiller(
    { ...deps, schedule, positions, takeAudioCache: deps.createTakeAudioCache(context) },
    { isPlaying: () => isPlaying, onEnd, onFailure },
  );
  let isPlaying = false;
  /** Increases at every `play`, stop and close; a pending `play` gives up if it has changed. */
  let playRequestCount = 0;
  let timer: ReturnType<typeof setInterval> | undefined;

  const currentSec = (): number => positions.toSec(schedule.position());
  const reportPosition = (): void =>
    report({ positionSec: currentSec(), durationSec: positions.totalSec() });

  /** Seeks; when paused, the next `play` starts there. */
  function moveTo(next: PlaybackPosition): void {
    schedule.restAt(next);
    filler.forgetRequest();
    if (isPlaying) filler.fill();
    reportPosition();
  }

  function stop(): void {
    playRequestCount += 1;
    isPlaying = false;
    clearInterval(timer);
    moveTo(schedule.position());
    report({ isPlaying: false });
  }

  function onFailure(): void {
    if (!isPlaying) return;
    stop();
    report({ hasFailed: true });
  }

  function onEnd(): void {
    isPlaying = false;
    clearInterval(timer);
    schedule.finishAt({ id: undefined, index: deps.sentences().length, offsetSec: 0 });
    reportPosition();
    report({ isPlaying: false });
  }

  return {
    async play() {
      if (isPlaying) return;
      const playRequest = (playRequestCount += 1);
      await context.resume();
      if (positions.indexOf(schedule.position()) >= deps.sentences().length)
        schedule.finishAt(startPosition);
      if (deps.sentences().length === 0) return;
      await filler.requestFirst(positions.indexOf(schedule.position()));
      if (playRequest !== playRequestCount) return;
      isPlaying = true;
      report({ isPlaying: true });
      clearInterval(timer);
      timer = setInterval(() => {
        filler.fill();
        if (isPlaying) reportPosition();
      }, tickMs);
      filler.fill();
    },
    pause: stop,
    seek(sec) {
      const position = positions.at(sec);
      if (position !== undefined) moveTo(position);
    },
    setRate(rate) {
      const position = schedule.position();
      schedule.setRate(rate);
      moveTo(position);
    },
    currentSec,
    playingSentenceId() {
      const { id, index } = schedule.position();
      return id ?? deps.sentences()[index]?.id;
    },
    isWaiting: () => isPlaying && filler.isWaiting(),
    onSentencesChanged() {
      filler.dropOutdated();
      if (isPlaying) filler.fill();
      else reportPosition();
    },
    close() {
      playRequestCount += 1;
      isPlaying = false;
      clearInterval(timer);
      onClosed();
      void context.close();
    },
  };
}
