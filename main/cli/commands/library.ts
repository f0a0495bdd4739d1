// hearsay library: exports the library as a ZIP archive, and imports it.

import { realpath, stat } from "node:fs/promises";
import { transcriptExports } from "../../contract/transcript-export.ts";
import {
  choiceOption,
  type Command,
  type CommandContext,
  UsageError,
  commandError,
} from "./command.ts";
import { fileError } from "./system-error.ts";
import { openAtomicFile } from "./atomic-file.ts";

export const library: Command = {
  usage: "library export [--people] [--format pdf] FILE | import FILE",
  summary: "keep the whole library as a ZIP archive, or bring one back in",
  options: { people: { type: "boolean" }, format: { type: "string" } },
  settings: ["dataDir"],
  help: {
    people: "in an export, also people whose voices are remembered, with their voice prints",
    format: `export only transcripts, in one of the formats ${transcriptExports.join(", ")}`,
  },
  async run(context) {
    const [action, path, ...others] = context.positionals;
    if (path === undefined || others.length > 0 || (action !== "export" && action !== "import"))
      throw new UsageError("say export or import, and one file");
    return action === "export" ? exportTo(path, context) : importFrom(path, context);
  },
};

async function exportTo(path: string, context: CommandContext): Promise<number> {
  const format = choiceOption(context, "format", transcriptExports);
  const hasPeople = context.values["people"] === true;
  if (format !== undefined && hasPeople)
    throw new UsageError("--people is for whole items, not for transcripts alone");
  const client = await context.client({ changesNothing: true });
  const file = await openAtomicFile(path);
  try {
    for await (const bytes of client.download(
      `/app/library.zip?people=${hasPeople}${format === undefined ? "" : `&format=${format}`}`,
    )) {
      context.signal.throwIfAborted();
      await file.write(bytes);
    }
    await file.finish();
    return 0;
  } finally {
    await file.discard();
  }
}

async function importFrom(path: string, context: CommandContext): Promise<number> {
  const stats = await stat(path).catch((error: unknown) =>
    Promise.reject(fileError(error, path, "read")),
  );
  if (!stats.isFile()) throw commandError(`${path} is not a file`);
  const client = await context.client();
  const { restored, existing, failed, stopped } = await client.call("importArchive", {
    // The app that reads it may be another process, where /dev/stdin is another file.
    path: await realpath(path),
  });
  const unreadable = [
    `${failed.length} unreadable`,
    ...(failed.length === 0 ? [] : [failed.join(", ")]),
  ];
  await context.print(
    `${restored} restored, ${existing} already there, ${unreadable.join(": ")}\n`,
  );
  if (stopped !== undefined) throw commandError(`${stopped.left} not taken in: ${stopped.message}`);
  return failed.length === 0 ? 0 : 1;
}
