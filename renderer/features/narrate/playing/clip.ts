// A short sound beside the narration: a voice's sample, one take, a word. One at a time; the narration stops for it.

import { create } from "zustand";
import { pause } from "../../../stores/player.ts";

/** Which one sounds, by the name it was started under. */
export const useClip = create<{ name: string | undefined; error: string | undefined }>(() => ({
  name: undefined,
  error: undefined,
}));

let currentAudio: HTMLAudioElement | undefined;

export function stopClip(): void {
  currentAudio?.pause();
  // Of a sound made in this page nobody else knows.
  if (currentAudio !== undefined) URL.revokeObjectURL(currentAudio.src);
  currentAudio = undefined;
  useClip.setState({ name: undefined });
}

/** Resolves when it sounds; a failure is in the store. */
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
