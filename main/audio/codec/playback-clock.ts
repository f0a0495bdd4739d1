// Compares the timestamps of frames with the decoded length: a pause becomes silence, a restarted clock a new offset.

import { AV_NOPTS_VALUE } from "node-av/constants";
import type { FormatContext, Frame, Stream } from "node-av/lib";

type PlaybackClock = {
  /** Takes the next frame; returns the seconds of silence before it. */
  advance(frame: Frame): number;
};

/** A smaller jump in the timestamps is rounding; a larger one is a pause that players play as silence. */
const minGapSec = 0.05;
/** A larger jump is a broken or restarted clock, not a pause. */
const maxGapSec = 3600;

export function createPlaybackClock(input: FormatContext, stream: Stream): PlaybackClock {
  const { timeBase } = stream;
  /** The timestamp at which players start; a negative one is an encoder's padding, which the decoder removes. */
  let clockOffsetSec =
    input.startTime === AV_NOPTS_VALUE ? 0 : Math.max(0, toSeconds(input.startTime, microseconds));
  /** End of the decoded audio, in playback time. */
  let positionSec = 0;

  function pauseBeforeSec({ bestEffortTimestamp }: Frame): number {
    if (bestEffortTimestamp === AV_NOPTS_VALUE) return 0;
    const aheadSec = toSeconds(bestEffortTimestamp, timeBase) - clockOffsetSec - positionSec;
    if (aheadSec <= maxGapSec && aheadSec >= -minGapSec) return aheadSec > minGapSec ? aheadSec : 0;
    clockOffsetSec += aheadSec;
    return 0;
  }

  return {
    advance(frame) {
      const pauseSec = pauseBeforeSec(frame);
      positionSec += pauseSec;
      positionSec += frame.nbSamples / frame.sampleRate;
      return pauseSec;
    },
  };
}

/** From the container, or estimated by FFmpeg; undefined for a stream without an index. */
export function estimateDurationSec(input: FormatContext, stream: Stream): number | undefined {
  if (stream.duration > 0n) return toSeconds(stream.duration, stream.timeBase);
  return input.duration > 0n ? toSeconds(input.duration, microseconds) : undefined;
}

const microseconds = { num: 1, den: 1_000_000 };
const toSeconds = (ticks: bigint, base: { num: number; den: number }) =>
  (Number(ticks) * base.num) / base.den;
