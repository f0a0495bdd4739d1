import { spawn } from "node:child_process";
import { once } from "node:events";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { acquireProcessLock } from "../../../main/storage/process-lock.ts";
import { openTestFolder } from "../../support/test-data.ts";

const source = pathToFileURL(
  resolve(import.meta.dirname, "..", "..", "..", "main", "storage", "process-lock.ts"),
).href;

it("is held by one process at a time", async () => {
  const path = join(await openTestFolder(), "studio.lock");
  const release = acquireProcessLock(path);
  expect(release).toBeDefined();
  expect(acquireProcessLock(path)).toBeUndefined();
  release?.();
  const again = acquireProcessLock(path);
  expect(again).toBeDefined();
  again?.();
});

it("ends with the process that held it, however that process ended", async () => {
  const path = join(await openTestFolder(), "studio.lock");
  const script = `
    const { acquireProcessLock } = await import('${source}');
    globalThis.release = acquireProcessLock(process.argv[1]);
    console.log('held');
    setInterval(() => {}, 1000);`;
  const holder = spawn(process.execPath, ["--input-type=module", "-e", script, path], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  onTestFinished(() => void holder.kill("SIGKILL"));
  await once(holder.stdout, "data");
  expect(acquireProcessLock(path)).toBeUndefined();
  holder.kill("SIGKILL");
  await once(holder, "exit");
  const release = acquireProcessLock(path);
  expect(release).toBeDefined();
  release?.();
});

it("is held even if its release function was garbage-collected", async () => {
  const path = join(await openTestFolder(), "studio.lock");
  const script = `
    const { acquireProcessLock } = await import('${source}');
    acquireProcessLock(process.argv[1]);
    await new Promise(setImmediate);
    gc();
    await new Promise(setImmediate);
    console.log('held');
    setInterval(() => {}, 1000);`;
  const flags = ["--expose-gc", "--input-type=module"];
  const holder = spawn(process.execPath, [...flags, "-e", script, path], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  onTestFinished(() => void holder.kill("SIGKILL"));
  await once(holder.stdout, "data");
  expect(acquireProcessLock(path)).toBeUndefined();
});
