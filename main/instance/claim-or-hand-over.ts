// How a start of the app begins: it owns the data folder, or hands its request to the app that does.

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
  type Handover,
  type HandoverAnswer,
  handoverAnswer,
  identityPath,
  openPath,
  type Rendezvous,
  rendezvous,
  rendezvousName,
} from "./messages.ts";
import { claimDataFolder, identityProof, type Ownership } from "./ownership.ts";

export type Claim =
  | { readonly type: "owner"; readonly ownership: Ownership }
  /** The running app took the request. */
  | { readonly type: "handed-over"; readonly answer: HandoverAnswer }
  /** Another process owns the folder and cannot be asked, as from another container. */
  | { readonly type: "unreachable" };

/** An app that just starts takes requests after this time, and one that ends has let go of the folder. */
const defaultPatience = {
  silentMs: 12_000,
  /** Where there is an address, at which nobody answers who knows the secret. */ unreachableMs: 2000,
};
const retryMs = 100;
const identityLimitMs = 2000;
const identityEveryMs = 3000;

/** @throws the signal's reason; AppError where the running app cannot do what is asked */
export async function claimOrHandOver(
  dataDir: string,
  request: Handover,
  signal: AbortSignal,
  patience = defaultPatience,
): Promise<Claim> {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const begunMs = performance.now();
  let unreachableSinceMs: number | undefined;
  for (;;) {
    signal.throwIfAborted();
    const ownership = claimDataFolder(dataDir);
    if (ownership !== undefined) return { type: "owner", ownership };
    const owner = await readRendezvous(dataDir);
    const answer =
      owner === undefined ? undefined : await ask(owner, request, signal, patience.silentMs);
    if (answer !== undefined) return { type: "handed-over", answer };
    const nowMs = performance.now();
    unreachableSinceMs = owner === undefined ? undefined : (unreachableSinceMs ?? nowMs);
    if (
      nowMs - begunMs >= patience.silentMs ||
      nowMs - (unreachableSinceMs ?? Infinity) >= patience.unreachableMs
    )
      return { type: "unreachable" };
    await pause(retryMs, undefined, { signal });
  }
}

/** @returns undefined if the owner did not prove its identity, or no longer does */
async function ask(
  owner: Rendezvous,
  request: Handover,
  signal: AbortSignal,
  silentMs: number,
): Promise<HandoverAnswer | undefined> {
  if (!(await isOwner(owner, signal))) return undefined;
  const done = new AbortController();
  const both = AbortSignal.any([signal, done.signal]);
  let answer: { status: number; body: unknown };
  try {
    answer = await Promise.race([post(owner, request, both), silence(owner, silentMs, both)]);
  } catch {
    signal.throwIfAborted();
    // The owner exited, was replaced, or stopped.
    return undefined;
  } finally {
    done.abort();
  }
  if (answer.status === 401) return undefined;
  if (answer.status !== 200)
    throw new AppError(
      "internal",
      `The Hearsay that is running could not take the request: ${String((answer.body as { message?: unknown }).message)}.`,
    );
  return handoverAnswer.parse(answer.body);
}

/** Without a limit, which `fetch` has: large files are copied before it answers. */
async function post(
  { address, secret }: Rendezvous,
  request: Handover,
  signal: AbortSignal,
): Promise<{ status: number; body: unknown }> {
  const asked = httpRequest(new URL(openPath, address), {
    method: "POST",
    headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
    signal,
  });
  const answered = once(asked, "response") as Promise<[IncomingMessage]>;
  // What breaks off later is told by the body.
  asked.on("error", () => {});
  asked.end(JSON.stringify(request));
  const [response] = await answered;
  return { status: response.statusCode ?? 0, body: await json(response) };
}

/** A process that is stopped keeps its connections. @throws when the owner has not proved its identity for so long, or at the signal */
async function silence(owner: Rendezvous, silentMs: number, signal: AbortSignal): Promise<never> {
  let heardMs = performance.now();
  do {
    await pause(Math.min(identityEveryMs, silentMs), undefined, { signal });
    if (await isOwner(owner, signal)) heardMs = performance.now();
  } while (performance.now() - heardMs < silentMs);
  throw new Error("the owner is silent");
}

async function readRendezvous(dataDir: string): Promise<Rendezvous | undefined> {
  try {
    return rendezvous.parse(JSON.parse(await readFile(join(dataDir, rendezvousName), "utf8")));
  } catch {
    return undefined;
  }
}

/** In another container the same port may be somebody else's, who must not be told the secret. */
async function isOwner({ address, secret }: Rendezvous, signal: AbortSignal): Promise<boolean> {
  const nonce = randomBytes(16).toString("hex");
  try {
    const response = await fetch(new URL(`${identityPath}?nonce=${nonce}`, address), {
      signal: AbortSignal.any([signal, AbortSignal.timeout(identityLimitMs)]),
    });
    return ((await response.json()) as { proof?: unknown }).proof === identityProof(secret, nonce);
  } catch {
    return false;
  }
}
