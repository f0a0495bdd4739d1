// Plays a narration sentence by sentence, without gaps, while the rest is still generated: takes are scheduled on the
// audio clock a few seconds ahead. Waits for sentences that are not generated, and requests them.

import type { NarrationSentence } from "../../../../main/contract/studio.ts";
import type { CreatePlayback, Playback } from "../../../stores/player.ts";
import type { TakeAudioCache } from "./take-audio-cache.ts";
import { selectedTake, sentenceIndexAt, type Timeline, computeTimeline } from "./timeline.ts";

export type SentencePlaybackDeps = {
  sentences(): readonly NarrationSentence[];
  /** Speed of the narration, for estimated durations. */
  speed(): number;
  /** Generates from the sentence at this index on. Rejects if generation cannot start. */
  requestGeneration(index: number): Promise<void>;
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

const lookaheadSec = 6;
const tickMs = 80;
const fadeSec = 0.01;
/** Delay between scheduling audio and its first sample. */
const startLatencySec = 0.03;

/** A sentence scheduled on the audio clock. */
type QueuedSentence = {
  readonly id: string;
  readonly index: number;
  readonly takeId: string;
  readonly clockSec: number;
  readonly startOffsetSec: number;
  readonly endOffsetSec: number;
  readonly node: AudioBufferSourceNode | undefined;
};
type PlaybackPosition = {
  readonly id: string | undefined;
  readonly index: number;
  readonly offsetSec: number;
};

/** `onCreated` gets each playback that the player creates. */
export const createSentencePlaybackFactory =
  (
    deps: SentencePlaybackDeps,
    onCreated: (playback: SentencePlayback | undefined) => void,
  ): CreatePlayback =>
  (report) => {
    const context = (deps.createContext ?? (() => new AudioContext()))();
    const takeAudioCache = deps.createTakeAudioCache(context);
    let gain = newGain();
    let queue: QueuedSentence[] = [];
    let restPosition: PlaybackPosition = { id: undefined, index: 0, offsetSec: 0 };
    let isPlaying = false;
    /** Increases at every `play`, stop and close; a pending `play` gives up if it has changed. */
    let playRequestCount = 0;
    let rate = 1;
    let requestedId: string | undefined;
    const fetching = new Set<string>();
    let timer: ReturnType<typeof setInterval> | undefined;
    let cachedTimeline: { sentences: readonly NarrationSentence[]; timeline: Timeline } | undefined;

    function newGain(): GainNode {
      const node = context.createGain();
      node.connect(context.destination);
      return node;
    }

    function timeline(): Timeline {
      const sentences = deps.sentences();
      if (cachedTimeline?.sentences !== sentences)
        cachedTimeline = { sentences, timeline: computeTimeline(sentences, deps.speed()) };
      return cachedTimeline.timeline;
    }

    /** Current index of a sentence; if it was removed, the index it had. */
    function indexOf({ id, index }: { id: string | undefined; index: number }): number {
      const sentences = deps.sentences();
      if (id === undefined || sentences[index]?.id === id) return Math.min(index, sentences.length);
      const foundIndex = sentences.findIndex((sentence) => sentence.id === id);
      return foundIndex < 0 ? Math.min(index, sentences.length) : foundIndex;
    }

    /** The position that is audible now. */
    function currentPosition(): PlaybackPosition {
      const now = context.currentTime;
      const playing = queue.findLast(({ clockSec }) => clockSec <= now);
      if (playing === undefined) return restPosition;
      const offsetSec = Math.min(
        playing.endOffsetSec,
        playing.startOffsetSec + (now - playing.clockSec) * rate,
      );
      return { id: playing.id, index: playing.index, offsetSec };
    }

    function toPositionSec(at: PlaybackPosition): number {
      const { startsSec, durationsSec, totalSec } = timeline();
      const index = indexOf(at);
      const start = startsSec[index];
      if (start === undefined) return totalSec;
      return Math.min(
        start + at.offsetSec,
        startsSec[index + 1] ?? Math.max(totalSec, start + (durationsSec[index] ?? 0)),
      );
    }

    const reportPosition = (): void =>
      report({ positionSec: toPositionSec(currentPosition()), durationSec: timeline().totalSec });

    function clearQueue(): void {
      const { currentTime } = context;
      gain.gain.setTargetAtTime(0, currentTime, fadeSec / 3);
      for (const { node } of queue) node?.stop(currentTime + fadeSec);
      queue = [];
      gain = newGain();
    }

    /** Seeks; when paused, the next `play` starts there. */
    function moveTo(next: PlaybackPosition): void {
      clearQueue();
      restPosition = next;
      requestedId = undefined;
      if (isPlaying) fillQueue();
      reportPosition();
    }

    function stop(): void {
      const at = currentPosition();
      playRequestCount += 1;
      isPlaying = false;
      requestedId = undefined;
      clearInterval(timer);
      clearQueue();
      restPosition = at;
      reportPosition();
      report({ isPlaying: false });
    }

    function onFailure(): void {
      if (!isPlaying) return;
      stop();
      report({ hasFailed: true });
    }

    /** Schedules the audio that is loaded, up to the lookahead. */
    function fillQueue(): void {
      const now = context.currentTime;
      const before = currentPosition();
      queue = queue.filter(
        ({ clockSec }, index) =>
          clockSec > now ||
          queue[index + 1] === undefined ||
          (queue[index + 1]?.clockSec ?? 0) > now,
      );
      if (queue.length > 0) restPosition = before;
      for (;;) {
        const last = queue.at(-1);
        const endSec =
          last === undefined
            ? now
            : last.clockSec + (last.endOffsetSec - last.startOffsetSec) / rate;
        if (endSec > now + lookaheadSec) return;
        const index =
          last === undefined
            ? indexOf(restPosition)
            : indexOf(last) + (deps.sentences()[indexOf(last)]?.id === last.id ? 1 : 0);
        const sentence = deps.sentences()[index];
        if (sentence === undefined) {
          if (endSec <= now) onEnd();
          return;
        }
        const startOffsetSec = last === undefined ? restPosition.offsetSec : 0;
        const next = selectedTake(sentence);
        if (next === undefined) {
          requestOnce(index, sentence.id);
          return;
        }
        const audio = next.durationSec > 0 ? takeAudioCache.getCached(next.id, rate) : undefined;
        if (next.durationSec > 0 && audio === undefined) {
          fetchFrom(index);
          return;
        }
        const startSec = Math.max(endSec, now + startLatencySec);
        queue.push({
          id: sentence.id,
          index,
          takeId: next.id,
          clockSec: startSec,
          startOffsetSec,
          endOffsetSec: next.durationSec + sentence.pauseSec,
          node: audio && startNode(audio, startSec, startOffsetSec / rate),
        });
      }
    }

    function startNode(
      audio: AudioBuffer,
      clockSec: number,
      offsetSec: number,
    ): AudioBufferSourceNode | undefined {
      if (offsetSec >= audio.duration) return undefined;
      const node = context.createBufferSource();
      node.buffer = audio;
      node.connect(gain);
      node.start(clockSec, offsetSec);
      return node;
    }

    /**
     * Loads the audio of the next few sentences, each only once: every load calls `fillQueue`, which calls this again.
     */
    function fetchFrom(index: number): void {
      for (const sentence of deps.sentences().slice(index, index + 3)) {
        const next = selectedTake(sentence);
        if (
          next === undefined ||
          next.durationSec === 0 ||
          fetching.has(next.id) ||
          takeAudioCache.getCached(next.id, rate) !== undefined
        )
          continue;
        fetching.add(next.id);
        takeAudioCache
          .load(next.id, rate)
          .finally(() => fetching.delete(next.id))
          .then(() => isPlaying && fillQueue(), onFailure);
      }
    }

    /** Requests a sentence once, because generating it may take long. */
    function requestOnce(index: number, id: string): void {
      if (requestedId === id) return;
      requestedId = id;
      deps.requestGeneration(index).catch(onFailure);
    }

    function onEnd(): void {
      const { length } = deps.sentences();
      isPlaying = false;
      clearInterval(timer);
      queue = [];
      restPosition = { id: undefined, index: length, offsetSec: 0 };
      reportPosition();
      report({ isPlaying: false });
    }

    const playback: SentencePlayback = {
      async play() {
        if (isPlaying) return;
        const playRequest = (playRequestCount += 1);
        await context.resume();
        if (indexOf(restPosition) >= deps.sentences().length)
          restPosition = { id: undefined, index: 0, offsetSec: 0 };
        const index = indexOf(restPosition);
        const sentence = deps.sentences()[index];
        if (sentence === undefined) return;
        if (selectedTake(sentence) === undefined) {
          requestedId = sentence.id;
          await deps.requestGeneration(index);
        }
        if (playRequest !== playRequestCount) return;
        isPlaying = true;
        report({ isPlaying: true });
        clearInterval(timer);
        timer = setInterval(() => {
          fillQueue();
          if (isPlaying) reportPosition();
        }, tickMs);
        fillQueue();
      },
      pause: stop,
      seek(sec) {
        const currentTimeline = timeline();
        const index = sentenceIndexAt(currentTimeline, sec);
        if (index >= 0)
          moveTo({
            id: deps.sentences()[index]?.id,
            index,
            offsetSec: Math.max(0, sec - (currentTimeline.startsSec[index] ?? 0)),
          });
      },
      setRate(next) {
        const at = currentPosition();
        rate = next;
        moveTo(at);
      },
      currentSec: () => toPositionSec(currentPosition()),
      playingSentenceId() {
        const at = currentPosition();
        return at.id ?? deps.sentences()[at.index]?.id;
      },
      isWaiting() {
        const last = queue.at(-1);
        return (
          isPlaying &&
          requestedId !== undefined &&
          (last === undefined ||
            last.clockSec + (last.endOffsetSec - last.startOffsetSec) / rate <= context.currentTime)
        );
      },
      onSentencesChanged() {
        // Unschedules sentences that changed; the one that is playing goes on.
        const now = context.currentTime;
        const firstOutdated = queue.findIndex((queued, at) => {
          if (queued.clockSec <= now) return false;
          const sentence = deps.sentences()[indexOf(queued)];
          const before = queue[at - 1];
          return (
            sentence?.id !== queued.id ||
            selectedTake(sentence)?.id !== queued.takeId ||
            (before !== undefined && indexOf(before) + 1 !== indexOf(queued))
          );
        });
        if (firstOutdated >= 0) {
          for (const { node } of queue.slice(firstOutdated)) node?.stop();
          queue = queue.slice(0, firstOutdated);
        }
        if (isPlaying) fillQueue();
        else reportPosition();
      },
      close() {
        playRequestCount += 1;
        isPlaying = false;
        clearInterval(timer);
        onCreated(undefined);
        void context.close();
      },
    };
    onCreated(playback);
    return playback;
  };
