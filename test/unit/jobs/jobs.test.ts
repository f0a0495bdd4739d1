// What the jobs do on their own while the app runs.

import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { createMetering } from "../../../main/usage/metering.ts";
import { createRegistry, type RegisteredChannel } from "../../../main/channels/registry.ts";
import { createRouter } from "../../../main/channels/router.ts";
import { narrateOptions } from "../../../main/contract/narration.ts";
import { transcribeOptions } from "../../../main/contract/transcript-document.ts";
import { createPool } from "../../../main/engines/pool/pool.ts";
import { createNodePlatform } from "../../../main/cli/platform.ts";
import { shippedModel } from "../../../main/models/shipped-models.ts";
import { createInProcessTasks } from "../../../main/library/process/tasks.ts";
import { createAppEvents } from "../../../main/jobs/events.ts";
import { createJobs } from "../../../main/jobs/jobs.ts";
import { engineModule, createLauncher, quietLog } from "../../support/app.ts";
import { createFakeChannel, toRegisteredChannel } from "../../support/fake-channel.ts";
import { openTestLibrary } from "../../support/library.ts";
import { openTestFolder } from "../../support/test-data.ts";

const dayMs = 86_400_000;

async function openJobs(channels: readonly RegisteredChannel[] = []) {
  const dataDir = await openTestFolder();
  const pool = createPool(
    createLauncher(engineModule, dataDir),
    { size: 1, idleMs: 1000, taskTimeoutMs: 1000 },
    quietLog,
  );
  const database = openTestLibrary();
  const jobs = createJobs({
    database,
    tasks: createInProcessTasks(database),
    dataDir,
    tempDir: () => join(dataDir, "tmp"),
    router: createRouter({
      registry: createRegistry(() => channels),
      metering: createMetering({ usage: { add: () => {} }, prices: () => ({}) }),
      routing: () => ({ aliases: {}, prefer: "listed" }),
    }),
    pool,
    events: createAppEvents(),
    vad: shippedModel("silero-vad"),
    findSpeakers: async () => ({ turns: [], prints: [] }),
    followSpeakers: () => async () => ({ turns: [], prints: [] }),
    voices: () => [],
    speechLanguages: (name) => (name === "tts-1" ? ["en", "de"] : ["en"]),
    launchChild: createNodePlatform(dataDir).launchChild,
    log: quietLog,
  });
  onTestFinished(async () => {
    await jobs.close();
    await pool.close();
  });
  return jobs;
}

it("resumes all other work when one item cannot be resumed", async () => {
  const jobs = await openJobs();
  const [broken, other] = ["Broken", "Other"].map((title) =>
    jobs.items.create({ kind: "transcript", title, source: "recording", state: "recording" }),
  );
  if (broken === undefined || other === undefined) throw new Error("not made");
  await mkdir(join(jobs.items.folder(broken.id), "source.wav"));
  const purging = vi
    .spyOn(jobs.items, "purge")
    .mockRejectedValueOnce(new Error("the disk is away"));
  await jobs.resume();
  expect(purging).toHaveBeenCalledOnce();
  expect(jobs.items.read(broken.id).state).toBe("recording");
  // It has no recorded audio.
  expect(jobs.items.read(other.id).state).toBe("failed");
});

it("resumes nothing after closing began, and closing waits for what is already resuming", async () => {
  const jobs = await openJobs();
  const { id } = jobs.items.create({
    kind: "transcript",
    title: "Left",
    source: "recording",
    state: "recording",
  });
  const purged = Promise.withResolvers<number>();
  vi.spyOn(jobs.items, "purge").mockReturnValueOnce(purged.promise);
  const resuming = jobs.resume();
  const order: string[] = [];
  const closing = jobs.close().then(() => order.push("closed"));
  setTimeout(() => {
    order.push("purged");
    purged.resolve(0);
  }, 100);
  await Promise.all([resuming, closing]);
  expect(order).toEqual(["purged", "closed"]);
  expect(jobs.items.read(id).state).toBe("recording");
});

it("ends a recording once, however many requests come at the same time", async () => {
  const { items, transcriptionJobs, stopWork } = await openJobs();
  const changing = vi.spyOn(items, "change");
  const { id } = await transcriptionJobs.recordings.begin("Memo", transcribeOptions.parse({}));
  await Promise.all([
    transcriptionJobs.recordings.end(id),
    transcriptionJobs.recordings.end(id),
    stopWork(id),
  ]);
  expect(changing.mock.calls.filter(([, { state }]) => state !== undefined)).toHaveLength(1);
});

it("deletes items thirty days after their removal, also while the app runs for months", async () => {
  vi.useFakeTimers({ toFake: ["Date", "setInterval", "clearInterval"] });
  onTestFinished(() => void vi.useRealTimers());
  const jobs = await openJobs();
  await jobs.resume();
  const { id } = jobs.items.create({ kind: "transcript", title: "Old", source: "file" });
  jobs.items.remove(id);
  const left = () => jobs.items.list({ isDeleted: true }).length;
  vi.advanceTimersByTime(29 * dayMs);
  expect(left()).toBe(1);
  vi.advanceTimersByTime(2 * dayMs);
  await expect.poll(left).toBe(0);
});

it("takes only a name whose voices here speak nothing else for one of English", async () => {
  const local = toRegisteredChannel({ ...createFakeChannel(), isLocal: true });
  const { narrationJobs } = await openJobs([local]);
  const otherLanguages = async (model: string) => {
    const script = "Guten Morgen! Wie geht es dir heute?";
    const options = narrateOptions.parse({ model });
    const { id } = narrationJobs.create({ title: "", script, options });
    return (await narrationJobs.read(id)).otherLanguages;
  };
  expect(await otherLanguages("tts-1")).toEqual([]);
  expect(await otherLanguages("tts-1-hd")).toEqual(["de"]);
});
