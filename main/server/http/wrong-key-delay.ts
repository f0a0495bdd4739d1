// Slows down whoever tries keys: wrong ones from an address are answered one after the other, each later than the one
// before, up to a limit. Right keys never come here. What waits and what is remembered is bounded: beyond that a wrong key
// gets no answer, and its connection ends.

import { isIPv6 } from "node:net";
import { setTimeout as pause } from "node:timers/promises";

export type WrongKeyPolicy = {
  /** Of the first wrong key; each further one doubles it. */
  firstMs: number;
  maxMs: number;
  /** An address without a wrong key for so long has one doubling less. */
  calmMs: number;
  maxAddresses: number;
  /** Answers that are held back at a time, in all and of one address. */
  maxWaiting: number;
  maxWaitingOfOne: number;
};

const defaultPolicy: WrongKeyPolicy = {
  firstMs: 100,
  maxMs: 2000,
  calmMs: 10_000,
  maxAddresses: 1000,
  maxWaiting: 100,
  maxWaitingOfOne: 16,
};

export type WrongKeyDelay = {
  /**
   * Resolves when a wrong key from there may be answered, or nobody waits for it any more.
   * @returns whether it may be answered: where too many wait already it may not, and the connection is to end
   */
  pass(remoteAddress: string, signal: AbortSignal): Promise<boolean>;
};

type Sender = {
  doublings: number;
  atMs: number;
  waiting: number;
  /** Resolves when the last one of those that wait was answered. */ last: Promise<void>;
};

export type Clock = {
  now(): number;
  /** Rejects where the signal ends it. */ wait(ms: number, signal: AbortSignal): Promise<void>;
};

const systemClock: Clock = {
  now: () => performance.now(),
  wait: (ms, signal) => pause(ms, undefined, { signal, ref: false }),
};

export function createWrongKeyDelay(
  policy: Partial<WrongKeyPolicy> = {},
  { now, wait }: Clock = systemClock,
): WrongKeyDelay {
  const { firstMs, maxMs, calmMs, maxAddresses, maxWaiting, maxWaitingOfOne } = {
    ...defaultPolicy,
    ...policy,
  };
  const maxDoublings = Math.ceil(Math.log2(maxMs / firstMs));
  /** Ordered by last failure. */
  const known = new Map<string, Sender>();
  let waiting = 0;

  /** Noted as the one that was wrong last. */
  function noted(remoteAddress: string): Sender {
    const name = senderOf(remoteAddress);
    const sender = known.get(name) ?? {
      doublings: 0,
      atMs: now(),
      waiting: 0,
      last: Promise.resolve(),
    };
    sender.doublings = Math.max(0, sender.doublings - Math.floor((now() - sender.atMs) / calmMs));
    sender.atMs = now();
    known.delete(name);
    known.set(name, sender);
    const [oldest] = known.keys();
    if (known.size > maxAddresses && oldest !== undefined) known.delete(oldest);
    return sender;
  }

  return {
    async pass(remoteAddress, signal) {
      const sender = noted(remoteAddress);
      if (waiting >= maxWaiting || sender.waiting >= maxWaitingOfOne) return false;
      const delayMs = Math.min(maxMs, firstMs * 2 ** sender.doublings);
      sender.doublings = Math.min(sender.doublings + 1, maxDoublings);
      waiting += 1;
      sender.waiting += 1;
      const before = sender.last;
      // The client disconnected.
      sender.last = before.then(() => wait(delayMs, signal)).catch(() => {});
      await sender.last;
      waiting -= 1;
      sender.waiting -= 1;
      return true;
    },
  };
}

/** One sender has a whole /64 of IPv6. */
export function senderOf(remoteAddress: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(remoteAddress)?.[1];
  if (mapped !== undefined) return mapped;
  const [address = ""] = remoteAddress.split("%");
  if (!isIPv6(address)) return remoteAddress;
  const [head = [], tail] = address
    .split("::")
    .map((part) => part.split(":").filter((group) => group !== ""));
  const groups =
    tail === undefined
      ? head
      : [...head, ...Array.from({ length: 8 - head.length - tail.length }, () => "0"), ...tail];
  return groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(":");
}
