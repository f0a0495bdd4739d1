// What the jobs do on their own while the app runs.

import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { createMetering } from "../../../main/usage/metering.ts";
import { createRegistry } from "../../../main/channels/registry.ts";
import { createRouter } from "../../../main/channels/router.ts";
import { transcribeOptions } from "../../../main/contract/studio.ts";
import { createPool } from "../../../main/engines/pool/pool.ts";
import { createHeadlessPlatform } from "../../../main/cli/platform.ts";
import { shippedModel } from "../../../main/models/shipped-models.ts";
import { createInProcessTasks } from "../../../main/library/process/tasks.ts";
import { createStudioEvents } from "../../../main/jobs/events.ts";
import { createStudio } from "../../../main/jobs/jobs.ts";
import { engineModule, createLauncher, quietLog } from "../../support/app.ts";
import { openTestLibrary } from "../../support/library.ts";
import { openTestFolder } from "../../support/test-data.ts";

const dayMs = 86_400_000;

async function openStudio() {
  const dataDir = await openTestFolder();
  const pool = createPool(
    createLauncher(engineModule, dataDir),
    { size: 1, idleMs: 1000, taskTimeoutMs: 1000 },
    quietLog,
  );
  const database = openTestLibrary();
  const studio = createStudio({
    database,
    tasks: createInProcessTasks(database),
    dataDir,
    tempDir: () => join(dataDir, "tmp"),
    router: createRouter({
      registry: createRegistry(() => []),
      metering: createMetering({ usage: { add: () => {} }, prices: () => ({}) }),
      routing: () => ({ aliases: {}, prefer: "listed" }),
    }),
    pool,
    events: createStudioEvents(),
    vad: shippedModel("silero-vad"),
    voices: () => [],
    launchChild: createHeadlessPlatform(dataDir).launchChild,
    log: quietLog,
  });
  onTestFinished(async () => {
    await studio.close();
    await pool.close();
  });
  return studio;
}

it("resumes all other work when one item cannot be resumed", async () => {
  const studio = await openStudio();
  const [broken, other] = ["Broken", "Other"].map((title) =>
    studio.items.create({ kind: "transcript", title, source: "recording", state: "recording" }),
  );
  if (broken === undefined || other === undefined) throw new Error("not made");
  await mkdir(join(studio.items.folder(broken.id), "source.wav"));
  const purging = vi
    .spyOn(studio.items, "purge")
    .mockRejectedValueOnce(new Error("the disk is away"));
  await studio.resume();
  expect(purging).toHaveBeenCalledOnce();
  expect(studio.items.read(broken.id).state).toBe("recording");
  // It has no recorded audio.
  expect(studio.items.read(other.id).state).toBe("failed");
});

it("resumes nothing after closing began, and closing waits for what is already resuming", async () => {
  const studio = await openStudio();
  const { id } = studio.items.create({
    kind: "transcript",
    title: "Left",
    source: "recording",
    state: "recording",
  });
  const purged = Promise.withResolvers<number>();
  vi.spyOn(studio.items, "purge").mockReturnValueOnce(purged.promise);
  const resuming = studio.resume();
  const order: string[] = [];
  const closing = studio.close().then(() => order.push("closed"));
  setTimeout(() => {
    order.push("purged");
    purged.resolve(0);
  }, 100);
  await Promise.all([resuming, closing]);
  expect(order).toEqual(["purged", "closed"]);
  expect(studio.items.read(id).state).toBe("recording");
});

it("ends a recording once, however many requests come at the same time", async () => {
  const { items, transcribing, stopWork } = await openStudio();
  const changing = vi.spyOn(items, "change");
  const { id } = await transcribing.recordings.begin("Memo", transcribeOptions.parse({}));
  await Promise.all([
    transcribing.recordings.end(id),
    transcribing.recordings.end(id),
    stopWork(id),
  ]);
  expect(changing.mock.calls.filter(([, { state }]) => state !== undefined)).toHaveLength(1);
});

it("deletes items thirty days after their removal, also while the app runs for months", async () => {
  vi.useFakeTimers({ toFake: ["Date", "setInterval", "clearInterval"] });
  onTestFinished(() => void vi.useRealTimers());
  const studio = await openStudio();
  await studio.resume();
  const { id } = studio.items.create({ kind: "transcript", title: "Old", source: "file" });
  studio.items.remove(id);
  const left = () => studio.items.list({ isDeleted: true }).length;
  vi.advanceTimersByTime(29 * dayMs);
  expect(left()).toBe(1);
  vi.advanceTimersByTime(2 * dayMs);
  await expect.poll(left).toBe(0);
});
