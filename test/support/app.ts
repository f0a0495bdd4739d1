// The pool, the local channel and the whole app for tests: real engine processes in a data folder of their own,
// and ways to make those processes fail on command.

import { readdir } from "node:fs/promises";
import { resolve } from "node:path";
import { createLocalChannel } from "../../main/inference/local-channel.ts";
import type { LocalChannel } from "../../main/contract/channel.ts";
import type {
  Transcript,
  TranscriptionEvent,
  TranscriptionJob,
} from "../../main/contract/speech.ts";
import { createPool, type Pool, type PoolPolicy } from "../../main/engines/pool/pool.ts";
import type { FromChild, ToChild } from "../../main/engines/pool/protocol.ts";
import { voices } from "../../main/engines/tts/hibari/voices.ts";
import { createSiblingLauncher } from "../../main/processes/sibling-launcher.ts";
import { createHeadlessPlatform } from "../../main/cli/platform.ts";
import { createLog } from "../../main/log.ts";
import { listAvailableModels } from "../../main/models/available-models.ts";
import { modelBundle } from "../../main/models/store.ts";
import type { ChildPort } from "../../main/platform.ts";
import { openFolder } from "./test-data.ts";

export type Launch = () => ChildPort;

const childModule = (path: string): string => resolve(import.meta.dirname, "..", "..", path);
/** The real engine process. */
export const engineModule = childModule("main/engines/pool/child.ts");
/** scripted-child.ts: does what it is told. */
export const scriptedModule = childModule("test/support/scripted-child.ts");

export const quietLog = createLog("silent");

/** @param dataDir exists or is made */
export function createLauncher(modulePath: string, dataDir: string): Launch {
  const launchChild = createSiblingLauncher(createHeadlessPlatform(dataDir).launchChild);
  return () => launchChild(modulePath);
}

export type TestChannel = {
  channel: LocalChannel;
  pool: Pool;
  /** What jobs left behind. */
  leftovers(): Promise<string[]>;
  close(): Promise<void>;
};

export type TestChannelOptions = {
  policy?: Partial<PoolPolicy>;
  wrap?: (launch: Launch) => Launch;
};

/** The local channel over real engine processes. To be closed. */
export async function openLocalChannel({
  policy = {},
  wrap = (launch) => launch,
}: TestChannelOptions = {}): Promise<TestChannel> {
  const { path: dataDir, remove } = await openFolder();
  const pool = createPool(
    wrap(createLauncher(engineModule, dataDir)),
    { size: 2, idleMs: 60_000, taskTimeoutMs: 30_000, ...policy },
    quietLog,
  );
  const channel = createLocalChannel({
    pool,
    models: listAvailableModels(),
    vad: modelBundle("silero-vad"),
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

/** Children that fail at the tasks the plan names, or are killed as soon as they have begun them. */
export function withInjectedFaults(
  launch: Launch,
  plan: (task: Task) => InjectedFault | undefined,
): Launch {
  return () => {
    const port = launch();
    let deliver: ((message: unknown) => void) | undefined;
    let crashTaskId: number | undefined;
    return {
      ...port,
      onMessage(listener) {
        deliver = listener;
        port.onMessage((raw) => {
          const message = raw as FromChild;
          if (message.type === "started" && message.id === crashTaskId) crash(port);
          listener(raw);
        });
      },
      send(raw) {
        const message = raw as ToChild;
        const fault = message.type === "task" ? plan(message) : undefined;
        if (fault === "crash" && message.type === "task") crashTaskId = message.id;
        if (fault === "fail" && message.type === "task")
          deliver?.({
            type: "failed",
            id: message.id,
            message: "made to fail",
          } satisfies FromChild);
        else port.send(raw);
      },
    };
  };
}

/** As an engine that comes to grief; what is killed from outside is nobody's fault. */
function crash({ pid }: ChildPort): void {
  if (pid !== undefined) process.kill(pid, "SIGSEGV");
}

/** Is a process of that id alive? */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
