// Cost of a request at a provider, or savings if it was served locally. Uses the person's price table, with OpenAI's
// prices as default.

import type { Price, PriceTable } from "../contract/channels.ts";

export type PricedUsage = {
  /** As the client requested it. */
  model: string;
  /** Served by a provider that charges money, not by this machine or another self-hosted server. */
  isPaid: boolean;
  kind: "transcription" | "speech";
  audioSec?: number | undefined;
  /** Unicode code points. */
  characters?: number | undefined;
};

/** Reference models for savings: what clients would most likely have used instead of this machine. */
const defaultModels = { transcription: "whisper-1", speech: "tts-1" } as const;

/** US dollars; omitted if there is no price or no quantity. */
export function calculateCost(
  usage: PricedUsage,
  prices: PriceTable,
): { spentUsd?: number; savedUsd?: number } {
  const { model, isPaid, kind } = usage;
  const names = [...modelNameVariants(model), ...(isPaid ? [] : [defaultModels[kind]])];
  const usd = names
    .map((name) =>
      Object.hasOwn(prices, name) ? calculateUsd(usage, prices[name] ?? {}) : undefined,
    )
    .find((candidateUsd) => candidateUsd !== undefined);
  if (!isPaid) return { spentUsd: 0, ...(usd === undefined ? {} : { savedUsd: usd }) };
  return { ...(usd === undefined ? {} : { spentUsd: usd }), savedUsd: 0 };
}

export type UnitPrice = { readonly unit: "minute" | "thousand-characters"; readonly usd: number };

/** The provider's price per unit; undefined if unknown. */
export function unitPrice(
  { model, kind }: Pick<PricedUsage, "model" | "kind">,
  prices: PriceTable,
): UnitPrice | undefined {
  for (const name of modelNameVariants(model)) {
    const { perMinuteUsd, perThousandCharactersUsd } =
      (Object.hasOwn(prices, name) && prices[name]) || {};
    if (kind === "speech" && perThousandCharactersUsd !== undefined)
      return { unit: "thousand-characters", usd: perThousandCharactersUsd };
    if (perMinuteUsd !== undefined) return { unit: "minute", usd: perMinuteUsd };
  }
  return undefined;
}

/** With and without its prefix. */
const modelNameVariants = (model: string): readonly string[] => [
  model,
  model.slice(model.indexOf("/") + 1),
];

/** Transcription is priced per minute of audio; synthesis per character, or per minute of generated audio. */
function calculateUsd(
  { kind, audioSec, characters }: PricedUsage,
  { perMinuteUsd, perThousandCharactersUsd }: Price,
): number | undefined {
  if (kind === "speech" && perThousandCharactersUsd !== undefined)
    return characters === undefined ? undefined : (characters / 1000) * perThousandCharactersUsd;
  return perMinuteUsd === undefined || audioSec === undefined
    ? undefined
    : (audioSec / 60) * perMinuteUsd;
}
