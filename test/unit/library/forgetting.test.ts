import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { createNodePlatform } from "../../../main/cli/platform.ts";
import { createForgetting } from "../../../main/library/forgetting.ts";
import { createPeople } from "../../../main/library/people.ts";
import { createLibraryBackups } from "../../../main/library/recovery/library-backups.ts";
import { libraryPath } from "../../../main/library/recovery/open-library.ts";
import { openDatabase } from "../../../main/storage/database.ts";
import { hookWrites } from "../../../main/storage/disk.ts";
import { quietLog } from "../../support/app.ts";
import { openTestFolder } from "../../support/test-data.ts";

const print = Float32Array.from({ length: 256 }, (_, i) => Math.sin(i));

/** A library with a person whom a backup and a damaged library that was set aside have, too. */
async function opened() {
  const dataDir = await openTestFolder();
  const path = libraryPath(dataDir);
  const database = openDatabase(path);
  onTestFinished(database.close);
  const people = createPeople(database);
  people.remember("Ada", { itemId: "a", title: "Talk", speechSec: 10, print });
  const [ada] = people.exportAll();
  if (ada === undefined) throw new Error("nobody is remembered");
  let isChildKilled = false;
  const platform = createNodePlatform(dataDir);
  const backups = createLibraryBackups({
    dataDir,
    libraryPath: path,
    sqlite: database.sqlite,
    launchChild(module, options) {
      const child = platform.launchChild(module, options);
      if (isChildKilled) child.kill();
      return child;
    },
    onDamage: () => {},
    log: quietLog,
  });
  onTestFinished(backups.close);
  expect(await backups.backUpIfNeeded()).toBe(true);
  const setAside = join(dataDir, "hearsay-damaged-2026.sqlite");
  writeFileSync(setAside, Buffer.concat([Buffer.alloc(4096, 1), Buffer.from(print.buffer)]));
  return {
    people,
    ada,
    forgetting: createForgetting({
      people,
      backups,
      checkpoint: async () => database.checkpoint(),
      log: quietLog,
    }),
    killChildren: (isKilled: boolean) => (isChildKilled = isKilled),
    isSetAside: () => readFileSync(setAside).includes(Buffer.from(print.buffer)),
  };
}

it("ends at the next start what a killed process has begun, and recognizes the person no more", async () => {
  const { people, ada, forgetting, killChildren, isSetAside } = await opened();
  killChildren(true);
  await expect(forgetting.forget(ada)).rejects.toThrow("ended by SIGKILL");
  await forgetting.resume();
  expect([people.list().length, people.voices(), isSetAside()]).toEqual([1, [], true]);
  killChildren(false);
  await forgetting.resume();
  expect([people.list(), people.beingForgotten(), isSetAside()]).toEqual([[], [], false]);
});

it("changes nothing if the disk is full at its beginning, and goes on later if it is full at its end", async () => {
  const { people, ada, forgetting } = await opened();
  let writes = 0;
  let allowed = 0;
  onTestFinished(
    hookWrites((operation) => {
      if (operation === "database" && ++writes > allowed)
        throw Object.assign(new Error("database or disk is full"), { errcode: 13 });
    }),
  );
  await expect(forgetting.forget(ada)).rejects.toThrow(
    expect.objectContaining({ key: "storage_full" }),
  );
  expect([people.beingForgotten(), people.voices().length]).toEqual([[], 1]);
  [writes, allowed] = [0, 1];
  await expect(forgetting.forget(ada)).rejects.toThrow(
    expect.objectContaining({ key: "storage_full" }),
  );
  expect([people.beingForgotten(), people.list().length]).toEqual([[ada.id], 1]);
  [writes, allowed] = [0, 2];
  // The person is gone, but not noted as gone.
  expect(await forgetting.forget(ada)).toBe(true);
  expect([people.beingForgotten(), people.list()]).toEqual([[ada.id], []]);
  allowed = Infinity;
  await forgetting.resume();
  expect(people.beingForgotten()).toEqual([]);
});

it("does not forget who is remembered again meanwhile", async () => {
  const { people, ada, forgetting, killChildren } = await opened();
  killChildren(true);
  await expect(forgetting.forget(ada)).rejects.toThrow("ended by SIGKILL");
  people.remember("Ada", { itemId: "b", title: "Talk", speechSec: 10, print });
  killChildren(false);
  await forgetting.resume();
  expect(people.voices().map(({ name }) => name)).toEqual(["Ada"]);
});
