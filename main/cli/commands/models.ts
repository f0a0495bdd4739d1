// hearsay models: lists models and voices, and removes models from this machine.

import type { AppClient } from "../app-client.ts";
import { type Command, type CommandContext, UsageError } from "./command.ts";

export const models: Command = {
  usage: "models [list | rm ID] [--json]",
  summary: "list models and voices, remove models",
  options: { json: { type: "boolean" } },
  settings: ["dataDir"],
  help: { json: "as JSON" },
  async run(context) {
    const [action = "list", id, ...rest] = context.positionals;
    if (!["list", "rm"].includes(action)) throw new UsageError(`there is no 'models ${action}'`);
    if (rest.length > 0 || (action === "list") !== (id === undefined))
      throw new UsageError("expected list or rm ID");
    const client = await context.client({ changesNothing: action === "list" });
    if (action === "list") return list(context, client);
    await client.call("removeModel", {}, id);
    return 0;
  },
};

async function list(context: CommandContext, client: AppClient): Promise<number> {
  const { models: all, voices } = await client.call("listModelsAndVoices", { isComplete: true });
  if (context.values["json"] === true) {
    await context.print(`${JSON.stringify({ models: all, voices }, null, 2)}\n`);
    return 0;
  }
  const damaged = (await client.call("listModels")).models.filter(
    ({ state }) => state === "damaged",
  );
  const rows = [
    ...all.map(({ id, kind, ownedBy }) => [id, kind, ownedBy]),
    ...damaged.map(({ id, damaged: reason }) => [id, "set aside", reason?.message]),
    ...voices.map(({ id, character }) => [id, "voice", character]),
  ];
  await context.print(
    rows
      .map(([id = "", kind = "", note = ""]) => `${id.padEnd(18)} ${kind.padEnd(16)} ${note}\n`)
      .join(""),
  );
  return 0;
}
