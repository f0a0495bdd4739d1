// What a request used, as it is kept and summed.

import { z } from "zod";

export const scopes = ["transcribe", "speech", "models"] as const;
export type Scope = (typeof scopes)[number];

/** As keys of earlier versions and their scripts name them. */
const formerScopes: Readonly<Record<string, Scope>> = { hear: "transcribe", speak: "speech" };
export const scopeField = z.preprocess(
  (value) =>
    typeof value === "string" && Object.hasOwn(formerScopes, value) ? formerScopes[value] : value,
  z.enum(scopes),
);

/** Not one of the keys people make: the owner's own key, the window, the command line. */
export const ownCallers = ["owner", "window", "command-line"] as const;

export type UsageRecord = {
  /** When the request came, Unix milliseconds. */
  atMs: number;
  /** Id of the key, or one of `ownCallers`. */
  key: string;
  endpoint: "transcriptions" | "translations" | "speech";
  /** As the client asked for it. */
  model: string;
  /** Who served it; empty where nobody did. */
  channel: string;
  /** Heard, or made where it is known. */
  audioSec: number | undefined;
  /** Of the text to speak, Unicode code points. */
  characters: number | undefined;
  status: number;
  durationMs: number;
  receivedBytes: number;
  sentBytes: number;
  /** Paid to a provider; undefined where its price is not known. */
  spentUsd: number | undefined;
  /** What the same would have cost, had this machine not done it. */
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
  /** Requests another provider served at a price that is not known. */
  unpriced: z.int(),
});
export type UsageTotals = z.infer<typeof usageTotals>;

export const newApiKey = z.object({
  name: z.string().trim().min(1, "must not be empty").max(60),
  /** What it may do; default everything a client can. */
  scopes: z.array(scopeField).min(1, "must name at least one").optional(),
  /** Counted over a calendar month, by what was paid to providers. */
  monthlyBudgetUsd: z.number().min(0).max(1_000_000).optional(),
  /** What this machine did counts too, at the price it would have had. */
  budgetCountsLocal: z.boolean().default(false),
});
export type NewApiKey = z.infer<typeof newApiKey>;

export const apiKeyView = z.object({
  id: z.string(),
  name: z.string(),
  /** How it begins, to tell keys apart. */
  hint: z.string(),
  scopes: z.array(z.enum(scopes)),
  monthlyBudgetUsd: z.number().optional(),
  budgetCountsLocal: z.boolean(),
  createdAtMs: z.number(),
});
export type ApiKeyView = z.infer<typeof apiKeyView>;
