// Plays a narration sentence by sentence, without a gap, while the rest of it is still being made: each take is put
// on the audio clock behind the one before it, a few seconds ahead. What is not made yet is waited for, and asked for.

import type { NarrationSentence } from "../../../../main/contract/studio.ts";
import type { CreatePlayback, Playback } from "../../../stores/player.ts";
import type { TakeSounds } from "./take-sounds.ts";
import { chosenOf, indexAt, type Timeline, timelineOf } from "./timeline.ts";

export type SentencePlaybackDeps = {
  sentences(): readonly NarrationSentence[];
  /** Of the narration, for guesses. */
  speed(): number;
  /** Has the sentence from this place on made first. Rejects where that cannot be begun. */
  need(index: number): Promise<void>;
  createSounds(context: BaseAudioContext): TakeSounds;
  createContext?: () => AudioContext;
};

export type SentencePlayback = Playback & {
  /** The sentence that sounds, or would next; undefined before the first start. */
  spokenId(): string | undefined;
  /** What comes next is not made yet, and nothing sounds. */
  isWaiting(): boolean;
  /** Sentences or takes are other ones now. */
  changed(): void;
};

const aheadSec = 6;
const beatMs = 80;
const fadeSec = 0.01;
/** From the order to sound to its first sample. */
const leadSec = 0.03;

/** A sentence on the audio clock. */
type Queued = {
  readonly id: string;
  readonly index: number;
  readonly takeId: string;
  readonly atSec: number;
  readonly fromSec: number;
  readonly untilSec: number;
  readonly node: AudioBufferSourceNode | undefined;
};
type Place = {
  readonly id: string | undefined;
  readonly index: number;
  readonly offsetSec: number;
};

/** `onCreated` hears of each playback the player makes. */
export const sentencePlayback =
  (
    deps: SentencePlaybackDeps,
    onCreated: (playback: SentencePlayback | undefined) => void,
  ): CreatePlayback =>
  (report) => {
    const context = (deps.createContext ?? (() => new AudioContext()))();
    const sounds = deps.createSounds(context);
    let gain = newGain();
    let queue: Queued[] = [];
    let place: Place = { id: undefined, index: 0, offsetSec: 0 };
    let isPlaying = false;
    /** Counts what was asked for: to play is over where something else was asked for since. */
    let orders = 0;
    let rate = 1;
    let asked: string | undefined;
    const fetching = new Set<string>();
    let timer: ReturnType<typeof setInterval> | undefined;
    let known: { sentences: readonly NarrationSentence[]; timeline: Timeline } | undefined;

    function newGain(): GainNode {
      const node = context.createGain();
      node.connect(context.destination);
      return node;
    }

    function timeline(): Timeline {
      const sentences = deps.sentences();
      if (known?.sentences !== sentences)
        known = { sentences, timeline: timelineOf(sentences, deps.speed()) };
      return known.timeline;
    }

    /** Where a sentence is now; one that is gone has its neighbours' place. */
    function indexOf({ id, index }: { id: string | undefined; index: number }): number {
      const sentences = deps.sentences();
      if (id === undefined || sentences[index]?.id === id) return Math.min(index, sentences.length);
      const found = sentences.findIndex((sentence) => sentence.id === id);
      return found < 0 ? Math.min(index, sentences.length) : found;
    }

    /** What sounds at this moment. */
    function current(): Place {
      const now = context.currentTime;
      const sounding = queue.findLast(({ atSec }) => atSec <= now);
      if (sounding === undefined) return place;
      const offsetSec = Math.min(
        sounding.untilSec,
        sounding.fromSec + (now - sounding.atSec) * rate,
      );
      return { id: sounding.id, index: sounding.index, offsetSec };
    }

    function positionOf(at: Place): number {
      const { starts, sounds: lengths, totalSec } = timeline();
      const index = indexOf(at);
      const start = starts[index];
      if (start === undefined) return totalSec;
      return Math.min(
        start + at.offsetSec,
        starts[index + 1] ?? Math.max(totalSec, start + (lengths[index] ?? 0)),
      );
    }

    const tell = (): void =>
      report({ positionSec: positionOf(current()), durationSec: timeline().totalSec });

    function silence(): void {
      const { currentTime } = context;
      gain.gain.setTargetAtTime(0, currentTime, fadeSec / 3);
      for (const { node } of queue) node?.stop(currentTime + fadeSec);
      queue = [];
      gain = newGain();
    }

    /** Plays from a place, or is to begin there. */
    function moveTo(next: Place): void {
      silence();
      place = next;
      asked = undefined;
      if (isPlaying) fill();
      tell();
    }

    function stop(): void {
      const at = current();
      orders += 1;
      isPlaying = false;
      asked = undefined;
      clearInterval(timer);
      silence();
      place = at;
      tell();
      report({ isPlaying: false });
    }

    function failed(): void {
      if (!isPlaying) return;
      stop();
      report({ hasFailed: true });
    }

    /** Puts what is there on the clock, until there is enough. */
    function fill(): void {
      const now = context.currentTime;
      const before = current();
      queue = queue.filter(
        ({ atSec }, index) =>
          atSec > now || queue[index + 1] === undefined || (queue[index + 1]?.atSec ?? 0) > now,
      );
      if (queue.length > 0) place = before;
      for (;;) {
        const last = queue.at(-1);
        const endSec =
          last === undefined ? now : last.atSec + (last.untilSec - last.fromSec) / rate;
        if (endSec > now + aheadSec) return;
        const index =
          last === undefined
            ? indexOf(place)
            : indexOf(last) + (deps.sentences()[indexOf(last)]?.id === last.id ? 1 : 0);
        const sentence = deps.sentences()[index];
        if (sentence === undefined) {
          if (endSec <= now) finish();
          return;
        }
        const fromSec = last === undefined ? place.offsetSec : 0;
        const next = chosenOf(sentence);
        if (next === undefined) {
          request(index, sentence.id);
          return;
        }
        const sound = next.durationSec > 0 ? sounds.ready(next.id, rate) : undefined;
        if (next.durationSec > 0 && sound === undefined) {
          fetchFrom(index);
          return;
        }
        const startSec = Math.max(endSec, now + leadSec);
        queue.push({
          id: sentence.id,
          index,
          takeId: next.id,
          atSec: startSec,
          fromSec,
          untilSec: next.durationSec + sentence.pauseSec,
          node: sound && begin(sound, startSec, fromSec / rate),
        });
      }
    }

    function begin(
      sound: AudioBuffer,
      atSec: number,
      offsetSec: number,
    ): AudioBufferSourceNode | undefined {
      if (offsetSec >= sound.duration) return undefined;
      const node = context.createBufferSource();
      node.buffer = sound;
      node.connect(gain);
      node.start(atSec, offsetSec);
      return node;
    }

    /** The next few sounds, each once: what is there already would have us look again for ever. */
    function fetchFrom(index: number): void {
      for (const sentence of deps.sentences().slice(index, index + 3)) {
        const next = chosenOf(sentence);
        if (
          next === undefined ||
          next.durationSec === 0 ||
          fetching.has(next.id) ||
          sounds.ready(next.id, rate) !== undefined
        )
          continue;
        fetching.add(next.id);
        sounds
          .load(next.id, rate)
          .finally(() => fetching.delete(next.id))
          .then(() => isPlaying && fill(), failed);
      }
    }

    /** Once for a sentence: making it takes as long as it takes. */
    function request(index: number, id: string): void {
      if (asked === id) return;
      asked = id;
      deps.need(index).catch(failed);
    }

    function finish(): void {
      const { length } = deps.sentences();
      isPlaying = false;
      clearInterval(timer);
      queue = [];
      place = { id: undefined, index: length, offsetSec: 0 };
      tell();
      report({ isPlaying: false });
    }

    const playback: SentencePlayback = {
      async play() {
        if (isPlaying) return;
        const order = (orders += 1);
        await context.resume();
        if (indexOf(place) >= deps.sentences().length)
          place = { id: undefined, index: 0, offsetSec: 0 };
        const index = indexOf(place);
        const sentence = deps.sentences()[index];
        if (sentence === undefined) return;
        if (chosenOf(sentence) === undefined) {
          asked = sentence.id;
          await deps.need(index);
        }
        if (order !== orders) return;
        isPlaying = true;
        report({ isPlaying: true });
        clearInterval(timer);
        timer = setInterval(() => {
          fill();
          if (isPlaying) tell();
        }, beatMs);
        fill();
      },
      pause: stop,
      seek(sec) {
        const line = timeline();
        const index = indexAt(line, sec);
        if (index >= 0)
          moveTo({
            id: deps.sentences()[index]?.id,
            index,
            offsetSec: Math.max(0, sec - (line.starts[index] ?? 0)),
          });
      },
      setRate(next) {
        const at = current();
        rate = next;
        moveTo(at);
      },
      now: () => positionOf(current()),
      spokenId() {
        const at = current();
        return at.id ?? deps.sentences()[at.index]?.id;
      },
      isWaiting() {
        const last = queue.at(-1);
        return (
          isPlaying &&
          asked !== undefined &&
          (last === undefined ||
            last.atSec + (last.untilSec - last.fromSec) / rate <= context.currentTime)
        );
      },
      changed() {
        // What was queued of sentences that are other ones now is taken off the clock; what sounds goes on.
        const now = context.currentTime;
        const wrong = queue.findIndex((queued, at) => {
          if (queued.atSec <= now) return false;
          const sentence = deps.sentences()[indexOf(queued)];
          const before = queue[at - 1];
          return (
            sentence?.id !== queued.id ||
            chosenOf(sentence)?.id !== queued.takeId ||
            (before !== undefined && indexOf(before) + 1 !== indexOf(queued))
          );
        });
        if (wrong >= 0) {
          for (const { node } of queue.slice(wrong)) node?.stop();
          queue = queue.slice(0, wrong);
        }
        if (isPlaying) fill();
        else tell();
      },
      close() {
        orders += 1;
        isPlaying = false;
        clearInterval(timer);
        onCreated(undefined);
        void context.close();
      },
    };
    onCreated(playback);
    return playback;
  };
