// The transcriptions that wait and run: one file at a time, short ones beside it. What is heard is saved and announced
// as it comes; whatever ends the work, it goes on behind the last segment that was saved, and what failed is tried anew.

import { AppError } from "../../contract/errors.ts";
import { parseLanguage } from "../../contract/languages.ts";
import type { Documents, HeardSegment } from "../../library/documents.ts";
import type { ItemPatch, Items } from "../../library/items.ts";
import type { Log } from "../../log.ts";
import type { PatientWrites } from "../../storage/patient-writes.ts";
import type { StudioEvents } from "../events.ts";
import { type HearingDeps, type HeardNews, hearPart } from "./hearing.ts";
import { lengthSec, openParts, type OpenPart } from "./open-parts.ts";
import type { Media } from "./media.ts";

export type QueueDeps = HearingDeps & {
  items: Items;
  documents: Documents;
  events: StudioEvents;
  media: Media;
  writes: PatientWrites;
  log: Log;
};

export type Queue = {
  /** Of an item with a source and a document. Nothing happens where it waits or runs already. */
  add(itemId: string): void;
  has(itemId: string): boolean;
  isRunning(itemId: string): boolean;
  /** Ends the work on it, what was heard is kept. Resolves when it has ended. */
  cancel(itemId: string): Promise<void>;
  /** Ends the work on everything; it goes on at the next start. */
  close(): Promise<void>;
};

const shortSec = 60;
const maxBeside = 2;
const progressEveryMs = 500;
/** A pace from less is a guess. */
const paceAfterMs = 2000;

const cancelled = new Error("cancelled");
const gone = new Error("the item was removed");
const closed = new Error("the app closes");

type Running = { stop: AbortController; isShort: boolean; ended: Promise<void> };

export function createQueue(deps: QueueDeps): Queue {
  const { items, documents, events, media, writes, log } = deps;
  let waiting: string[] = [];
  const running = new Map<string, Running>();
  let isClosed = false;

  function schedule(): void {
    if (isClosed) return;
    for (const itemId of waiting) {
      const durationSec = knownSec(itemId);
      const isShort = durationSec > 0 && durationSec <= shortSec;
      const others = [...running.values()];
      const isFree = isShort ? others.length <= maxBeside : others.every((other) => other.isShort);
      if (!isFree) continue;
      waiting = waiting.filter((other) => other !== itemId);
      const stop = new AbortController();
      running.set(itemId, {
        stop,
        isShort,
        ended: writes.labelled(itemId, () => run(itemId, stop)),
      });
    }
  }

  /** Its length only says whose turn it is. */
  function knownSec(itemId: string): number {
    try {
      return items.find(itemId)?.durationSec ?? 0;
    } catch {
      return 0;
    }
  }

  /** Never rejects. */
  async function run(itemId: string, stop: AbortController): Promise<void> {
    try {
      const outcome = await work(itemId, stop);
      if (outcome !== undefined) await writes.run(() => settle(itemId, outcome));
    } catch (error) {
      // At the next start the item is found as it was left.
      if (!isClosed)
        log.error({ itemId, err: error }, "how a transcription ended could not be kept");
    }
    running.delete(itemId);
    schedule();
  }

  /** No longer at work when that is told: whoever is told may ask for more at once. */
  function settle(itemId: string, outcome: ItemPatch): void {
    const job = running.get(itemId);
    running.delete(itemId);
    try {
      if (items.find(itemId) !== undefined) items.change(itemId, outcome);
    } catch (error) {
      if (job !== undefined) running.set(itemId, job);
      throw error;
    }
  }

  /** @returns how it ended; undefined where that is for nobody to know */
  async function work(itemId: string, stop: AbortController): Promise<ItemPatch | undefined> {
    // Whoever asked for it gets its answer first.
    await Promise.resolve();
    try {
      // Where the disk has no room for what hearing needs, it goes on from the last segment once there is some.
      return await writes.run(() => items.find(itemId) && hear(itemId, stop), stop.signal);
    } catch (error) {
      return await writes.run(() => outcomeOf(error, itemId, stop.signal));
    }
  }

  function outcomeOf(
    error: unknown,
    itemId: string,
    { reason }: AbortSignal,
  ): ItemPatch | undefined {
    if (isClosed || reason === closed || items.find(itemId) === undefined) return undefined;
    const isPartial = documents.readHead(itemId).segmentCount > 0;
    if (reason === cancelled) return { state: "cancelled", leftSec: undefined, isPartial };
    log.warn({ itemId, err: error }, "a transcription failed");
    return { state: "failed", leftSec: undefined, isPartial, error: toldOf(error) };
  }

  async function hear(itemId: string, stop: AbortController): Promise<ItemPatch> {
    const document = documents.read(itemId);
    const { fromSec, toSec, ...options } = document.options;
    const item = await writes.run(
      () => items.change(itemId, { state: "running", error: undefined, leftSec: undefined }),
      stop.signal,
    );
    const mediaPath = await media.source(itemId);
    // Also once it was cancelled: what was heard is kept.
    const keep = <T>(write: () => T): Promise<T> => writes.run(write);
    let failed = [...document.failed];
    const spokenSec = new Map<string, number>();
    let language = document.language;
    const parts = openParts(document, item.durationSec || undefined);
    const tellProgress = progressTeller(items, itemId, parts, { fromSec, toSec });

    const count = (segments: readonly HeardSegment[]): void => {
      for (const segment of segments)
        spokenSec.set(
          segment.language,
          (spokenSec.get(segment.language) ?? 0) + segment.endSec - segment.startSec,
        );
    };
    count(document.segments);

    /** What was heard is written before more is taken: where the disk takes nothing, so much waits in memory. */
    const take = async (news: HeardNews): Promise<void> => {
      if (items.find(itemId) === undefined) {
        stop.abort(gone);
        throw gone;
      }
      count(news.segments);
      if (news.segments.length > 0) {
        const segments = await keep(() => documents.appendSegments(itemId, news.segments));
        events.publish({ type: "segments", itemId, segments });
      }
      if (news.failed.length > 0) await setFailed([...failed, ...news.failed]);
      language = mostSpoken(spokenSec) ?? news.language ?? language;
      tellProgress(news.heardSec);
    };

    const onAsked = (channel: string): void => writes.later(() => items.givenTo(itemId, channel));

    function setFailed(now: typeof failed): Promise<void> {
      failed = now;
      return keep(() => documents.setHead(itemId, { failed }));
    }

    for (const part of parts) {
      // Which language it is, the rest of the sound tells better than a moment of it.
      const known = part.failed === undefined ? undefined : parseLanguage(document.language);
      for await (const news of hearPart(
        deps,
        {
          mediaPath,
          options: { ...options, language: options.language ?? known },
          fromSec: part.fromSec,
          toSec: part.toSec,
          onAsked,
        },
        stop.signal,
      ))
        await take(news);
      // Where it failed again, it is in the list anew.
      if (part.failed !== undefined)
        await setFailed(failed.filter((stretch) => stretch !== part.failed));
    }
    const { durationSec } = items.read(itemId);
    // Where nothing was said, engines name a language all the same.
    if (spokenSec.size === 0) language = "";
    await keep(() => documents.setHead(itemId, { language, durationSec }));
    return {
      state: "done",
      progress: 1,
      leftSec: undefined,
      language,
      isPartial: failed.length > 0,
    };
  }

  return {
    add(itemId) {
      if (waiting.includes(itemId) || running.has(itemId)) return;
      waiting.push(itemId);
      schedule();
    },
    has: (itemId) => waiting.includes(itemId) || running.has(itemId),
    isRunning: (itemId) => running.has(itemId),
    async cancel(itemId) {
      const job = running.get(itemId);
      job?.stop.abort(cancelled);
      if (job !== undefined) await writes.orTrouble(itemId, job.ended);
      if (!waiting.includes(itemId)) return;
      items.change(itemId, { state: "cancelled", leftSec: undefined });
      waiting = waiting.filter((other) => other !== itemId);
    },
    async close() {
      isClosed = true;
      for (const { stop } of running.values()) stop.abort(closed);
      await Promise.all([...running.values()].map(({ ended }) => ended));
    },
  };
}

/** Tells how far it is at most twice a second, and how long the rest will take at the pace since it began. */
function progressTeller(
  items: Items,
  itemId: string,
  parts: readonly OpenPart[],
  { fromSec = 0, toSec }: { fromSec: number | undefined; toSec: number | undefined },
): (heardSec: number) => void {
  const begunMs = performance.now();
  let toldMs = -Infinity;
  return (heardSec) => {
    const nowMs = performance.now();
    const endSec = Math.min(toSec ?? Infinity, items.find(itemId)?.durationSec || Infinity);
    if (nowMs - toldMs < progressEveryMs || endSec === Infinity) return;
    toldMs = nowMs;
    const openSec = lengthSec(parts, endSec);
    const doneSec = lengthSec(parts, endSec, heardSec);
    // Where only what failed is heard again, that is the whole of the work.
    const beforeSec = parts.some(({ failed }) => failed === undefined)
      ? Math.max(0, endSec - fromSec - openSec)
      : 0;
    const progress = Math.min(1, Math.max(0, (beforeSec + doneSec) / (beforeSec + openSec)));
    const isPaced = nowMs - begunMs > paceAfterMs && doneSec > 0;
    const leftSec = ((nowMs - begunMs) / 1000 / doneSec) * Math.max(0, openSec - doneSec);
    items.progress(itemId, progress, isPaced ? Math.round(leftSec) : undefined);
  };
}

/** Of the languages that were told. */
function mostSpoken(spokenSec: ReadonlyMap<string, number>): string | undefined {
  return [...spokenSec]
    .filter(([code]) => code !== "")
    .reduce<[string, number] | undefined>(
      (most, one) => (most === undefined || one[1] > most[1] ? one : most),
      undefined,
    )?.[0];
}

/** One sentence for the person: what happened and what can be done. */
const toldOf = (error: unknown): string =>
  error instanceof AppError
    ? error.message
    : "Something unexpected went wrong on this machine. What was heard is kept: try again, and it goes on from there.";
