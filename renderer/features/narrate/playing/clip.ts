// A short sound beside the narration: a voice's sample, one take, a word. One at a time; the narration stops for it.

import { create } from "zustand";
import { pause } from "../../../stores/player.ts";

/** Which one sounds, by the name it was started under. */
export const useClip = create<{ name: string | undefined; error: string | undefined }>(() => ({
  name: undefined,
  error: undefined,
}));

let element: HTMLAudioElement | undefined;

export function stopClip(): void {
  element?.pause();
  // Of a sound made in this page nobody else knows.
  if (element !== undefined) URL.revokeObjectURL(element.src);
  element = undefined;
  useClip.setState({ name: undefined });
}

/** Resolves when it sounds; a failure is in the store. */
export async function playClip(address: string, name: string): Promise<void> {
  pause();
  stopClip();
  const own = new Audio(address);
  element = own;
  useClip.setState({ name, error: undefined });
  const ended = (): void => {
    if (element === own) stopClip();
  };
  own.addEventListener("ended", ended);
  try {
    await own.play();
  } catch {
    if (element !== own) return;
    stopClip();
    useClip.setState({ error: name });
  }
}
