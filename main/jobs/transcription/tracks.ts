// The tracks of a recording, such as "me" and "others": channels of one file, each transcribed on its own, with the
// speaker it belongs to.

import type { DocumentOptions, TranscribeOptions } from "../../contract/transcript-document.ts";

type Tracks = DocumentOptions["tracks"];

/** The tracks tell who speaks. */
export function withTracks(options: TranscribeOptions, tracks: Tracks): DocumentOptions {
  if (tracks === undefined) return options;
  const { speakers: _, ...others } = options;
  return { ...others, tracks };
}

/** Adds to segments what is known from their track. */
export function labelTrack<Segment extends object>(
  segments: readonly Segment[],
  tracks: Tracks,
  track: number | undefined,
): readonly (Segment & { track?: number; speaker?: string })[] {
  const speaker = track === undefined ? undefined : tracks?.[track];
  if (track === undefined || speaker === undefined) return segments;
  return segments.map((segment) => ({ ...segment, track, speaker }));
}

/** Samples of one channel among those of several, 16-bit. */
export function pickChannel(pcm: Uint8Array, channel: number, channels: number): Uint8Array {
  if (channels === 1) return pcm;
  const frames = Math.floor(pcm.length / 2 / channels);
  const picked = new Uint8Array(frames * 2);
  for (let index = 0; index < frames; index += 1) {
    const at = (index * channels + channel) * 2;
    picked.set(pcm.subarray(at, at + 2), index * 2);
  }
  return picked;
}
