// What a request used and cost, kept when it has ended: one record a request, whoever asked for it.

import type { PriceTable } from '../contract/channels.ts';
import type { Transcript } from '../contract/speech.ts';
import type { UsageRecord } from '../contract/usage.ts';
import { costOf } from './pricing.ts';
import type { Served } from './router.ts';

/** Filled while a request is served. */
export type Metered = {
  /** Who asks: id of the key, or one of `ownCallers`. */
  readonly key: string;
  model: string;
  readonly served: Served;
  /** Channels that heard parts of it. */
  helpers: readonly string[];
  audioSec?: number | undefined;
  characters?: number | undefined;
  receivedBytes: number;
  sentBytes: number;
};

export type Meter = {
  readonly metered: Metered;
  /** Keeps the record; whatever comes later counts no more. */
  end(status: number): void;
};

export type MeteringDeps = { usage: { add(record: UsageRecord): void }; prices(): PriceTable; now?(): number };

export interface Metering {
  /** @param key id of the key, or one of `ownCallers` */
  start(key: string, endpoint: UsageRecord['endpoint']): Meter;
}

/** Seconds of a transcript that whoever served it heard: its helpers have records of their own. */
export const heardHereSec = ({ durationSec, helpers = [] }: Transcript): number => helpers.reduce((sum, { heardSec }) => sum - heardSec, durationSec);

/** The client left before its answer was whole; the number is nginx's. */
export const clientLeft = 499;

export function createMetering({ usage, prices, now = Date.now }: MeteringDeps): Metering {
  return {
    start(key, endpoint) {
      const atMs = now();
      const metered: Metered = { key, model: '', served: { attempts: 0 }, helpers: [], receivedBytes: 0, sentBytes: 0 };
      let ended = false;
      return {
        metered,
        end(status) {
          if (ended) return;
          ended = true;
          const { model, served, audioSec, characters, receivedBytes, sentBytes } = metered;
          const isPaid = served.isPaid ?? false;
          const kind = endpoint === 'speech' ? 'speak' : 'hear';
          // A failure is not paid for; what a client broke off may well be.
          const isDue = status < 400 || status === clientLeft;
          const cost = isDue && served.channel !== undefined ? costOf({ model: isPaid ? (served.model ?? model) : model, isPaid, kind, audioSec, characters }, prices()) : { spentUsd: 0, savedUsd: 0 };
          usage.add({
            atMs,
            key,
            endpoint,
            model,
            channel: served.channel ?? '',
            audioSec,
            characters,
            status,
            durationMs: Math.max(0, now() - atMs),
            receivedBytes,
            sentBytes,
            spentUsd: cost.spentUsd,
            savedUsd: cost.savedUsd,
          });
        },
      };
    },
  };
}
