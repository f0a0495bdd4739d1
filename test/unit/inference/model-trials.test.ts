// What a trial makes of failures and wrong results, with a scripted pool. See test/engine/model-trials.test.ts for
// engines.

import { writeFile } from "node:fs/promises";
import { expect, it, onTestFinished, vi } from "vitest";
import { AppError } from "../../../main/contract/errors.ts";
import { createMessage } from "../../../main/contract/messages/messages.ts";
import type { Pool } from "../../../main/engines/pool/pool.ts";
import { createPoolJob } from "../../../main/engines/pool/pool-job.ts";
import { watchPoolUse } from "../../../main/engines/pool/pool-use.ts";
import type { TaskInput, TaskName } from "../../../main/engines/pool/protocol.ts";
import { createModelTrials, type ModelTrialsDeps } from "../../../main/inference/model-trials.ts";
import { createModelStore } from "../../../main/models/model-store.ts";
import { shippedModel } from "../../../main/models/shipped-models.ts";
import { neverAborted, quietLog } from "../../support/app.ts";
import { installCopy } from "../../support/local-models.ts";
import { openTestFolder } from "../../support/test-data.ts";

const model = "moonshine-base";
const speechSegment = { fromSec: 0, toSec: 3, startSec: 0, endSec: 3, voicedSec: 3, voiceProb: 1 };

/** Finds one speech segment. @param pcm of every sentence */
const scriptedPool = (transcribe: () => Promise<never>, pcm = new Uint8Array()): Pool => {
  const answers: Partial<Record<TaskName, (input: never) => unknown>> = {
    "segment.open": () => ({ durationSec: 3 }),
    "segment.step": () => ({ speechSegments: [speechSegment], processedSec: 3, ended: true }),
    transcribe,
    async synthesize({ pcmPath }: TaskInput<"synthesize">) {
      await writeFile(pcmPath, pcm);
      return { durationSec: pcm.length / 48_000 };
    },
    "encode.push": () => pcm,
    "encode.finish": () => new Uint8Array(),
  };
  const run = async (name: TaskName, input: unknown): Promise<never> =>
    (await answers[name]?.(input as never)) as never;
  return {
    size: 1,
    isBusy: () => false,
    pids: () => [],
    memory: () => ({
      processes: 1,
      bytes: 1,
      models: new Map([["hibari", { bytes: 9, isLoaded: true }]]),
    }),
    unload() {},
    close: () => Promise.resolve(),
    job: () => createPoolJob({ run, pin: () => ({ session: "one", run, release() {} }) }),
  };
};

const unusedPool = { untilQuiet: () => Promise.resolve(), onUse: () => () => {}, unload() {} };

async function openTrials(
  trialPool: Pool,
  { language = "en", ...main }: Partial<ModelTrialsDeps> & { language?: string } = {},
) {
  const dataDir = await openTestFolder();
  const store = createModelStore({ dataDir, log: quietLog });
  const listProviders = vi.fn<ModelTrialsDeps["listProviders"]>(() => Promise.resolve([]));
  const trials = createModelTrials({
    store,
    readClip: () =>
      Promise.resolve({ bytes: new Uint8Array(), text: "Good morning.", language, durationSec: 3 }),
    createPool: () => trialPool,
    vad: shippedModel("silero-vad"),
    voices: [{ id: "nova", name: "Nova", character: "", language: "en" }],
    tempDir: () => dataDir,
    listProviders,
    mainPool: unusedPool,
    log: quietLog,
    ...main,
  });
  onTestFinished(() => trials.close());
  return { store, trials, listProviders };
}
const failingPool = (failure: AppError): Pool => scriptedPool(() => Promise.reject(failure));

it("sets a model aside if the engine fails with it", async () => {
  const { store, trials } = await openTrials(failingPool(new AppError("engine.partFailed")));
  const failure = { id: "model.doesNotWork", params: { reason: { id: "engine.partFailed" } } };
  await expect(trials.run(model, neverAborted())).rejects.toMatchObject({ sent: failure });
  expect(store.find(model)?.damaged).toMatchObject(failure);
});

it("records nothing of a model that was replaced meanwhile, within the same second too", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  onTestFinished(() => void vi.useRealTimers());
  const id = "english-copy";
  const moonshine = shippedModel(model);
  const others = moonshine.files.map((file) => ({ ...file, sha256: "0".repeat(64) }));
  const replacing = scriptedPool(async () => {
    await installCopy(opened.store, moonshine, { id, files: others });
    return [[]] as never;
  });
  const opened = await openTrials(replacing);
  await installCopy(opened.store, moonshine, { id });
  await expect(opened.trials.run(id, neverAborted())).rejects.toMatchObject({
    sent: { id: "model.removed" },
  });
  expect(opened.store.find(id)?.measured).toBeUndefined();
});

const advice = createMessage("model.adviceFree");
it.each([
  [
    "does not fit into memory",
    new AppError("model.tooLarge", { model, needed: 2, free: 1, advice }),
  ],
  ["loses its processes to a kill", new AppError("engine.keepsStopping")],
  ["needs a damaged one", new AppError("model.damaged", { file: "vad", model: "silero-vad" })],
])("does not set aside a model that %s", async (_, error) => {
  const { store, trials } = await openTrials(failingPool(error));
  await expect(trials.run(model, neverAborted())).rejects.toMatchObject({
    sent: { id: error.sent.id },
  });
  expect(store.find(model)?.damaged).toBeUndefined();
});

it("stores a doubt and no speed for a model that recognizes nothing of a clip in its language", async () => {
  const emptyTranscripts = scriptedPool(() => Promise.resolve([[]] as never));
  const { store, trials, listProviders } = await openTrials(emptyTranscripts);
  await trials.run(model, neverAborted());
  expect(store.find(model)?.measured).toEqual({
    doubt: createMessage("model.wrongText", { text: "", expected: "Good morning." }),
    measuredAt: expect.any(Number),
  });
  expect(store.find(model)?.damaged).toBeUndefined();
  expect(listProviders).not.toHaveBeenCalled();
});

it("does not doubt a model for a clip in a language that it does not know", async () => {
  const emptyTranscripts = scriptedPool(() => Promise.resolve([[]] as never));
  const { trials, listProviders } = await openTrials(emptyTranscripts, { language: "fr" });
  expect(await trials.run(model, neverAborted())).toEqual({
    speed: expect.any(Number),
    measuredAt: expect.any(Number),
  });
  expect(listProviders).not.toHaveBeenCalled();
});

it.each([
  ["silence", new Uint8Array(48_000)],
  ["nothing", new Uint8Array()],
])("doubts a model that generates %s", async (_, pcm) => {
  const { trials } = await openTrials(scriptedPool(() => Promise.reject(new Error()), pcm));
  expect(await trials.run("hibari", neverAborted())).toEqual({
    memoryBytes: 9,
    doubt: createMessage("model.silence"),
    measuredAt: expect.any(Number),
  });
});

/** A main pool with one task, which runs until it is ended. */
function openMainPool() {
  const task = Promise.withResolvers<never>();
  const mainPool = watchPoolUse(
    scriptedPool(() => task.promise),
    1,
  );
  const untilQuiet = vi.spyOn(mainPool, "untilQuiet");
  const use = () =>
    void mainPool.job(neverAborted()).run("transcribe", {} as TaskInput<"transcribe">);
  return { mainPool, untilQuiet, use, end: () => task.resolve([[]] as never) };
}
/** In another language than the clip's, so that any transcript is right. */
const french = { language: "fr" };
const nothingRecognized = () => Promise.resolve([[]] as never);

it("begins a trial once the main pool is not used", async () => {
  const { mainPool, untilQuiet, use, end } = openMainPool();
  const createPool = vi.fn<ModelTrialsDeps["createPool"]>(() => scriptedPool(nothingRecognized));
  const { trials } = await openTrials(scriptedPool(nothingRecognized), {
    ...french,
    mainPool,
    createPool,
  });
  use();
  const trial = trials.run(model, neverAborted());
  await vi.waitFor(() => expect(untilQuiet).toHaveBeenCalled());
  expect(createPool).not.toHaveBeenCalled();
  end();
  await trial;
  expect(createPool).toHaveBeenCalledOnce();
});

it("begins a trial anew if the main pool is used meanwhile", async () => {
  const { mainPool, use, end } = openMainPool();
  const createPool = vi.fn<ModelTrialsDeps["createPool"]>(() =>
    scriptedPool(() => {
      if (createPool.mock.calls.length === 1) use();
      end();
      return nothingRecognized();
    }),
  );
  const { store, trials } = await openTrials(scriptedPool(nothingRecognized), {
    ...french,
    mainPool,
    createPool,
  });
  await trials.run(model, neverAborted());
  expect(createPool).toHaveBeenCalledTimes(2);
  expect(store.find(model)?.measured?.speed).toBeGreaterThan(0);
});

it("says that the main pool is used all the time, and tries a new model later", async () => {
  const { mainPool, untilQuiet, use, end } = openMainPool();
  const busy = { ...french, mainPool, maxWaitMs: 1 };
  const { store, trials } = await openTrials(scriptedPool(nothingRecognized), busy);
  use();
  await expect(trials.run(model, neverAborted())).rejects.toMatchObject({
    sent: { id: "model.trialBusy" },
  });
  expect(store.find(model)?.measured).toBeUndefined();
  trials.start();
  const { id } = await installCopy(store, shippedModel(model), { id: "english-copy" });
  await vi.waitFor(() => expect(untilQuiet.mock.calls.length).toBeGreaterThan(3));
  end();
  await vi.waitFor(() => expect(store.find(id)?.measured).toBeDefined());
});

it("frees the main pool's copy of a large model first", async () => {
  const files = [{ name: "weights", sizeBytes: 4e8, sha256: "" }];
  const large = { ...shippedModel(model), files };
  const unload = vi.fn<Pool["unload"]>();
  const { trials } = await openTrials(scriptedPool(nothingRecognized), {
    ...french,
    mainPool: { ...unusedPool, unload },
    store: {
      list: () => [large],
      find: () => large,
      setDamaged() {},
      recordMeasurement() {},
      onChange: () => () => {},
    },
  });
  await trials.run(model, neverAborted());
  expect(unload).toHaveBeenCalledExactlyOnceWith(model);
});
