// Decoded audio of takes, time-stretched if the rate is not 1. Keeps only the most recently used, because a whole book
// would not fit into memory.

import { readTake } from "../../../api/binary.ts";
import { timeStretch } from "./time-stretch.ts";

const maxCached = 48;
const cacheKey = (takeId: string, rate: number): string => `${takeId} ${rate}`;

export type TakeAudioCache = {
  /** The audio, if it is cached. */
  getCached(takeId: string, rate: number): AudioBuffer | undefined;
  load(takeId: string, rate: number): Promise<AudioBuffer>;
};

export function createTakeAudioCache(itemId: string, context: BaseAudioContext): TakeAudioCache {
  const loading = new Map<string, Promise<AudioBuffer>>();
  const cached = new Map<string, AudioBuffer>();

  async function decode(takeId: string, rate: number): Promise<AudioBuffer> {
    if (rate === 1) return context.decodeAudioData(await readTake(itemId, takeId));
    const audio = await load(takeId, 1);
    const samples = timeStretch(audio.getChannelData(0), rate, audio.sampleRate);
    const stretchedAudio = context.createBuffer(1, samples.length, audio.sampleRate);
    stretchedAudio.copyToChannel(samples, 0);
    return stretchedAudio;
  }

  function load(takeId: string, rate: number): Promise<AudioBuffer> {
    const key = cacheKey(takeId, rate);
    const cachedAudio = cached.get(key);
    if (cachedAudio !== undefined) return Promise.resolve(cachedAudio);
    const pending = loading.get(key) ?? decode(takeId, rate).finally(() => loading.delete(key));
    loading.set(key, pending);
    return pending.then((audio) => {
      cached.set(key, audio);
      for (const oldestKey of [...cached.keys()].slice(0, -maxCached)) cached.delete(oldestKey);
      return audio;
    });
  }

  return {
    getCached(takeId, rate) {
      const key = cacheKey(takeId, rate);
      const audio = cached.get(key);
      if (audio === undefined) return undefined;
      cached.delete(key);
      cached.set(key, audio);
      return audio;
    },
    load,
  };
}
