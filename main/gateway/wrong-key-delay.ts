// Slows down whoever tries keys: each wrong one from an address is answered later than the one before, up to a limit.
// Right keys never come here. What waits and what is remembered is bounded: beyond that a wrong key is answered at once.

import { isIPv6 } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

export type WrongKeyPolicy = {
  /** Of the first wrong key; each further one doubles it. */
  firstMs: number;
  maxMs: number;
  /** An address without a wrong key for so long has one doubling less. */
  calmMs: number;
  maxAddresses: number;
  /** Answers that are held back at a time. */
  maxWaiting: number;
};

const defaultPolicy: WrongKeyPolicy = { firstMs: 100, maxMs: 2000, calmMs: 10_000, maxAddresses: 1000, maxWaiting: 100 };

export type WrongKeyDelay = {
  /** Resolves when a wrong key from there may be answered, or nobody waits for it any more. */
  pass(remoteAddress: string, signal: AbortSignal): Promise<void>;
};

export type Clock = { now(): number; /** Rejects where the signal ends it. */ wait(ms: number, signal: AbortSignal): Promise<void> };

const systemClock: Clock = { now: () => performance.now(), wait: (ms, signal) => pause(ms, undefined, { signal, ref: false }) };

export function createWrongKeyDelay(policy: Partial<WrongKeyPolicy> = {}, { now, wait }: Clock = systemClock): WrongKeyDelay {
  const { firstMs, maxMs, calmMs, maxAddresses, maxWaiting } = { ...defaultPolicy, ...policy };
  const maxDoublings = Math.ceil(Math.log2(maxMs / firstMs));
  /** The one that was wrong last comes last. */
  const known = new Map<string, { doublings: number; atMs: number }>();
  let waiting = 0;

  function nextDelayMs(remoteAddress: string): number {
    const sender = senderOf(remoteAddress);
    const before = known.get(sender);
    const calmSteps = before === undefined ? 0 : Math.floor((now() - before.atMs) / calmMs);
    const doublings = before === undefined ? 0 : Math.max(0, before.doublings - calmSteps);
    known.delete(sender);
    known.set(sender, { doublings: Math.min(doublings + 1, maxDoublings), atMs: now() });
    const [oldest] = known.keys();
    if (known.size > maxAddresses && oldest !== undefined) known.delete(oldest);
    return Math.min(maxMs, firstMs * 2 ** doublings);
  }

  return {
    async pass(remoteAddress, signal) {
      const delayMs = nextDelayMs(remoteAddress);
      if (waiting >= maxWaiting) return;
      waiting += 1;
      // Given up: there is nobody to answer.
      await wait(delayMs, signal).catch(() => {});
      waiting -= 1;
    },
  };
}

/** One sender has a whole /64 of IPv6. */
export function senderOf(remoteAddress: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(remoteAddress)?.[1];
  if (mapped !== undefined) return mapped;
  const [address = ''] = remoteAddress.split('%');
  if (!isIPv6(address)) return remoteAddress;
  const [head = [], tail] = address.split('::').map((part) => part.split(':').filter((group) => group !== ''));
  const groups = tail === undefined ? head : [...head, ...Array.from({ length: 8 - head.length - tail.length }, () => '0'), ...tail];
  return groups.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16)).join(':');
}
