// What a request cost at a provider, or what it saved by being done here. Prices are the person's table, with the
// interface's own as a start.

import type { Price, PriceTable } from "../contract/channels.ts";

export type PricedUsage = {
  /** As the client asked for it. */
  model: string;
  /** A provider asks money for it; else this machine, or another of one's own, did it. */
  isPaid: boolean;
  kind: "transcription" | "speech";
  audioSec?: number | undefined;
  /** Unicode code points. */
  characters?: number | undefined;
};

/** What the same would most likely have been asked of, had it not been done here. */
const defaultModels = { transcription: "whisper-1", speech: "tts-1" } as const;

/** US dollars; absent where there is no price, or nothing to multiply it by. */
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

/** What a provider asks for this; undefined where no price is known. */
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

/** With its prefix and without. */
const modelNameVariants = (model: string): readonly string[] => [
  model,
  model.slice(model.indexOf("/") + 1),
];

/** Hearing is priced by the minute of sound, speaking by the text, or by the sound that was made. */
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
