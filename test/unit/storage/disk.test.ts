// How failures of the data folder become errors.

import { link as plainLink, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { toStorageError } from "../../../main/contract/errors.ts";
import {
  hookWrites,
  link,
  openForWriting,
  writeFile,
  writeFileSync,
} from "../../../main/storage/disk.ts";
import { createRetriedWrites } from "../../../main/storage/retried-writes.ts";
import { quietLog } from "../../support/app.ts";
import { openTestFolder } from "../../support/test-data.ts";

const unavailable = { key: "storage_unavailable", row: { status: 503 }, retryAfterSec: 5 };

it.each(["EACCES", "EPERM"])(
  "reports a missing permission in the data folder (%s) as a storage error",
  async (code) => {
    onTestFinished(
      hookWrites(() => {
        throw Object.assign(new Error(`${code}: refused`), { code });
      }),
    );
    const path = join(await openTestFolder(), "file");
    await expect(writeFile(path, "")).rejects.toMatchObject(unavailable);
    await expect(openForWriting(path, "wx")).rejects.toMatchObject(unavailable);
    expect(() => writeFileSync(path, "")).toThrow(
      expect.objectContaining({ key: "storage_unavailable" }),
    );
  },
);

it.skipIf(process.platform === "win32")(
  "reports EPERM of the system as a storage error, but only when called through storage/disk.ts",
  async () => {
    const folder = await openTestFolder();
    await mkdir(join(folder, "a"));
    // No system allows hard links to folders.
    await expect(link(join(folder, "a"), join(folder, "b"))).rejects.toMatchObject(unavailable);
    const other = await plainLink(join(folder, "a"), join(folder, "b")).catch(
      (error: unknown) => error,
    );
    expect(toStorageError(other)).toBeUndefined();
  },
);

it("passes on other errors unchanged", async () => {
  const path = join(await openTestFolder(), "file");
  await writeFile(path, "");
  await expect(openForWriting(path, "wx")).rejects.toMatchObject({ code: "EEXIST" });
});

it("lets background work wait until the permission is back", async () => {
  const path = join(await openTestFolder(), "file");
  const writes = createRetriedWrites({ log: quietLog, firstRetryMs: 1 });
  const allow = hookWrites(() => {
    throw Object.assign(new Error("EACCES: refused"), { code: "EACCES" });
  });
  onTestFinished(allow);
  const done = writes.run(() => writeFile(path, "kept"));
  await expect.poll(writes.problem).toBe("storage_unavailable");
  allow();
  await done;
  expect(writes.problem()).toBeUndefined();
});
