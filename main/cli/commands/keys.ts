// hearsay keys: manages the API keys of clients.

import { type ApiKeyView, newApiKey, scopes } from "../../contract/usage.ts";
import { type Command, type CommandContext, numberOption, text, UsageError } from "./command.ts";
import { table } from "./table.ts";

export const keys: Command = {
  usage: "keys list | create NAME [--scopes transcribe,speech,models] [--budget USD] | revoke NAME",
  summary: "manage API keys with their permissions and budgets",
  options: {
    scopes: { type: "string" },
    budget: { type: "string" },
    "count-local": { type: "boolean" },
    json: { type: "boolean" },
  },
  settings: ["dataDir"],
  help: {
    scopes: `of ${scopes.join(", ")} (all)`,
    budget: "monthly limit in US dollars for what providers charge",
    "count-local": "count work done on this machine too, at its reference price",
    json: "as JSON",
  },
  async run(context) {
    const [action = "list", name, ...rest] = context.positionals;
    if (rest.length > 0 || (action === "list") !== (name === undefined))
      throw new UsageError("expected list, create NAME or revoke NAME");
    const client = await context.client({ changesNothing: action === "list" });
    if (action === "list") return list(context, (await client.call("listKeys")).keys);
    if (action === "create") {
      const created = await client.call("createKey", parseNewKey(context, name as string));
      await context.print(
        context.values["json"] === true
          ? `${JSON.stringify(created, null, 2)}\n`
          : `${created.secret}\n`,
      );
      context.warn(`Save the key of '${created.name}' now: it is not shown again.`);
      return 0;
    }
    if (action !== "revoke") throw new UsageError(`there is no 'keys ${action}'`);
    await client.call("revokeKey", {}, name);
    return 0;
  },
};

function parseNewKey(context: CommandContext, name: string): ReturnType<typeof newApiKey.parse> {
  const requestedScopes = text(context, "scopes")
    ?.split(",")
    .map((scope) => scope.trim());
  const monthlyBudgetUsd = numberOption(context, "budget", 0, 1_000_000);
  const parsed = newApiKey.safeParse({
    name,
    scopes: requestedScopes,
    monthlyBudgetUsd,
    budgetCountsLocal: context.values["count-local"] === true,
  });
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new UsageError(
    issue?.path[0] === "scopes"
      ? `--scopes takes ${scopes.join(", ")}`
      : `the name ${issue?.message}`,
  );
}

const budget = (usd: number | undefined, countsLocal: boolean): string =>
  usd === undefined ? "no budget" : `${usd} USD a month${countsLocal ? ", local use counts" : ""}`;

async function list(context: CommandContext, all: readonly ApiKeyView[]): Promise<number> {
  if (context.values["json"] === true) {
    await context.print(`${JSON.stringify({ keys: all }, null, 2)}\n`);
    return 0;
  }
  if (all.length === 0)
    await context.print("No API keys besides the owner's, which 'hearsay serve' shows.\n");
  await context.print(
    table(
      all.map((key) => [
        key.name,
        `${key.hint}…`,
        key.scopes.join(","),
        budget(key.monthlyBudgetUsd, key.budgetCountsLocal),
        new Date(key.createdAtMs).toLocaleDateString("sv"),
      ]),
    ),
  );
  return 0;
}
