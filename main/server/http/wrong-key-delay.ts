// Slows down whoever tries keys: wrong ones from an address are answered one after the other, each later than the one
// before, up to a limit. Right keys never come here. What waits and what is remembered is bounded: beyond that a wrong key
// gets no answer, and its connection ends.

import { isIPv6 } from "node:net";
import { setTimeout as pause } from "node:timers/promises";

export type WrongKeyPolicy = {
  /** Of the first wrong key; each further one doubles it. */
  firstDelayMs: number;
  maxDelayMs: number;
  /** An address without a wrong key for so long has one doubling less. */
  decayMs: number;
  maxAddresses: number;
  /** Answers that are held back at a time, in all and of one address. */
  maxWaiting: number;
  maxWaitingPerAddress: number;
};

const defaultPolicy: WrongKeyPolicy = {
  firstDelayMs: 100,
  maxDelayMs: 2000,
  decayMs: 10_000,
  maxAddresses: 1000,
  maxWaiting: 100,
  maxWaitingPerAddress: 16,
};

export type WrongKeyDelay = {
  /**
   * Resolves when a wrong key from there may be answered, or nobody waits for it any more.
   * @returns whether it may be answered: where too many wait already it may not, and the connection is to end
   */
  delay(remoteAddress: string, signal: AbortSignal): Promise<boolean>;
};

type Sender = {
  doublings: number;
  atMs: number;
  waiting: number;
  /** Resolves when the last one of those that wait was answered. */ lastDelay: Promise<void>;
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
  const { firstDelayMs, maxDelayMs, decayMs, maxAddresses, maxWaiting, maxWaitingPerAddress } = {
    ...defaultPolicy,
    ...policy,
  };
  const maxDoublings = Math.ceil(Math.log2(maxDelayMs / firstDelayMs));
  /** Ordered by last failure. */
  const senders = new Map<string, Sender>();
  let waiting = 0;

  /** Noted as the one that was wrong last. */
  function recordFailure(remoteAddress: string): Sender {
    const name = toSenderId(remoteAddress);
    const sender = senders.get(name) ?? {
      doublings: 0,
      atMs: now(),
      waiting: 0,
      lastDelay: Promise.resolve(),
    };
    sender.doublings = Math.max(0, sender.doublings - Math.floor((now() - sender.atMs) / decayMs));
    sender.atMs = now();
    senders.delete(name);
    senders.set(name, sender);
    const [oldest] = senders.keys();
    if (senders.size > maxAddresses && oldest !== undefined) senders.delete(oldest);
    return sender;
  }

  return {
    async delay(remoteAddress, signal) {
      const sender = recordFailure(remoteAddress);
      if (waiting >= maxWaiting || sender.waiting >= maxWaitingPerAddress) return false;
      const delayMs = Math.min(maxDelayMs, firstDelayMs * 2 ** sender.doublings);
      sender.doublings = Math.min(sender.doublings + 1, maxDoublings);
      waiting += 1;
      sender.waiting += 1;
      const previousDelay = sender.lastDelay;
      // The client disconnected.
      sender.lastDelay = previousDelay.then(() => wait(delayMs, signal)).catch(() => {});
      await sender.lastDelay;
      waiting -= 1;
      sender.waiting -= 1;
      return true;
    },
  };
}

/** One sender has a whole /64 of IPv6. */
export function toSenderId(remoteAddress: string): string {
  const mappedIpv4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(remoteAddress)?.[1];
  if (mappedIpv4 !== undefined) return mappedIpv4;
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
