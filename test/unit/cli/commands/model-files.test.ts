import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { AppClient } from "../../../../main/cli/app-client.ts";
import type { CommandContext } from "../../../../main/cli/commands/command.ts";
import { exportModel } from "../../../../main/cli/commands/model-files.ts";
import { openTestFolder } from "../../../support/test-data.ts";

const context = { signal: new AbortController().signal } as unknown as CommandContext;
const client = {
  async *download() {
    yield Buffer.from("PK");
  },
} as unknown as AppClient;

it("exports a ZIP archive under no name of another archive", async () => {
  const folder = await openTestFolder();
  for (const name of ["model.tar.gz", "model.tar.bz2", "model.TGZ", "model.7z"])
    await expect(exportModel(context, client, "model", join(folder, name))).rejects.toThrow(
      /ZIP archive/,
    );
  expect(await readdir(folder)).toEqual([]);
  for (const name of ["model.zip", "other.ZIP", "model-0.6b"]) {
    await exportModel(context, client, "model", join(folder, name));
    expect(await readFile(join(folder, name), "utf8")).toBe("PK");
  }
});
