// The player: one source at a time, for the player bar and the pages. The source brings its own playback (a media file,
// or sentences in sequence).

import { useLayoutEffect } from "react";
import { create } from "zustand";
import { ApiError, isAbort } from "../api/error.ts";

export type PlaybackReport = {
  positionSec?: number;
  durationSec?: number;
  isPlaying?: boolean;
  hasFailed?: boolean;
};
export type Playback = {
  play(): Promise<void>;
  pause(): void;
  seek(sec: number): void;
  /** 1 is the original speed. */
  setRate(rate: number): void;
  /** The exact position. */
  currentSec(): number;
  close(): void;
};
export type CreatePlayback = (report: (report: PlaybackReport) => void) => Playback;

export type PlayerSource = {
  /** The same id continues where it was: an item's id, or a name for a sample. */
  readonly id: string;
  readonly title: string;
  readonly createPlayback: CreatePlayback;
  readonly durationSec?: number;
  /** For the player bar; default: a plain line. */
  readonly peaks?: Uint8Array;
  /** Shown at the right: a voice, a speaker. */
  readonly speaker?: string | undefined;
  /** Page that shows it. */
  readonly path?: string;
};

type PlayerState = {
  source: PlayerSource | undefined;
  positionSec: number;
  durationSec: number;
  isPlaying: boolean;
  rate: number;
  /** A message, or `failed` if the audio itself cannot be played. */
  error: string | undefined;
  /** The source whose waveform the open page shows: the player bar does not show it once more. */
  pageWaveformId: string | undefined;
};

export const usePlayer = create<PlayerState>(() => ({
  source: undefined,
  positionSec: 0,
  durationSec: 0,
  isPlaying: false,
  rate: 1,
  error: undefined,
  pageWaveformId: undefined,
}));

let playback: Playback | undefined;

/** Loads a source, stopped at its start; closes the previous one. */
export function openInPlayer(source: PlayerSource): void {
  if (usePlayer.getState().source?.id === source.id) {
    usePlayer.setState({ source });
    return;
  }
  playback?.close();
  usePlayer.setState({
    source,
    positionSec: 0,
    durationSec: source.durationSec ?? 0,
    isPlaying: false,
    error: undefined,
  });
  let newPlayback: Playback | undefined;
  newPlayback = source.createPlayback(({ hasFailed, ...report }) => {
    // A closed playback may still report something.
    if (newPlayback !== undefined && newPlayback === playback)
      usePlayer.setState({ ...report, ...(hasFailed && { error: "failed" }) });
  });
  playback = newPlayback;
  playback.setRate(usePlayer.getState().rate);
}

export async function play(): Promise<void> {
  usePlayer.setState({ error: undefined });
  try {
    await playback?.play();
  } catch (error) {
    // Stopped before it started, or the browser requires a click first: in both cases the player just stays paused.
    if (isAbort(error) || (error instanceof DOMException && error.name === "NotAllowedError"))
      return;
    usePlayer.setState({
      isPlaying: false,
      error: error instanceof ApiError ? error.message : "failed",
    });
  }
}

export const pause = () => playback?.pause();
export const togglePlay = () => (usePlayer.getState().isPlaying ? pause() : void play());

/** Limited to the duration; takes effect at once, also while stopped. */
export function seek(sec: number): void {
  const { durationSec } = usePlayer.getState();
  const positionSec = Math.max(0, durationSec > 0 ? Math.min(sec, durationSec) : sec);
  playback?.seek(positionSec);
  usePlayer.setState({ positionSec });
}

/** Playback may be this much beyond the end of a range when it is reported; farther away, somebody went there. */
const maxOvershootSec = 0.5;
let stopWatching = (): void => undefined;

/** Plays a range and pauses at its end, unless somebody pauses or goes elsewhere before. */
export function playRange({ fromSec, toSec }: { fromSec: number; toSec: number }): void {
  stopWatching();
  seek(fromSec);
  stopWatching = usePlayer.subscribe(({ source, positionSec, isPlaying }, before) => {
    const hasLeft =
      source?.id !== before.source?.id ||
      (before.isPlaying && !isPlaying) ||
      positionSec < fromSec - maxOvershootSec ||
      positionSec > toSec + maxOvershootSec;
    if (!hasLeft && positionSec < toSec) return;
    stopWatching();
    if (!hasLeft) pause();
  });
  void play();
}

/** The player's buttons and keys skip by this. */
export const skipSec = 5;
export const skip = (bySec: number): void => seek(usePlayer.getState().positionSec + bySec);

/** The page shows the waveform of that source while the component is mounted. */
export function usePageWaveform(id: string): void {
  useLayoutEffect(() => {
    usePlayer.setState({ pageWaveformId: id });
    return () => usePlayer.setState({ pageWaveformId: undefined });
  }, [id]);
}

export const rates = [0.5, 0.75, 1, 1.25, 1.5, 1.75, 2, 3] as const;

export function setRate(rate: number): void {
  usePlayer.setState({ rate });
  playback?.setRate(rate);
}

/** The exact position, for what follows playback frame by frame. */
export const playerPositionSec = () => playback?.currentSec() ?? 0;

export function closePlayer(): void {
  playback?.close();
  playback = undefined;
  usePlayer.setState({
    source: undefined,
    positionSec: 0,
    durationSec: 0,
    isPlaying: false,
    error: undefined,
  });
}
