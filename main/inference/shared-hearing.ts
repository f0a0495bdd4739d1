// Deals the pieces of one long file out to the engines here and to helpers: the engines take them from the front,
// so that the first words come first; helpers take runs of neighbours from the back while the engines have their
// hands full. What a helper fails at, or still has when nothing else is left to do, is heard here.

import { join } from "node:path";
import type { PieceSpan } from "../audio/dsp/segments.ts";
import type { HelpedBy, TranscriptionJob } from "../contract/speech.ts";
import { hearElsewhere, type HearingHelper } from "./hearing-helper.ts";
import { maxPiecesTogether } from "./piece-groups.ts";
import { answerLater, type Heard, heardTogether, type PieceHearing } from "./piece-hearing.ts";

export type SharedHearing = {
  /** One answer a piece, in their order; waits while the language is being found out. */
  hear(pcmPath: string, pieces: readonly PieceSpan[]): Promise<Promise<Heard>[]>;
  /** Whether more pieces will come without those that are being heard being done first. */
  expectMore(isExpected: boolean): void;
  /** The helpers of which an answer was taken, and of how much sound. */
  served(): HelpedBy[];
  /** Settles once no helper's file is being written or read any more. To be called when `signal` is aborted. */
  ended(): Promise<void>;
};

export type SharedHearingOptions = {
  pieces: PieceHearing;
  poolSize: number;
  helpers: readonly HearingHelper[];
  job: TranscriptionJob;
  /** Of the file, as far as it is known now; `heardSec` is how much of it was listened to. */
  file: { readonly durationSec: number | undefined; readonly heardSec: number };
  /** What is known of it; `undefined` where helpers may find out. */
  language(): string | undefined;
  /** For the files that helpers are sent; its owner removes it. */
  folder: string;
  /** Ends the hearing of this file. */
  signal: AbortSignal;
  nowMs?(): number;
};

/** Shorter files are not worth anybody's network. */
const minSharedSec = 60;
/** The most a helper gets at once: what Whisper, and most that providers offer, hears in one window. */
const maxRunSec = 30;

type Item = {
  readonly place: number;
  readonly pcmPath: string;
  readonly piece: PieceSpan;
  readonly answer: PromiseWithResolvers<Heard>;
};
/** What was heard in how much time of those who heard it; nothing before the first answer. */
type Pace = { audioMs: number; tookMs: number };
type Asked = {
  readonly helper: HearingHelper;
  running: number;
  isGivenUp: boolean;
  readonly pace: Pace;
};
/** A run of neighbours that a helper has. It stays in the set until it is heard, there or here. */
type Share = {
  readonly asked: Asked;
  readonly items: readonly Item[];
  readonly abort: AbortController;
  isTakenBack: boolean;
};

export function createSharedHearing(options: SharedHearingOptions): SharedHearing {
  const { pieces, poolSize, job, file, folder, signal, nowMs = () => performance.now() } = options;
  const helpers = options.helpers.map((helper): Asked => ({
    helper,
    running: 0,
    isGivenUp: false,
    pace: { audioMs: 0, tookMs: 0 },
  }));
  const here: { running: number; readonly pace: Pace } = {
    running: 0,
    pace: { audioMs: 0, tookMs: 0 },
  };
  const shares = new Set<Share>();
  const asking = new Set<Promise<void>>();
  const servedSec = new Map<string, number>();
  /** In time order. */
  let waiting: Item[] = [];
  let dealt = 0;
  let asks = 0;
  let isMoreExpected = true;
  signal.addEventListener(
    "abort",
    () => {
      for (const { answer } of [...waiting, ...[...shares].flatMap(({ items }) => items)])
        answer.reject(signal.reason);
    },
    { once: true },
  );

  function deal(): void {
    if (signal.aborted) return;
    while (here.running < poolSize && waiting.length > 0) void hearHere(takeNext());
    for (const asked of helpers) {
      for (let run = lastRun(); isWorthAsking(asked, run); run = lastRun()) {
        take(run);
        const done: Promise<void> = ask(asked, run).finally(() => asking.delete(done));
        asking.add(done);
      }
    }
    for (let share = idleFor(); share !== undefined; share = idleFor()) void hearBack(share);
  }

  /** The pieces that are best heard together here, the first that waits among them. */
  function takeNext(): Item[] {
    const near = waiting
      .slice(0, 2 * maxPiecesTogether * poolSize)
      .filter(({ pcmPath }) => pcmPath === waiting[0]?.pcmPath);
    const [group = []] = pieces.groups(near.map(({ piece }) => piece));
    return take(near.filter(({ piece }) => group.includes(piece)));
  }

  function take(items: Item[]): Item[] {
    waiting = waiting.filter((item) => !items.includes(item));
    return items;
  }

  /** The last neighbours that wait: by the time their turn comes, a helper has had most time for them. */
  function lastRun(): Item[] {
    const run: Item[] = [];
    for (const item of waiting.toReversed()) {
      const [next] = run;
      const isNeighbour =
        next === undefined || (next.place === item.place + 1 && next.pcmPath === item.pcmPath);
      if (!isNeighbour || spanMs([item, ...run]) > maxRunSec * 1000) break;
      run.unshift(item);
    }
    return run;
  }

  /** A helper that would have its answer later than the engines here had heard all that is left is not asked. */
  function isWorthAsking(
    { helper, running, isGivenUp, pace }: Asked,
    run: readonly Item[],
  ): boolean {
    if (isGivenUp || run.length === 0 || running >= helper.width) return false;
    // One answer of each shows how fast they are.
    if (pace.audioMs === 0 || here.pace.audioMs === 0) return running === 0;
    const thereMs = (spanMs(run) * pace.tookMs) / pace.audioMs;
    const unlistenedMs = Math.max(0, (file.durationSec ?? 0) - file.heardSec) * 1000;
    const leftMs = waiting.reduce((sum, item) => sum + spanMs([item]), unlistenedMs);
    return thereMs <= (leftMs * here.pace.tookMs) / here.pace.audioMs / poolSize;
  }

  /** On the engines here. */
  async function hear(items: readonly Item[]): Promise<Heard[]> {
    here.running += 1;
    const begunMs = nowMs();
    try {
      const heard = await pieces.hear(
        items[0]?.pcmPath ?? "",
        items.map(({ piece }) => piece),
      );
      addTo(
        here.pace,
        items.reduce((sum, item) => sum + spanMs([item]), 0),
        nowMs() - begunMs,
      );
      return heard;
    } finally {
      here.running -= 1;
    }
  }

  async function hearHere(items: readonly Item[]): Promise<void> {
    try {
      const heard = await hear(items);
      for (const [index, { answer }] of items.entries()) answer.resolve(heard[index] as Heard);
    } catch (error) {
      for (const { answer } of items) answer.reject(error);
    }
    deal();
  }

  async function ask(asked: Asked, items: readonly Item[]): Promise<void> {
    const { helper } = asked;
    const share: Share = { asked, items, abort: new AbortController(), isTakenBack: false };
    shares.add(share);
    asked.running += 1;
    const begunMs = nowMs();
    try {
      const wavPath = join(folder, `share-${(asks += 1)}.wav`);
      const ending = AbortSignal.any([signal, share.abort.signal]);
      const segments = await hearElsewhere(
        helper,
        jobFor(options.language()),
        items[0]?.pcmPath ?? "",
        items.map(({ piece }) => piece),
        wavPath,
        ending,
      );
      // It may have been heard here meanwhile.
      if (shares.delete(share)) {
        addTo(asked.pace, spanMs(items), nowMs() - begunMs);
        servedSec.set(helper.name, (servedSec.get(helper.name) ?? 0) + spanMs(items) / 1000);
        for (const [index, { piece, answer }] of items.entries())
          answer.resolve({ untilSec: piece.endSec, segments: index === 0 ? segments : [] });
      }
    } catch {
      asked.isGivenUp = true;
      if (!share.isTakenBack && shares.delete(share))
        waiting = [...waiting, ...items].sort((one, other) => one.place - other.place);
    }
    asked.running -= 1;
    deal();
  }

  /** English speech is its own translation, and more providers transcribe than translate. */
  function jobFor(language: string | undefined): TranscriptionJob {
    return language === undefined
      ? job
      : { ...job, language, task: language === "en" ? "transcribe" : job.task };
  }

  /** What a helper still has, the first in time, when an engine here has nothing else to do. */
  function idleFor(): Share | undefined {
    if (here.running >= poolSize || isMoreExpected) return undefined;
    return [...shares]
      .filter(({ isTakenBack }) => !isTakenBack)
      .sort((one, other) => (one.items[0]?.place ?? 0) - (other.items[0]?.place ?? 0))[0];
  }

  /** Hears here what a helper still has. Who is done first has heard it: a helper that is not is given up. */
  async function hearBack(share: Share): Promise<void> {
    share.isTakenBack = true;
    const heard = new Map<Item, Heard>();
    try {
      await Promise.all(
        pieces.groups(share.items.map(({ piece }) => piece)).map(async (group) => {
          const items = share.items.filter(({ piece }) => group.includes(piece));
          for (const [index, one] of (await hear(items)).entries())
            heard.set(items[index] as Item, one);
          deal();
        }),
      );
      if (!shares.delete(share)) return;
      share.asked.isGivenUp = true;
      share.abort.abort();
      for (const item of share.items) item.answer.resolve(heard.get(item) as Heard);
    } catch (error) {
      if (!shares.delete(share)) return;
      share.abort.abort();
      for (const { answer } of share.items) answer.reject(error);
    }
  }

  return {
    async hear(pcmPath, found) {
      await pieces.settled();
      const isShared =
        helpers.length > 0 && Math.max(file.durationSec ?? 0, file.heardSec) > minSharedSec;
      if (!isShared || pieces.isFindingLanguage()) return heardTogether(pieces, pcmPath, found);
      const items = found.map((piece): Item => ({
        place: (dealt += 1),
        pcmPath,
        piece,
        answer: answerLater(),
      }));
      waiting.push(...items);
      deal();
      return items.map((item) => item.answer.promise);
    },
    expectMore(isExpected) {
      isMoreExpected = isExpected;
      deal();
    },
    served: () => Array.from(servedSec, ([channel, heardSec]) => ({ channel, heardSec })),
    async ended() {
      await Promise.all(asking);
    },
  };
}

/** From the first sample of the first to the last of the last. */
function spanMs(items: readonly Item[]): number {
  const [first, last] = [items[0], items.at(-1)];
  return first === undefined || last === undefined
    ? 0
    : (last.piece.toSec - first.piece.fromSec) * 1000;
}

function addTo(pace: Pace, audioMs: number, tookMs: number): void {
  pace.audioMs += audioMs;
  pace.tookMs += tookMs;
}
