// A child process without an engine for tests of the pool: speaks the protocol and obeys the lines of a `phonemes`
// task, also about the memory it reports. A model counts as loaded with the next report, and ends the process while
// loading on WebGPU. `duration` acts by the name of the file and appends to it. `segment.open` keeps a session;
// `segment.step` returns how often it was called.

import { appendFileSync, existsSync, writeFileSync, writeSync } from "node:fs";
import { basename } from "node:path";
import { connectToParent } from "../../main/processes/parent-port.ts";
import { watchdogMarker } from "../../main/processes/watchdog-state.ts";
import { startTaskWatchdog } from "../../main/engines/pool/task-watchdog.ts";
import type {
  ChildMemory,
  FromChild,
  TaskInput,
  ToChild,
} from "../../main/engines/pool/protocol.ts";

/** As in a real child, with limits that tests reach quickly. */
const workWatch = startTaskWatchdog({ maxMediaMb: 300, mediaGrowthMb: 60, stallMs: 400 });
const parent = connectToParent(workWatch.state);
const send = (message: FromChild): void => parent.send(message);
let memory: ChildMemory = { rssBytes: 0, models: {} };
const allocated: Buffer[] = [];
const sessions = new Map<string, number>();
let largeModelThreads = 0;

function respond(message: FromChild): void {
  if (message.type === "done" || message.type === "failed") send({ type: "memory", ...memory });
  send(message);
}

const reportLoaded = (): void => send({ type: "memory", ...memory });

const commands: Record<string, (id: number, argument: string) => string | undefined> = {
  echo: (_, text) => text,
  pid: () => String(process.pid),
  /** For a large model. */
  threads: () => String(largeModelThreads),
  /** Reports this ChildMemory (JSON) from now on; returns its pid. */
  hold(_, text) {
    memory = JSON.parse(text) as ChildMemory;
    return String(process.pid);
  },
  /** Holds these models (JSON: id → bytes) besides what it holds; returns its pid. */
  add(_, text) {
    const models = { ...memory.models, ...(JSON.parse(text) as ChildMemory["models"]) };
    memory = { rssBytes: Object.values(models).reduce((sum, bytes) => sum + bytes, 0), models };
    return String(process.pid);
  },
  /** Number of open sessions. */
  sessions: () => String(sessions.size),
  note(_, path) {
    appendFileSync(path, "x");
    return "noted";
  },
  crash() {
    reportLoaded();
    process.exit(7);
  },
  crashLoading: () => process.exit(7),
  /** Creates the file and crashes while loading; returns 1 if the file exists. */
  crashLoadingOnce(_, path) {
    if (existsSync(path)) return "1";
    writeFileSync(path, "");
    process.exit(7);
  },
  /** Ends as by its watchdog, before its model is loaded. */
  exceedMemoryLoading() {
    writeSync(2, `${watchdogMarker("memory")} too much\n`);
    process.kill(process.pid, "SIGKILL");
    return undefined;
  },
  /** The same with the model loaded. */
  exceedMemory() {
    reportLoaded();
    return commands["exceedMemoryLoading"]?.(0, "");
  },
  killed() {
    process.kill(process.pid, "SIGKILL");
    return undefined;
  },
  /** Creates the file and crashes; survives if the file exists. */
  crashOnce(_, path) {
    if (existsSync(path)) return "survived";
    writeFileSync(path, "");
    reportLoaded();
    process.exit(7);
  },
  fail(id) {
    respond({ type: "failed", id, error: "scripted failure" });
    return undefined;
  },
  refuse(id) {
    respond({
      type: "failed",
      id,
      error: { key: "invalid_value", id: "verbatim", params: { text: "not this" }, param: "voice" },
    });
    return undefined;
  },
  /** Never responds; a cancellation ends it. Its model counts as being loaded. */
  hang: () => undefined,
  /** The same with a model that is loaded. */
  hangLoaded() {
    reportLoaded();
    return undefined;
  },
  /** Busy for this number of milliseconds. */
  spin(_, ms) {
    const end = performance.now() + Number(ms);
    while (performance.now() < end);
    return "spun";
  },
  /** Blocks the event loop forever. */
  block() {
    for (;;);
  },
};

/** What decoding a file of this name does to the child. */
const media: Record<string, () => void> = {
  grow() {
    for (;;) allocated.push(Buffer.alloc(2 ** 22, 1));
  },
  block() {
    for (;;);
  },
};

parent.onMessage((raw) => {
  const message = raw as ToChild;
  if (message.type === "close") process.exit(0);
  if (message.type === "setup") ({ largeModelThreads } = message.setup);
  if (message.type === "forget") sessions.delete(message.session);
  if (message.type === "cancel") respond({ type: "failed", id: message.id, error: "cancelled" });
  if (message.type !== "task") return;
  const { id, name, input } = message;
  respond({ type: "started", id });
  if (name === "phonemes") {
    const { model, lines } = input as TaskInput<"phonemes">;
    // Its driver is broken.
    const [command = "", argument = ""] = model.provider === "webgpu" ? ["crashLoading"] : lines;
    memory = { ...memory, models: { [model.id]: 0, ...memory.models } };
    const result = commands[command]?.(id, argument);
    if (result !== undefined) respond({ type: "done", id, result: [result] });
  } else if (name === "duration") {
    appendFileSync((input as TaskInput<"duration">).mediaPath, "x");
    workWatch.begin(name);
    media[basename((input as TaskInput<"duration">).mediaPath)]?.();
    workWatch.end();
    respond({ type: "done", id, result: { durationSec: 1 } });
  } else if (name === "segment.open") {
    sessions.set((input as TaskInput<"segment.open">).session, 0);
    respond({ type: "done", id, result: { durationSec: undefined } });
  } else {
    const { session } = input as TaskInput<"segment.step">;
    const steps = (sessions.get(session) ?? -1) + 1;
    sessions.set(session, steps);
    respond({
      type: "done",
      id,
      result: { speechSegments: [], processedSec: steps, ended: false },
    });
  }
});

respond({ type: "ready" });
