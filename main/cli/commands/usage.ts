// hearsay usage: totals of transcription and speech, their cost, and the savings of local work.

import { api } from "../../contract/api.ts";
import type { Price } from "../../contract/channels.ts";
import { usageGroups, type UsageTotals } from "../../contract/usage.ts";
import { type Command, type CommandContext, numberOption, text, UsageError } from "./command.ts";
import { table } from "./table.ts";

export const usage: Command = {
  usage:
    `usage [--by ${usageGroups.join("|")}] [--from DAY] [--to DAY] | ` +
    "--price MODEL [--per-minute USD] [--per-thousand-characters USD]",
  summary: "requests, audio, costs and savings",
  options: {
    by: { type: "string" },
    from: { type: "string" },
    to: { type: "string" },
    key: { type: "string" },
    price: { type: "string" },
    "per-minute": { type: "string" },
    "per-thousand-characters": { type: "string" },
    json: { type: "boolean" },
  },
  settings: ["dataDir"],
  help: {
    by: `sums by ${usageGroups.join(", ")} (day)`,
    from: "first day, such as 2026-11-01",
    to: "last day",
    key: "only requests of the API key with this id",
    price: "set a model's price, with or without its prefix, and list all prices",
    "per-minute": "--price: US dollars per minute of audio",
    "per-thousand-characters": "--price: US dollars per thousand characters",
    json: "as JSON",
  },
  async run(context) {
    const pricedModel = text(context, "price");
    const price = priceOptions(context);
    if (pricedModel !== undefined) return setPrice(context, pricedModel, price);
    if (Object.keys(price).length > 0) throw new UsageError("name the model: --price MODEL");
    const query = api.readUsage.request.safeParse({
      by: text(context, "by"),
      from: text(context, "from"),
      to: text(context, "to"),
      key: text(context, "key"),
    });
    if (!query.success) {
      const [issue] = query.error.issues;
      throw new UsageError(`--${String(issue?.path[0])} ${issue?.message}`);
    }
    const client = await context.client({ changesNothing: true });
    const report = await client.call("readUsage", query.data);
    if (context.values["json"] === true) {
      await context.print(`${JSON.stringify(report, null, 2)}\n`);
      return 0;
    }
    if (report.sums.length === 0) {
      await context.print("No requests in this period.\n");
      return 0;
    }
    const header = [
      report.by,
      "requests",
      "failed",
      "minutes",
      "characters",
      "spent USD",
      "saved USD",
    ];
    await context.print(
      table([header, ...report.sums.map(toTableRow), toTableRow(report.total)], [1, 2, 3, 4, 5, 6]),
    );
    if (report.total.unpriced > 0)
      context.warn(
        `${report.total.unpriced} requests went to providers whose price is not known: they are not in 'spent'.`,
      );
    return 0;
  },
};

function priceOptions(context: CommandContext): Price {
  const perMinuteUsd = numberOption(context, "per-minute", 0, 1_000_000);
  const perThousandCharactersUsd = numberOption(context, "per-thousand-characters", 0, 1_000_000);
  return {
    ...(perMinuteUsd === undefined ? {} : { perMinuteUsd }),
    ...(perThousandCharactersUsd === undefined ? {} : { perThousandCharactersUsd }),
  };
}

async function setPrice(context: CommandContext, model: string, price: Price): Promise<number> {
  if (model === "" || Object.keys(price).length === 0)
    throw new UsageError("say --price MODEL with --per-minute, --per-thousand-characters or both");
  const client = await context.client();
  const before = await client.call("readPrices");
  const { prices } = await client.call("changePrices", {
    prices: { ...before.prices, [model]: price },
  });
  if (context.values["json"] === true) {
    await context.print(`${JSON.stringify({ prices }, null, 2)}\n`);
    return 0;
  }
  const rows = Object.entries(prices).map(
    ([name, { perMinuteUsd = "", perThousandCharactersUsd = "" }]) => [
      name,
      String(perMinuteUsd),
      String(perThousandCharactersUsd),
    ],
  );
  await context.print(
    table([["model", "USD a minute", "USD a thousand characters"], ...rows], [1, 2]),
  );
  return 0;
}

function toTableRow({
  group,
  requests,
  failed,
  audioSec,
  characters,
  spentUsd,
  savedUsd,
}: UsageTotals): string[] {
  // An empty group: requests rejected before their model or channel was known.
  return [
    group || "(none)",
    String(requests),
    String(failed),
    (audioSec / 60).toFixed(1),
    String(characters),
    spentUsd.toFixed(4),
    savedUsd.toFixed(4),
  ];
}
