// The pool, the local channel and the whole app for tests: real engine processes in a new data folder, and ways to make
// these processes fail.

import { readdir } from "node:fs/promises";
import { resolve } from "node:path";
import {
  createLocalChannel,
  type LocalChannelOptions,
} from "../../main/inference/local-channel.ts";
import type { LocalChannel } from "../../main/contract/channel.ts";
import type {
  Transcript,
  TranscriptionEvent,
  TranscriptionJob,
} from "../../main/contract/speech.ts";
import { createPool, type Pool, type PoolPolicy } from "../../main/engines/pool/pool.ts";
import { reportUnusableModels } from "../../main/engines/pool/unusable-models.ts";
import type { SentMessage } from "../../main/contract/messages/messages.ts";
import type { ChildMemory, FromChild, ToChild } from "../../main/engines/pool/protocol.ts";
import type { InstalledModel } from "../../main/contract/models.ts";
import { voices } from "../../main/engines/tts/hibari/voices.ts";
import { createSiblingLauncher } from "../../main/processes/sibling-launcher.ts";
import { createNodePlatform } from "../../main/cli/platform.ts";
import { createLog } from "../../main/log.ts";
import { shippedModel } from "../../main/models/shipped-models.ts";
import type { ChildPort } from "../../main/platform.ts";
import { openFolder } from "./test-data.ts";
import { localModels } from "./local-models.ts";

export type Launch = () => ChildPort;

const childModule = (path: string): string => resolve(import.meta.dirname, "..", "..", path);
/** The real engine process. */
export const engineModule = childModule("main/engines/pool/child.ts");
/** The one for models of sherpa-onnx. */
export const sherpaModule = childModule("main/engines/sherpa/child.ts");
/** See scripted-child.ts. */
export const scriptedModule = childModule("test/support/scripted-child.ts");

export const quietLog = createLog("silent");

/** @param dataDir is created if missing */
export function createLauncher(modulePath: string, dataDir: string): Launch {
  const launchChild = createSiblingLauncher(createNodePlatform(dataDir).launchChild);
  return () => launchChild(modulePath);
}

export type TestChannel = {
  channel: LocalChannel;
  pool: Pool;
  /** Names of files that jobs left. */
  leftovers(): Promise<string[]>;
  close(): Promise<void>;
};

export type TestChannelOptions = {
  policy?: Partial<PoolPolicy>;
  wrap?: (launch: Launch) => Launch;
  /** Default: the models that come with the app. */
  local?: Pick<LocalChannelOptions, "models" | "names">;
  onUnusableModel?: (model: string, reason: SentMessage) => void;
};

/** The local channel over real engine processes. The caller has to close it. */
export async function openLocalChannel({
  policy = {},
  wrap = (launch) => launch,
  local = localModels(),
  onUnusableModel = () => {},
}: TestChannelOptions = {}): Promise<TestChannel> {
  const { path: dataDir, remove } = await openFolder();
  const launchers = {
    onnxruntime: wrap(createLauncher(engineModule, dataDir)),
    sherpa: wrap(createLauncher(sherpaModule, dataDir)),
  };
  const pool = reportUnusableModels(
    createPool(
      (runtime) => launchers[runtime](),
      { size: 2, idleMs: 60_000, taskTimeoutMs: 30_000, ...policy },
      quietLog,
    ),
    ({ id }, reason) => onUnusableModel(id, reason),
  );
  const channel = createLocalChannel({
    pool,
    ...local,
    vad: shippedModel("silero-vad"),
    voices,
    tempDir: () => dataDir,
  });
  return {
    channel,
    pool,
    leftovers: () => readdir(dataDir),
    async close() {
      await channel.close();
      await remove();
    },
  };
}

export const neverAborted = (): AbortSignal => new AbortController().signal;

export const transcriptionJob = (
  mediaPath: string,
  overrides: Partial<TranscriptionJob> = {},
): TranscriptionJob => ({
  task: "transcribe",
  model: "whisper-1",
  mediaPath,
  temperature: 0,
  wordTimes: false,
  ...overrides,
});

export async function collectTranscript(
  events: AsyncIterable<TranscriptionEvent>,
): Promise<Transcript> {
  for await (const event of events) if (event.type === "done") return event.transcript;
  throw new Error("no transcript came");
}

export type InjectedFault = "crash" | "fail";

export type Task = Extract<ToChild, { type: "task" }>;

/**
 * Launches children that fail or crash at the tasks that the plan selects. A crash happens once the task has started
 * and its model is loaded.
 */
export function withInjectedFaults(
  launch: Launch,
  plan: (task: Task) => InjectedFault | undefined,
): Launch {
  return () => {
    const port = launch();
    let deliver: ((message: unknown) => void) | undefined;
    let crashTask: Task | undefined;
    let isStarted = false;
    let loadedModels: ChildMemory["models"] = {};
    return {
      ...port,
      onMessage(listener) {
        deliver = listener;
        port.onMessage((raw) => {
          const message = raw as FromChild;
          if (message.type === "memory") loadedModels = message.models;
          isStarted ||= message.type === "started" && message.id === crashTask?.id;
          if (isStarted && canStart(crashTask, loadedModels)) crash(port);
          // A task of milliseconds may be done before the signal arrives.
          const isTooLate = message.type === "done" && message.id === crashTask?.id;
          if (!isTooLate) listener(raw);
        });
      },
      send(raw) {
        const message = raw as ToChild;
        const fault = message.type === "task" ? plan(message) : undefined;
        if (message.type === "task") {
          crashTask = fault === "crash" ? message : undefined;
          isStarted = false;
        }
        if (fault === "fail" && message.type === "task")
          deliver?.({
            type: "failed",
            id: message.id,
            error: "made to fail",
          } satisfies FromChild);
        else port.send(raw);
      },
    };
  };
}

function canStart(task: Task | undefined, loadedModels: ChildMemory["models"]): boolean {
  const { model } = (task?.input ?? {}) as { model?: InstalledModel };
  return model === undefined || Object.hasOwn(loadedModels, model.id);
}

/** SIGSEGV counts as a failure of the engine. A process killed by another signal was killed from outside. */
function crash({ pid }: ChildPort): void {
  if (pid !== undefined) process.kill(pid, "SIGSEGV");
}

/** Whether a process with this id exists. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
