// Sentences scheduled one after the other on the audio clock, and the position that is audible.

import type { PlaybackPosition } from "./sentence-positions.ts";

const fadeSec = 0.01;
/** Delay between scheduling audio and its first sample. */
const startLatencySec = 0.03;

/** A sentence scheduled on the audio clock. */
export type ScheduledSentence = {
  readonly id: string;
  readonly index: number;
  readonly takeId: string;
  readonly clockSec: number;
  readonly startOffsetSec: number;
  /** Includes the pause after the sentence. */
  readonly endOffsetSec: number;
  readonly gainDb: number;
  readonly node: AudioBufferSourceNode | undefined;
};
export type AudioSchedule = ReturnType<typeof createAudioSchedule>;

export function createAudioSchedule(context: AudioContext) {
  let gain = createGain();
  let queue: ScheduledSentence[] = [];
  let restPosition: PlaybackPosition = { id: undefined, index: 0, offsetSec: 0 };
  let rate = 1;

  function createGain(): GainNode {
    const node = context.createGain();
    node.connect(context.destination);
    return node;
  }

  /** The position that is audible now, or where playback rests. */
  function position(): PlaybackPosition {
    const now = context.currentTime;
    const playing = queue.findLast(({ clockSec }) => clockSec <= now);
    if (playing === undefined) return restPosition;
    const offsetSec = Math.min(
      playing.endOffsetSec,
      playing.startOffsetSec + (now - playing.clockSec) * rate,
    );
    return { id: playing.id, index: playing.index, offsetSec };
  }

  /** When the last scheduled sentence ends on the audio clock; undefined if there is none. */
  function endSec(): number | undefined {
    const last = queue.at(-1);
    return last && last.clockSec + (last.endOffsetSec - last.startOffsetSec) / rate;
  }

  return {
    position,
    endSec,
    now: (): number => context.currentTime,
    last: (): ScheduledSentence | undefined => queue.at(-1),
    rate: (): number => rate,
    /** For audio scheduled from now on; call `restAt` too. */
    setRate: (next: number): void => void (rate = next),
    /** Drops what is scheduled; playback rests at `next`. */
    restAt(next: PlaybackPosition): void {
      const { currentTime } = context;
      gain.gain.setTargetAtTime(0, currentTime, fadeSec / 3);
      for (const { node } of queue) node?.stop(currentTime + fadeSec);
      queue = [];
      gain = createGain();
      restPosition = next;
    },
    /** Everything was played; the audio needs no fade. */
    finishAt(next: PlaybackPosition): void {
      queue = [];
      restPosition = next;
    },
    dropPlayed(): void {
      const now = context.currentTime;
      const audible = position();
      queue = queue.filter(
        ({ clockSec }, index) =>
          clockSec > now ||
          queue[index + 1] === undefined ||
          (queue[index + 1]?.clockSec ?? 0) > now,
      );
      if (queue.length > 0) restPosition = audible;
    },
    /** Schedules a sentence after the last one; `audio` is undefined for a sentence without sound. */
    append(
      sentence: Omit<ScheduledSentence, "clockSec" | "node">,
      audio: AudioBuffer | undefined,
    ): void {
      const now = context.currentTime;
      const clockSec = Math.max(endSec() ?? now, now + startLatencySec);
      const offsetSec = sentence.startOffsetSec / rate;
      const output = withGain(context, gain, sentence.gainDb);
      const node = audio && startNode({ context, output }, audio, clockSec, offsetSec);
      queue.push({ ...sentence, clockSec, node });
    },
    /** Drops the first outdated sentence that is not audible yet, and all after it. */
    dropOutdated(
      isOutdated: (
        scheduled: ScheduledSentence,
        previous: ScheduledSentence | undefined,
      ) => boolean,
    ): void {
      const now = context.currentTime;
      const firstOutdated = queue.findIndex(
        (scheduled, at) => scheduled.clockSec > now && isOutdated(scheduled, queue[at - 1]),
      );
      if (firstOutdated < 0) return;
      for (const { node } of queue.slice(firstOutdated)) node?.stop();
      queue = queue.slice(0, firstOutdated);
    },
  };
}

/** Where a sentence of this loudness is connected. */
function withGain(context: AudioContext, output: GainNode, gainDb: number): GainNode {
  if (gainDb === 0) return output;
  const node = context.createGain();
  node.gain.value = 10 ** (gainDb / 20);
  node.connect(output);
  return node;
}

function startNode(
  { context, output }: { context: AudioContext; output: GainNode },
  audio: AudioBuffer,
  clockSec: number,
  offsetSec: number,
): AudioBufferSourceNode | undefined {
  if (offsetSec >= audio.duration) return undefined;
  const node = context.createBufferSource();
  node.buffer = audio;
  node.connect(output);
  node.start(clockSec, offsetSec);
  return node;
}
