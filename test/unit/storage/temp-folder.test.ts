import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { createOwnedFolder } from "../../../main/storage/owned-folder.ts";
import { hookWrites } from "../../../main/storage/disk.ts";
import { createTempFolder } from "../../../main/storage/temp-folder.ts";
import { pidNamespaceCommand, pidNamespaceUnavailable } from "../../support/namespaces.ts";
import { openTestFolder } from "../../support/test-data.ts";

const source = pathToFileURL(
  resolve(import.meta.dirname, "..", "..", "..", "main", "storage", "temp-folder.ts"),
).href;

/** Another process with a temp folder in the same data folder. Prints the folder's path. */
function otherProcess(dataDir: string, before: readonly string[] = []) {
  const script = `
    const { createTempFolder } = await import('${source}');
    const temp = createTempFolder(process.argv[1]);
    console.log(temp.path());
    setInterval(() => {}, 1000);`;
  const [program = "", ...args] = [
    ...before,
    process.execPath,
    "--input-type=module",
    "-e",
    script,
    dataDir,
  ];
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

async function pathOf(child: ReturnType<typeof otherProcess>): Promise<string> {
  const [text] = (await once(child.stdout, "data")) as [Buffer];
  return text.toString().trim();
}

it("is separate for each process and is removed with all its content", async () => {
  const dataDir = await openTestFolder();
  const first = createTempFolder(dataDir);
  const second = createTempFolder(dataDir);
  expect(first.path()).not.toBe(second.path());
  mkdirSync(join(first.path(), "job"));
  writeFileSync(join(first.path(), "job", "samples.pcm"), "x");
  first.remove();
  expect(readdirSync(join(dataDir, "tmp")).length).toBe(2);
  expect(existsSync(second.path())).toBe(true);
  second.remove();
  expect(readdirSync(join(dataDir, "tmp"))).toEqual([]);
});

it("is created again after it was removed by someone else", async () => {
  const dataDir = await openTestFolder();
  const temp = createTempFolder(dataDir);
  rmSync(join(dataDir, "tmp"), { recursive: true });
  writeFileSync(join(temp.path(), "sound.wav"), "x");
  expect(existsSync(join(temp.path(), "sound.wav"))).toBe(true);
});

it("removes the folder of a killed process, and keeps that of a running one", async () => {
  const dataDir = await openTestFolder();
  const [dead, alive] = [otherProcess(dataDir), otherProcess(dataDir)];
  const [left, used] = await Promise.all([pathOf(dead), pathOf(alive)]);
  dead.kill("SIGKILL");
  await once(dead, "exit");
  mkdirSync(join(dataDir, "tmp", "notes"));
  createTempFolder(dataDir);
  expect(
    [left, `${left}.lock`, used, join(dataDir, "tmp", "notes")].map((path) => existsSync(path)),
  ).toEqual([false, false, true, true]);
});

const skipped =
  pidNamespaceUnavailable === undefined ? "" : ` (skipped: ${pidNamespaceUnavailable})`;
it.skipIf(pidNamespaceUnavailable !== undefined)(
  `is not removed by a process in another PID namespace${skipped}`,
  async () => {
    const dataDir = await openTestFolder();
    const own = createTempFolder(dataDir);
    writeFileSync(join(own.path(), "upload"), "x");
    const other = otherProcess(dataDir, pidNamespaceCommand);
    const used = await pathOf(other);
    expect(existsSync(join(own.path(), "upload"))).toBe(true);
    createTempFolder(dataDir);
    expect(existsSync(used)).toBe(true);
  },
);

it("removes a folder of an older version after a day, even if its process id is in use again", async () => {
  const dataDir = await openTestFolder();
  const [old, young] = [`${process.ppid}-abc`, "4000000-def"].map((name) =>
    join(dataDir, "tmp", name),
  ) as [string, string];
  for (const path of [old, young]) mkdirSync(path, { recursive: true });
  utimesSync(old, 1_000_000_000, 1_000_000_000);
  createTempFolder(dataDir);
  expect([existsSync(old), existsSync(young)]).toEqual([false, true]);
});

it("leaves no lock behind when the folder cannot be created", async () => {
  const dataDir = await openTestFolder();
  onTestFinished(
    hookWrites((operation) => {
      if (operation === "mkdir")
        throw Object.assign(new Error("no space left on device"), { code: "ENOSPC" });
    }),
  );
  expect(() => createOwnedFolder(dataDir)).toThrow("no space left");
  expect(readdirSync(dataDir)).toEqual([]);
});

it("is created later when the disk is full at the start", async () => {
  const dataDir = await openTestFolder();
  const isFull = hookWrites(() => {
    throw Object.assign(new Error("ENOSPC: no space"), { code: "ENOSPC" });
  });
  onTestFinished(isFull);
  const temp = createTempFolder(dataDir);
  expect(temp.path).toThrow("ENOSPC");
  isFull();
  const path = temp.path();
  expect(existsSync(path)).toBe(true);
  expect(temp.path()).toBe(path);
  temp.remove();
  expect(readdirSync(join(dataDir, "tmp"))).toEqual([]);
});
