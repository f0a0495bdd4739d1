// The transcriptions that wait and run: one file at a time, short ones beside it. What is heard is saved and announced
// as it comes; whatever ends the work, it goes on behind the last segment that was saved.

import { AppError } from '../../contract/errors.ts';
import type { Documents } from '../../library/documents.ts';
import type { Items } from '../../library/items.ts';
import type { Log } from '../../log.ts';
import type { StudioEvents } from '../events.ts';
import { type HearingDeps, type HeardNews, hearPart } from './hearing.ts';
import type { Media } from './media.ts';

export type QueueDeps = HearingDeps & { items: Items; documents: Documents; events: StudioEvents; media: Media; log: Log };

export type Queue = {
  /** Of an item with a source and a document. Nothing happens where it waits or runs already. */
  add(itemId: string): void;
  has(itemId: string): boolean;
  /** Ends the work on it, what was heard is kept. Resolves when it has ended. */
  cancel(itemId: string): Promise<void>;
  /** Ends the work on everything; it goes on at the next start. */
  close(): Promise<void>;
};

const shortSec = 60;
const mostBeside = 2;
const progressEveryMs = 500;
/** A pace from less is a guess. */
const paceAfterMs = 2000;

const cancelled = new Error('cancelled');
const gone = new Error('the item was removed');
const closed = new Error('the app closes');

export function createQueue(deps: QueueDeps): Queue {
  const { items, documents, events, media, log } = deps;
  let waiting: string[] = [];
  const running = new Map<string, { stop: AbortController; isShort: boolean; ended: Promise<void> }>();
  let isClosed = false;

  function schedule(): void {
    if (isClosed) return;
    for (const itemId of waiting) {
      const { durationSec = 0 } = items.find(itemId) ?? {};
      const isShort = durationSec > 0 && durationSec <= shortSec;
      const others = [...running.values()];
      const isFree = isShort ? others.length <= mostBeside : others.every((other) => other.isShort);
      if (!isFree) continue;
      waiting = waiting.filter((other) => other !== itemId);
      const stop = new AbortController();
      const ended = work(itemId, stop)
        .catch((error: unknown) => log.error({ itemId, err: error }, 'how a transcription ended could not be kept'))
        .finally(() => {
          running.delete(itemId);
          schedule();
        });
      running.set(itemId, { stop, isShort, ended });
    }
  }

  async function work(itemId: string, stop: AbortController): Promise<void> {
    // Whoever asked for it gets its answer first.
    await Promise.resolve();
    try {
      if (items.find(itemId) === undefined) return;
      await hear(itemId, stop);
    } catch (error) {
      const { reason } = stop.signal;
      if (reason === closed || items.find(itemId) === undefined) return;
      const isPartial = documents.readHead(itemId).segmentCount > 0;
      if (reason === cancelled) {
        items.change(itemId, { state: 'cancelled', leftSec: undefined, isPartial });
        return;
      }
      log.warn({ itemId, err: error }, 'a transcription failed');
      items.change(itemId, { state: 'failed', leftSec: undefined, isPartial, error: toldOf(error) });
    }
  }

  async function hear(itemId: string, stop: AbortController): Promise<void> {
    const head = documents.readHead(itemId);
    const { fromSec = 0, toSec, ...options } = head.options;
    const beginSec = Math.max(fromSec, head.heardSec, ...head.failed.map(({ endSec }) => endSec));
    const item = items.change(itemId, { state: 'running', error: undefined, leftSec: undefined });
    const mediaPath = await media.source(itemId);
    const channels = new Set(item.channels);
    const failed = [...head.failed];
    const spokenSec = new Map<string, number>();
    let language = head.language;
    const tellProgress = progressTeller(items, itemId, { fromSec, toSec, beginSec });

    const take = (news: HeardNews): void => {
      if (items.find(itemId) === undefined) {
        stop.abort(gone);
        throw gone;
      }
      if (news.channels.some((name) => !channels.has(name))) {
        for (const name of news.channels) channels.add(name);
        items.change(itemId, { channels: [...channels] });
      }
      for (const segment of news.segments) spokenSec.set(segment.language, (spokenSec.get(segment.language) ?? 0) + segment.endSec - segment.startSec);
      if (news.segments.length > 0) events.publish({ type: 'segments', itemId, segments: documents.appendSegments(itemId, news.segments) });
      if (news.failed.length > 0) {
        failed.push(...news.failed);
        documents.setHead(itemId, { failed });
      }
      language = mostSpoken(spokenSec) ?? news.language ?? language;
      tellProgress(news.heardSec);
    };

    // Nothing is left where the app ended between the last segment and the word that all is done.
    const isOver = beginSec >= Math.min(toSec ?? Infinity, item.durationSec || Infinity);
    if (!isOver) for await (const news of hearPart(deps, { mediaPath, options, fromSec: beginSec, toSec }, stop.signal)) take(news);
    const { durationSec } = items.read(itemId);
    documents.setHead(itemId, { language, durationSec });
    items.change(itemId, { state: 'done', progress: 1, leftSec: undefined, language, isPartial: failed.length > 0 });
  }

  return {
    add(itemId) {
      if (waiting.includes(itemId) || running.has(itemId)) return;
      waiting.push(itemId);
      schedule();
    },
    has: (itemId) => waiting.includes(itemId) || running.has(itemId),
    async cancel(itemId) {
      const job = running.get(itemId);
      job?.stop.abort(cancelled);
      await job?.ended;
      if (!waiting.includes(itemId)) return;
      waiting = waiting.filter((other) => other !== itemId);
      items.change(itemId, { state: 'cancelled', leftSec: undefined });
    },
    async close() {
      isClosed = true;
      for (const { stop } of running.values()) stop.abort(closed);
      await Promise.all([...running.values()].map(({ ended }) => ended));
    },
  };
}

/** Tells how far it is at most twice a second, and how long the rest will take at the pace since it began. */
function progressTeller(items: Items, itemId: string, { fromSec, toSec, beginSec }: { fromSec: number; toSec: number | undefined; beginSec: number }): (heardSec: number) => void {
  const begunMs = performance.now();
  let toldMs = -Infinity;
  return (heardSec) => {
    const nowMs = performance.now();
    const endSec = Math.min(toSec ?? Infinity, items.find(itemId)?.durationSec || Infinity);
    if (nowMs - toldMs < progressEveryMs || endSec === Infinity) return;
    toldMs = nowMs;
    const progress = Math.min(1, Math.max(0, (heardSec - fromSec) / (endSec - fromSec)));
    const isPaced = nowMs - begunMs > paceAfterMs && heardSec > beginSec;
    const leftSec = ((nowMs - begunMs) / 1000 / (heardSec - beginSec)) * Math.max(0, endSec - heardSec);
    items.progress(itemId, progress, isPaced ? Math.round(leftSec) : undefined);
  };
}

/** Of the languages that were told. */
function mostSpoken(spokenSec: ReadonlyMap<string, number>): string | undefined {
  return [...spokenSec].filter(([code]) => code !== '').reduce<[string, number] | undefined>((most, one) => (most === undefined || one[1] > most[1] ? one : most), undefined)?.[0];
}

/** One sentence for the person: what happened and what can be done. */
const toldOf = (error: unknown): string =>
  error instanceof AppError ? error.message : 'Something unexpected went wrong on this machine. What was heard is kept: try again, and it goes on from there.';
