import fs, { mkdir, writeFile } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { readSourceFolder } from "../../../main/models/archives/source-files.ts";
import { neverAborted } from "../../support/app.ts";
import { openTestFolder } from "../../support/test-data.ts";

/** Also for an administrator, who may read everything. */
function forbid(folder: string): void {
  const { readdir } = fs;
  const reading = vi
    .spyOn(fs, "readdir")
    .mockImplementation(((path: string, options: object) =>
      path === folder
        ? Promise.reject(Object.assign(new Error("EACCES: permission denied"), { code: "EACCES" }))
        : readdir(path, options)) as typeof readdir);
  syncBuiltinESMExports();
  onTestFinished(() => {
    reading.mockRestore();
    syncBuiltinESMExports();
  });
}

it("leaves out a folder within that may not be read", async () => {
  const folder = await openTestFolder();
  await mkdir(join(folder, "lost+found"));
  await writeFile(join(folder, "model.onnx"), "weights");
  forbid(join(folder, "lost+found"));
  const { files } = await readSourceFolder(folder, neverAborted());
  expect(files.map(({ name }) => name)).toEqual(["model.onnx"]);
});

it("says that the folder itself may not be read", async () => {
  const folder = await openTestFolder();
  forbid(folder);
  await expect(readSourceFolder(folder, neverAborted())).rejects.toMatchObject({
    sent: { id: "modelImport.forbidden" },
  });
});
