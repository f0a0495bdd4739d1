// A model in a folder of the current test, made of given files.

import { createHash } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { InstalledModel } from "../../main/contract/models.ts";
import { shippedModel } from "../../main/models/shipped-models.ts";
import { openTestFolder } from "./test-data.ts";

export async function writeModel(
  changes: Pick<InstalledModel, "family" | "languages">,
  files: ReadonlyMap<string, Uint8Array>,
): Promise<InstalledModel> {
  const dir = await openTestFolder();
  for (const [name, content] of files) {
    await mkdir(dirname(join(dir, name)), { recursive: true });
    await writeFile(join(dir, name), content);
  }
  return {
    ...shippedModel("whisper-base"),
    ...changes,
    id: `tiny-${changes.family}`,
    origin: "imported",
    dir,
    files: [...files].map(([name, content]) => ({
      name,
      sizeBytes: content.length,
      sha256: createHash("sha256").update(content).digest("hex"),
    })),
  };
}
