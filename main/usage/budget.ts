// Decides whether a key's budget allows an attempt. See records.ts for past spending, metering.ts for reservations.

import { AppError } from "../contract/errors.ts";

/** A key's limit per calendar month. */
export type Budget = {
  readonly keyName: string;
  readonly monthlyUsd: number;
  /** Local work counts too, at its reference price. */
  readonly countsLocal: boolean;
};

/** Requests in progress may still fail, or cost less than estimated. */
const pendingRetrySec = 5;

export const monthStartMs = (atMs: number): number => {
  const at = new Date(atMs);
  return new Date(at.getFullYear(), at.getMonth(), 1).getTime();
};

/** @throws AppError `budget_used_up`; an admitted request may exceed the budget by its own cost */
export function checkBudget(
  { keyName, monthlyUsd }: Budget,
  { spentUsd, reservedUsd, nowMs }: { spentUsd: number; reservedUsd: number; nowMs: number },
): void {
  if (spentUsd + reservedUsd < monthlyUsd) return;
  const now = new Date(nowMs);
  const untilNextMonthSec =
    (new Date(now.getFullYear(), now.getMonth() + 1, 1).getTime() - nowMs) / 1000;
  const retryAfterSec = spentUsd < monthlyUsd ? pendingRetrySec : untilNextMonthSec;
  throw new AppError("key.budgetUsedUp", { key: keyName, usd: monthlyUsd }, { retryAfterSec });
}

/** A key with a budget may not use models without a known price. */
export function unknownPriceError(
  { keyName }: Budget,
  model: string,
  kind: "transcription" | "speech",
): AppError {
  const option =
    kind === "transcription"
      ? "--per-minute USD"
      : "--per-thousand-characters USD (or --per-minute USD)";
  return new AppError(
    "key.priceUnknown",
    { key: keyName, model, command: `hearsay usage --price ${quoteShellWord(model)} ${option}` },
    { param: "model" },
  );
}

/** Model ids come from providers, so they may contain shell characters. */
const quoteShellWord = (text: string): string =>
  /^[\w./:@+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
