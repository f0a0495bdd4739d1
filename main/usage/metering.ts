// What a request used and cost: reserved against its key's budget before anybody is asked, recorded when it has ended.
// One record a request, whoever asked for it, and one more for each earlier attempt that a provider may charge for.

import type { PriceTable } from "../contract/channels.ts";
import type { Transcript } from "../contract/speech.ts";
import type { UsageRecord } from "../contract/usage.ts";
import { type Budget, checkBudget, monthStartMs, unknownPrice } from "./budget.ts";
import { costOf, unitPrice } from "./pricing.ts";
import type { Admission, Asked, Served } from "./served.ts";

/** Filled while a request is served. */
export type Metered = {
  /** Who asks: id of the key, or one of `ownCallers`. */
  readonly key: string;
  model: string;
  readonly served: Served;
  /** Channels that heard parts of it. */
  helpers: readonly string[];
  audioSec?: number | undefined;
  /** Upper estimate that counts until the length of the audio is known. */
  expectedSec?: number;
  characters?: number | undefined;
  receivedBytes: number;
  sentBytes: number;
};

export type Meter = {
  readonly metered: Metered;
  /** Keeps the record; whatever comes later counts no more. */
  end(status: number): void;
};

export type Budgets = {
  /** Of the key with this id, also of one that was revoked meanwhile; undefined: it has none. */
  of(key: string): Budget | undefined;
  /** What the key has spent since then; with `countsLocal` what it saved too. */
  spentUsd(key: string, sinceMs: number, countsLocal: boolean): number;
};

export type MeteringDeps = {
  usage: { add(record: UsageRecord): void };
  prices(): PriceTable;
  /** Optional; default no budgets. */ budgets?: Budgets;
  now?(): number;
};

export interface Metering {
  /** @param key id of the key, or one of `ownCallers` */
  start(key: string, endpoint: UsageRecord["endpoint"]): Meter;
}

/** Seconds of a transcript that whoever served it heard: its helpers have records of their own. */
export const heardHereSec = ({ durationSec, helpers = [] }: Transcript): number =>
  helpers.reduce((sum, { heardSec }) => sum - heardSec, durationSec);

/** The client left before its answer was whole; the number is nginx's. */
export const clientLeft = 499;

/** Status in the record of an attempt that failed, and may be charged for, before another took over. */
const attemptFailed = 502;

type UnderWay = { readonly metered: Metered; readonly kind: "hear" | "speak" };

export function createMetering({ usage, prices, budgets, now = Date.now }: MeteringDeps): Metering {
  const underWay = new Set<UnderWay>();

  function cost(
    { metered: { model, characters }, kind }: UnderWay,
    asked: Asked,
    audioSec: number | undefined,
  ): { spentUsd?: number; savedUsd?: number } {
    const { isPaid } = asked;
    return costOf(
      { model: isPaid ? asked.model : model, isPaid, kind, audioSec, characters },
      prices(),
    );
  }

  /** What an unfinished request will have cost: all that its providers may charge, as far as can be told now. */
  function reservedUsd(one: UnderWay, countsLocal: boolean): number {
    const {
      served: { asked, charged = [] },
      audioSec = 0,
      expectedSec = 0,
    } = one.metered;
    const current =
      asked === undefined || asked.hasFailed
        ? []
        : [{ asked, sec: Math.max(asked.mediaSec ?? expectedSec, asked.heardSec ?? 0, audioSec) }];
    const earlier = charged
      .filter((attempt) => attempt !== asked)
      .map((attempt) => ({
        asked: attempt,
        sec: attempt.heardSec ?? attempt.mediaSec ?? expectedSec,
      }));
    return [...current, ...earlier].reduce((sum, attempt) => {
      const { spentUsd = 0, savedUsd = 0 } = cost(one, attempt.asked, attempt.sec);
      return sum + spentUsd + (countsLocal ? savedUsd : 0);
    }, 0);
  }

  function keepWithinBudget(
    { metered: { key } }: UnderWay,
    { usage: spending, budget }: { usage: Budgets; budget: Budget },
  ): void {
    const nowMs = now();
    const spentUsd = spending.spentUsd(key, monthStartMs(nowMs), budget.countsLocal);
    // Its own earlier attempts count as well.
    const reserved = [...underWay]
      .filter(({ metered }) => metered.key === key)
      .reduce((sum, one) => sum + reservedUsd(one, budget.countsLocal), 0);
    checkBudget(budget, { spentUsd, reservedUsd: reserved, nowMs });
  }

  /** Decides and reserves in one turn, so that requests at the same time see each other's reservations. */
  async function admit(
    own: UnderWay,
    asked: Asked,
    measureSec: (() => Promise<number>) | undefined,
  ): Promise<Admission> {
    const { metered, kind } = own;
    const price = asked.isPaid ? unitPrice({ model: asked.model, kind }, prices()) : undefined;
    const budget = budgets?.of(metered.key);
    if (budgets !== undefined && budget !== undefined) {
      if (asked.isPaid && price === undefined) throw unknownPrice(budget, asked.model, kind);
      if (budget.countsLocal || (price !== undefined && price.usd > 0)) {
        keepWithinBudget(own, { usage: budgets, budget });
        if (kind === "hear" && asked.isPaid && measureSec !== undefined) {
          asked.mediaSec = await measureSec();
          keepWithinBudget(own, { usage: budgets, budget });
        }
      }
    }
    metered.served.asked = asked;
    return { needsMadeSec: kind === "speak" && price?.unit === "minute" };
  }

  return {
    start(key, endpoint) {
      const atMs = now();
      const served: Served = {
        attempts: 0,
        admit: (asked, measureSec) => admit(own, asked, measureSec),
      };
      const metered: Metered = {
        key,
        model: "",
        served,
        helpers: [],
        receivedBytes: 0,
        sentBytes: 0,
      };
      const own: UnderWay = { metered, kind: endpoint === "speech" ? "speak" : "hear" };
      underWay.add(own);
      return {
        metered,
        end(status) {
          if (!underWay.delete(own)) return;
          const { model, expectedSec, characters, receivedBytes, sentBytes } = metered;
          const { asked, charged = [] } = served;
          const isPaid = asked?.isPaid ?? false;
          const isLeft = status === clientLeft;
          // What a provider was given is measured; else it is told by the answer, or expected where none came.
          const billedSec = isPaid
            ? (asked?.heardSec ?? asked?.mediaSec ?? metered.audioSec ?? expectedSec)
            : metered.audioSec;
          // What this machine failed at saved nothing. A provider may well charge for what failed or was broken off.
          const isDue =
            asked !== undefined && !asked.hasFailed && (isPaid || status < 400 || isLeft);
          const record = { atMs, key, endpoint, model, durationMs: Math.max(0, now() - atMs) };
          for (const attempt of charged) {
            if (attempt === asked) continue;
            const audioSec = attempt.heardSec ?? attempt.mediaSec ?? expectedSec;
            const { spentUsd, savedUsd } = cost(own, attempt, audioSec);
            usage.add({
              ...record,
              channel: attempt.channel,
              audioSec,
              characters,
              status: attemptFailed,
              receivedBytes: 0,
              sentBytes: 0,
              spentUsd,
              savedUsd,
            });
          }
          const { spentUsd, savedUsd } = isDue
            ? cost(own, asked, billedSec)
            : { spentUsd: 0, savedUsd: 0 };
          const audioSec = isLeft && isPaid ? billedSec : metered.audioSec;
          usage.add({
            ...record,
            channel: asked?.channel ?? "",
            audioSec,
            characters,
            status,
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
