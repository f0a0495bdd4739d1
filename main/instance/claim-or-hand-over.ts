// First step of a start and of a command: claims the data folder, or turns to the app that owns it.

import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { type IncomingMessage, request as httpRequest } from "node:http";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import { AppError } from "../contract/errors.ts";
import { mkdirSync } from "../storage/disk.ts";
import {
  type HandoverRequest,
  type HandoverResponse,
  handoverResponse,
  identityPath,
  openPath,
  type Rendezvous,
  rendezvousSchema,
  rendezvousName,
} from "./messages.ts";
import { claimDataFolder, identityProof, type Ownership } from "./ownership.ts";

export type Claim<Answer> =
  | { readonly type: "owner"; readonly ownership: Ownership }
  /** The running app answered. */
  | { readonly type: "answered"; readonly answer: Answer }
  /** Another process owns the folder but cannot be reached, for example in another container. */
  | { readonly type: "unreachable" };

type Timeouts = typeof defaultTimeouts;
/** By this time, an app that is starting accepts requests, and one that is stopping has released the folder. */
const defaultTimeouts = {
  silenceTimeoutMs: 12_000,
  /** If there is an address, but the process there does not know the secret. */ unreachableTimeoutMs: 2000,
};
const retryMs = 100;
const identityTimeoutMs = 2000;
const identityIntervalMs = 3000;

/** @throws the signal's reason; AppError if the running app rejects the request */
export const claimOrHandOver = (
  dataDir: string,
  request: HandoverRequest,
  signal: AbortSignal,
  timeouts = defaultTimeouts,
): Promise<Claim<HandoverResponse>> =>
  claimOrAsk(
    dataDir,
    (owner) => handOver(owner, request, signal, timeouts.silenceTimeoutMs),
    signal,
    timeouts,
  );

/** Finds the running app. @throws the signal's reason */
export const claimOrFind = (
  dataDir: string,
  signal: AbortSignal,
  timeouts = defaultTimeouts,
): Promise<Claim<Rendezvous>> => claimOrAsk(dataDir, async (owner) => owner, signal, timeouts);

/** @param ask receives an owner that proved its identity; undefined: it was lost meanwhile */
async function claimOrAsk<Answer>(
  dataDir: string,
  ask: (owner: Rendezvous) => Promise<Answer | undefined>,
  signal: AbortSignal,
  timeouts: Timeouts,
): Promise<Claim<Answer>> {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const startedMs = performance.now();
  let unreachableSinceMs: number | undefined;
  for (;;) {
    signal.throwIfAborted();
    const ownership = claimDataFolder(dataDir);
    if (ownership !== undefined) return { type: "owner", ownership };
    const owner = await readRendezvous(dataDir);
    const answer =
      owner !== undefined && (await isOwner(owner, signal)) ? await ask(owner) : undefined;
    if (answer !== undefined) return { type: "answered", answer };
    const nowMs = performance.now();
    unreachableSinceMs = owner === undefined ? undefined : (unreachableSinceMs ?? nowMs);
    if (
      nowMs - startedMs >= timeouts.silenceTimeoutMs ||
      nowMs - (unreachableSinceMs ?? Infinity) >= timeouts.unreachableTimeoutMs
    )
      return { type: "unreachable" };
    await pause(retryMs, undefined, { signal });
  }
}

/** @returns undefined if the owner no longer proves its identity */
async function handOver(
  owner: Rendezvous,
  request: HandoverRequest,
  signal: AbortSignal,
  silenceTimeoutMs: number,
): Promise<HandoverResponse | undefined> {
  const finished = new AbortController();
  const anySignal = AbortSignal.any([signal, finished.signal]);
  let response: { status: number; body: unknown };
  try {
    response = await Promise.race([
      postHandover(owner, request, anySignal),
      rejectWhenSilent(owner, silenceTimeoutMs, anySignal),
    ]);
  } catch {
    signal.throwIfAborted();
    // The owner exited, was replaced, or stopped.
    return undefined;
  } finally {
    finished.abort();
  }
  if (response.status === 401) return undefined;
  if (response.status !== 200)
    throw new AppError("app.handoverRefused", {
      why: String((response.body as { message?: unknown }).message),
    });
  return handoverResponse.parse(response.body);
}

async function postHandover(
  owner: Rendezvous,
  request: HandoverRequest,
  signal: AbortSignal,
): Promise<{ status: number; body: unknown }> {
  const response = await sendToOwner(
    owner,
    { method: "POST", path: openPath, body: JSON.stringify(request) },
    signal,
  );
  return { status: response.statusCode ?? 0, body: await json(response) };
}

/** Call it for an owner whose identity was just proved. No timeout, unlike `fetch`: some answers take minutes. */
export async function sendToOwner(
  { address, secret }: Rendezvous,
  { method, path, body }: { method: string; path: string; body?: string | undefined },
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const outgoing = httpRequest(new URL(path, address), {
    method,
    headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
    signal,
  });
  const responseEvent = once(outgoing, "response") as Promise<[IncomingMessage]>;
  // Later errors are thrown by reading the body.
  outgoing.on("error", () => {});
  outgoing.end(body);
  const [response] = await responseEvent;
  return response;
}

/**
 * A stopped process keeps its connections open. @throws if the owner has not proved its identity for
 * `silenceTimeoutMs`, or on the signal
 */
async function rejectWhenSilent(
  owner: Rendezvous,
  silenceTimeoutMs: number,
  signal: AbortSignal,
): Promise<never> {
  let lastProofMs = performance.now();
  do {
    await pause(Math.min(identityIntervalMs, silenceTimeoutMs), undefined, { signal });
    if (await isOwner(owner, signal)) lastProofMs = performance.now();
  } while (performance.now() - lastProofMs < silenceTimeoutMs);
  throw new Error("the owner is silent");
}

async function readRendezvous(dataDir: string): Promise<Rendezvous | undefined> {
  try {
    return rendezvousSchema.parse(
      JSON.parse(await readFile(join(dataDir, rendezvousName), "utf8")),
    );
  } catch {
    return undefined;
  }
}

/** In another container the port may belong to another program, which must not receive the secret. */
export async function isOwner(
  { address, secret }: Rendezvous,
  signal: AbortSignal,
): Promise<boolean> {
  const nonce = randomBytes(16).toString("hex");
  try {
    const response = await fetch(new URL(`${identityPath}?nonce=${nonce}`, address), {
      signal: AbortSignal.any([signal, AbortSignal.timeout(identityTimeoutMs)]),
    });
    return ((await response.json()) as { proof?: unknown }).proof === identityProof(secret, nonce);
  } catch {
    return false;
  }
}
