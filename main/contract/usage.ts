// Usage records of requests, and their totals.

import { fieldFault } from "./field-fault.ts";
import { z } from "zod";

export const scopes = ["transcribe", "speech", "models"] as const;
export type Scope = (typeof scopes)[number];

/** Names of scopes in keys of earlier versions and in scripts written for them. */
const formerScopes: Readonly<Record<string, Scope>> = { hear: "transcribe", speak: "speech" };
export const scopeField = z.preprocess(
  (value) =>
    typeof value === "string" && Object.hasOwn(formerScopes, value) ? formerScopes[value] : value,
  z.enum(scopes),
);

/** Callers without a key that people create: the owner's key, the window, the command line, the Wyoming protocol. */
export const ownCallers = ["owner", "window", "command-line", "wyoming"] as const;

export type UsageRecord = {
  /** Arrival of the request, Unix milliseconds. */
  atMs: number;
  /** Id of the key, or one of `ownCallers`. */
  key: string;
  endpoint: "transcriptions" | "translations" | "speech";
  /** As the client requested it. */
  model: string;
  /** Channel that served the request; empty if none did. */
  channel: string;
  /** Transcribed audio, or generated audio if known. */
  audioSec: number | undefined;
  /** Of the text to synthesize, in Unicode code points. */
  characters: number | undefined;
  status: number;
  durationMs: number;
  receivedBytes: number;
  sentBytes: number;
  /** Paid to a provider; undefined if its price is unknown. */
  spentUsd: number | undefined;
  /** Price of the same request at a provider, if this machine served it. */
  savedUsd: number | undefined;
};

export const usageGroups = ["day", "model", "channel", "key"] as const;
export type UsageGroup = (typeof usageGroups)[number];

export const usageTotals = z.object({
  /** A day as `2026-11-21` (local time), or a name. */
  group: z.string(),
  requests: z.int(),
  /** Status 400 and above. */
  failed: z.int(),
  audioSec: z.number(),
  characters: z.int(),
  receivedBytes: z.int(),
  sentBytes: z.int(),
  spentUsd: z.number(),
  savedUsd: z.number(),
  /** Requests served by a provider with an unknown price. */
  unpriced: z.int(),
});
export type UsageTotals = z.infer<typeof usageTotals>;

export const newApiKey = z.object({
  name: z.string().trim().min(1, fieldFault("fault.empty")).max(60),
  /** Permissions; default: everything a client can do. */
  scopes: z.array(scopeField).min(1, fieldFault("fault.noScope")).optional(),
  /** Limit per calendar month for payments to providers. */
  monthlyBudgetUsd: z.number().min(0).max(1_000_000).optional(),
  /** Also counts this machine's work, at its reference price. */
  budgetCountsLocal: z.boolean().default(false),
});
export type NewApiKey = z.infer<typeof newApiKey>;

export const apiKeyView = z.object({
  id: z.string(),
  name: z.string(),
  /** Beginning of the key, to tell keys apart. */
  hint: z.string(),
  scopes: z.array(z.enum(scopes)),
  monthlyBudgetUsd: z.number().optional(),
  budgetCountsLocal: z.boolean(),
  createdAtMs: z.number(),
});
export type ApiKeyView = z.infer<typeof apiKeyView>;
