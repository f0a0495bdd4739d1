// What is played, for the bar along the bottom and for the pages. One thing at a time; how it sounds is the matter of
// the playback the source brings (a media file, sentences one after the other).

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
  /** 1 is as recorded. */
  setRate(rate: number): void;
  /** Where it is, exactly, in seconds. */
  currentSec(): number;
  close(): void;
};
export type CreatePlayback = (report: (report: PlaybackReport) => void) => Playback;

export type PlayerSource = {
  /** The same id again goes on where it was: an item's id, or a name for a sample. */
  readonly id: string;
  readonly title: string;
  readonly createPlayback: CreatePlayback;
  readonly durationSec?: number;
  /** For the strip; default a plain line. */
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
  /** A sentence, or `failed` where the sound itself is the matter. */
  error: string | undefined;
};

export const usePlayer = create<PlayerState>(() => ({
  source: undefined,
  positionSec: 0,
  durationSec: 0,
  isPlaying: false,
  rate: 1,
  error: undefined,
}));

let playback: Playback | undefined;

/** Makes it the thing that is played, stopped at its beginning; what was played before is closed. */
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
    // A playback that was closed may still have something to say.
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
    // Stopped before it began, or the browser wants a press first: both leave it paused, as is seen.
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

/** Within what there is; takes effect at once, also while stopped. */
export function seek(sec: number): void {
  const { durationSec } = usePlayer.getState();
  const positionSec = Math.max(0, durationSec > 0 ? Math.min(sec, durationSec) : sec);
  playback?.seek(positionSec);
  usePlayer.setState({ positionSec });
}

export const rates = [0.5, 0.75, 1, 1.25, 1.5, 1.75, 2, 3] as const;

export function setRate(rate: number): void {
  usePlayer.setState({ rate });
  playback?.setRate(rate);
}

/** Where it is, exactly: for what follows the sound frame by frame. */
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
