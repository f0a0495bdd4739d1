// The sounds of takes, decoded, and brought to another speed where one is wanted. Keeps the last ones used: a book's
// sounds together would not fit.

import { readTake } from "../../../api/raw.ts";
import { stretched } from "./stretch.ts";

const maxKept = 48;
const nameOf = (takeId: string, rate: number): string => `${takeId} ${rate}`;

export type TakeSounds = {
  /** The sound where it is there already. */
  ready(takeId: string, rate: number): AudioBuffer | undefined;
  load(takeId: string, rate: number): Promise<AudioBuffer>;
};

export function createTakeSounds(itemId: string, context: BaseAudioContext): TakeSounds {
  const loading = new Map<string, Promise<AudioBuffer>>();
  const kept = new Map<string, AudioBuffer>();

  async function make(takeId: string, rate: number): Promise<AudioBuffer> {
    if (rate === 1) return context.decodeAudioData(await readTake(itemId, takeId));
    const sound = await load(takeId, 1);
    const samples = stretched(sound.getChannelData(0), rate, sound.sampleRate);
    const other = context.createBuffer(1, samples.length, sound.sampleRate);
    other.copyToChannel(samples, 0);
    return other;
  }

  function load(takeId: string, rate: number): Promise<AudioBuffer> {
    const name = nameOf(takeId, rate);
    const known = kept.get(name);
    if (known !== undefined) return Promise.resolve(known);
    const running = loading.get(name) ?? make(takeId, rate).finally(() => loading.delete(name));
    loading.set(name, running);
    return running.then((sound) => {
      kept.set(name, sound);
      for (const oldest of [...kept.keys()].slice(0, -maxKept)) kept.delete(oldest);
      return sound;
    });
  }

  return {
    ready(takeId, rate) {
      const name = nameOf(takeId, rate);
      const sound = kept.get(name);
      if (sound === undefined) return undefined;
      kept.delete(name);
      kept.set(name, sound);
      return sound;
    },
    load,
  };
}
