import { realpath, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { AppClient } from "../../../../main/cli/app-client.ts";
import type { Command, CommandContext } from "../../../../main/cli/commands/command.ts";
import { library } from "../../../../main/cli/commands/library.ts";
import { transcribe } from "../../../../main/cli/commands/transcribe.ts";
import { neverAborted } from "../../../support/app.ts";
import { openTestFolder } from "../../../support/test-data.ts";

// Links such as /dev/stdin name another file in another process.
it.each([
  ["transcribe", transcribe, []],
  ["library import", library, ["import"]],
] as const)(
  "%s names a file by its path without links",
  async (_name, command: Command, before) => {
    const folder = await openTestFolder();
    const [file, link] = [join(folder, "file"), join(folder, "link")];
    await writeFile(file, "");
    await symlink(file, link);
    const paths: unknown[] = [];
    const client: Partial<AppClient> = {
      async *stream(_stream, fields) {
        paths.push("path" in fields ? fields.path : undefined);
        yield { type: "done", text: "Hello.", isPartial: false } as never;
      },
      async call(_route, fields) {
        paths.push(fields !== undefined && "path" in fields ? fields.path : undefined);
        return { restored: 0, existing: 0, failed: [] } as never;
      },
    };
    const context: Partial<CommandContext> = {
      positionals: [...before, link],
      values: {},
      client: async () => client as AppClient,
      signal: neverAborted(),
      progress: { show() {}, clear() {} },
      print: async () => {},
      warn() {},
    };
    expect(await command.run(context as CommandContext)).toBe(0);
    expect(paths).toEqual([await realpath(file)]);
  },
);
