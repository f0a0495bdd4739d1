// Slows down guessing of keys: responses to wrong keys of one address are sent one after the other, each with a longer
// delay, up to a limit. Right keys are never delayed. Waiting and remembered senders are limited; beyond that, a wrong
// key gets no response and its connection is closed.

import { isIPv6 } from "node:net";
import { setTimeout as pause } from "node:timers/promises";

export type WrongKeyPolicy = {
  /** For the first wrong key; doubles with each further one. */
  firstDelayMs: number;
  maxDelayMs: number;
  /** After each such time without a wrong key, an address loses one doubling. */
  decayMs: number;
  maxAddresses: number;
  /** Responses waiting at a time, in total and per address. */
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
   * Resolves when the response to a wrong key may be sent, or the client disconnected.
   * @returns false if too many are waiting: close the connection without a response
   */
  delay(remoteAddress: string, signal: AbortSignal): Promise<boolean>;
};

type Sender = {
  doublings: number;
  atMs: number;
  waiting: number;
  /** Resolves when the latest waiting response may be sent. */
  lastDelay: Promise<void>;
};

export type Clock = {
  now(): number;
  /** Rejects when the signal is aborted. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
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

  /** Moves the sender to the end of the map, since it failed last. */
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

/** A sender may own a whole /64 of IPv6. */
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
