// Plays short audio: a voice's sample, one take, a word. One at a time; it pauses the narration.

import { create } from "zustand";
import { pause } from "../../../stores/player.ts";

/** Name of the clip that is playing, as passed to `playClip`. */
export const useClip = create<{ name: string | undefined; error: string | undefined }>(() => ({
  name: undefined,
  error: undefined,
}));

let currentAudio: HTMLAudioElement | undefined;

export function stopClip(): void {
  currentAudio?.pause();
  // Object URLs are used only here, so release them.
  if (currentAudio !== undefined) URL.revokeObjectURL(currentAudio.src);
  currentAudio = undefined;
  useClip.setState({ name: undefined });
}

/** Resolves when playback starts; a failure is in the store. */
export async function playClip(url: string, name: string): Promise<void> {
  pause();
  stopClip();
  const audio = new Audio(url);
  currentAudio = audio;
  useClip.setState({ name, error: undefined });
  const onEnded = (): void => {
    if (currentAudio === audio) stopClip();
  };
  audio.addEventListener("ended", onEnded);
  try {
    await audio.play();
  } catch {
    if (currentAudio !== audio) return;
    stopClip();
    useClip.setState({ error: name });
  }
}
