// hearsay models: lists models and voices.

import { type Command } from "./command.ts";

export const models: Command = {
  usage: "models [--json]",
  summary: "list models and voices",
  options: { json: { type: "boolean" } },
  settings: ["dataDir"],
  help: { json: "as JSON" },
  async run(context) {
    const client = await context.client({ changesNothing: true });
    const { models: all, voices } = await client.call("listModelsAndVoices", { isComplete: true });
    if (context.values["json"] === true) {
      await context.print(`${JSON.stringify({ models: all, voices }, null, 2)}\n`);
      return 0;
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
    return 0;
  },
};
