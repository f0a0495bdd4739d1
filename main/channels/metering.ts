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
  /** Rather too much than too little: what counts until it is known how much sound it is. */
  expectedSec?: number;
  characters?: number | undefined;
  receivedBytes: number;
  sentBytes: number;
};

export type Meter = {
  readonly metered: Metered;
  /** What the other requests of the same key that are under way here will cost, in US dollars; with `countsLocal` what they save too. */
  othersUsd(countsLocal: boolean): number;
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
  type UnderWay = { readonly metered: Metered; readonly kind: 'hear' | 'speak' };
  const underWay = new Set<UnderWay>();

  const cost = ({ metered: { model, served: { asked }, characters }, kind }: UnderWay, isPaid: boolean, audioSec: number | undefined) =>
    costOf({ model: isPaid ? (asked?.model ?? model) : model, isPaid, kind, audioSec, characters }, prices());

  /** As if a provider were paid for it until it is known who is asked. */
  function expectedUsd(one: UnderWay, countsLocal: boolean): number {
    const { served: { asked }, audioSec, expectedSec } = one.metered;
    const { spentUsd = 0, savedUsd = 0 } = cost(one, asked?.isPaid ?? true, expectedSec ?? audioSec);
    return countsLocal ? spentUsd + savedUsd : spentUsd;
  }

  return {
    start(key, endpoint) {
      const atMs = now();
      const metered: Metered = { key, model: '', served: { attempts: 0 }, helpers: [], receivedBytes: 0, sentBytes: 0 };
      const own: UnderWay = { metered, kind: endpoint === 'speech' ? 'speak' : 'hear' };
      underWay.add(own);
      return {
        metered,
        othersUsd: (countsLocal) => [...underWay].reduce((sum, one) => (one === own || one.metered.key !== key ? sum : sum + expectedUsd(one, countsLocal)), 0),
        end(status) {
          if (!underWay.delete(own)) return;
          const { model, served: { asked }, expectedSec, characters, receivedBytes, sentBytes } = metered;
          const isPaid = asked?.isPaid ?? false;
          const isLeft = status === clientLeft;
          // A provider was given the whole file, and will be paid for all of it.
          const audioSec = isLeft && isPaid ? (asked?.mediaSec ?? metered.audioSec ?? expectedSec) : metered.audioSec;
          // A failure is not paid for; what a client broke off may well be.
          const isDue = asked !== undefined && !asked.hasFailed && (status < 400 || isLeft);
          const { spentUsd, savedUsd } = isDue ? cost(own, isPaid, audioSec) : { spentUsd: 0, savedUsd: 0 };
          usage.add({
            atMs,
            key,
            endpoint,
            model,
            channel: asked?.channel ?? '',
            audioSec,
            characters,
            status,
            durationMs: Math.max(0, now() - atMs),
            receivedBytes,
            sentBytes,
            spentUsd,
            savedUsd,
          });
        },
      };
    },
  };
}
