// hearsay models: lists models and voices, and gets models from the hub or from files.

import type { AppClient } from "../app-client.ts";
import { type Command, type CommandContext, UsageError } from "./command.ts";
import { exportModel, importModel, pullModel } from "./model-files.ts";

/** Action → number of its arguments. */
const actions: Readonly<Record<string, number>> = { list: 0, pull: 1, import: 1, export: 2 };

export const models: Command = {
  usage: "models [list | pull ID | import PATH | export ID FILE]",
  summary: "list models and voices, get models from the hub or from files",
  options: {
    json: { type: "boolean" },
    "accept-licence": { type: "boolean" },
    revision: { type: "string" },
  },
  settings: ["dataDir", "modelHub", "modelMirrors"],
  help: {
    json: "list: as JSON",
    "accept-licence": "pull: accept a licence that is not free",
    revision: "pull owner/name: branch, tag or commit (main)",
  },
  async run(context) {
    const [action = "list", ...args] = context.positionals;
    if (actions[action] !== args.length)
      throw new UsageError("say list, pull ID or owner/name, import PATH, or export ID FILE");
    const [first = "", second = ""] = args;
    const client = await context.client({
      changesNothing: action === "list" || action === "export",
    });
    if (action === "list") await list(context, client);
    else if (action === "pull") await pullModel(context, client, first);
    else if (action === "import") await importModel(context, client, first);
    else await exportModel(context, client, first, second);
    return 0;
  },
};

async function list(context: CommandContext, client: AppClient): Promise<void> {
  const { models: all, voices } = await client.call("listModelsAndVoices", { isComplete: true });
  if (context.values["json"] === true) {
    await context.print(`${JSON.stringify({ models: all, voices }, null, 2)}\n`);
    return;
  }
  const rows = [
    ...all.map(({ id, kind, ownedBy }) => [id, kind, ownedBy]),
    ...voices.map(({ id, character }) => [id, "voice", character]),
  ];
  await context.print(
    rows
      .map(([id = "", kind = "", note = ""]) => `${id.padEnd(18)} ${kind.padEnd(16)} ${note}\n`)
      .join(""),
  );
}
