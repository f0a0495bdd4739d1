// An engine process for tests of the pool: speaks the protocol, has no engine, and does as the lines of a
// `phonemes` task say, also about the memory it holds; `duration` does what the file is called, and marks the file. `listen.open` keeps a session, `listen.step` tells how often it was asked.

import { appendFileSync, existsSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { connectToParent } from "../../main/processes/parent-port.ts";
import { startTaskWatchdog } from "../../main/engines/pool/task-watchdog.ts";
import type {
  ChildMemory,
  FromChild,
  TaskInput,
  ToChild,
} from "../../main/engines/pool/protocol.ts";

/** As in a real child, with limits that a test reaches at once. */
const workWatch = startTaskWatchdog({ maxMediaMb: 300, mediaGrowthMb: 60, stallMs: 400 });
const parent = connectToParent(workWatch.state);
const send = (message: FromChild): void => parent.send(message);
let memory: ChildMemory = { rssBytes: 0, models: {} };
const allocated: Buffer[] = [];
const sessions = new Map<string, number>();

function respond(message: FromChild): void {
  if (message.type === "done" || message.type === "failed") send({ type: "memory", ...memory });
  send(message);
}

const commands: Record<string, (id: number, argument: string) => string | undefined> = {
  say: (_, text) => text,
  pid: () => String(process.pid),
  /** Holds what it is told, a ChildMemory as JSON; says its pid. */
  hold(_, text) {
    memory = JSON.parse(text) as ChildMemory;
    return String(process.pid);
  },
  /** What this child keeps. */
  sessions: () => String(sessions.size),
  note(_, path) {
    appendFileSync(path, "x");
    return "noted";
  },
  crash: () => process.exit(7),
  /** Crashes unless the file is there, which it makes. */
  crashOnce(_, path) {
    if (existsSync(path)) return "survived";
    writeFileSync(path, "");
    process.exit(7);
  },
  fail(id) {
    respond({ type: "failed", id, message: "as told" });
    return undefined;
  },
  refuse(id) {
    respond({ type: "failed", id, message: "not this", key: "invalid_value", param: "voice" });
    return undefined;
  },
  /** Never answers; a cancel ends it. */
  hang: () => undefined,
  /** Works for so many milliseconds. */
  spin(_, ms) {
    const end = performance.now() + Number(ms);
    while (performance.now() < end);
    return "spun";
  },
  /** Blocks even the event loop. */
  block() {
    for (;;);
  },
};

/** What a media file does to the child that decodes it. */
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
  if (message.type === "forget") sessions.delete(message.session);
  if (message.type === "cancel") respond({ type: "failed", id: message.id, message: "cancelled" });
  if (message.type !== "task") return;
  const { id, name, input } = message;
  respond({ type: "started", id });
  if (name === "phonemes") {
    const { model, lines } = input as TaskInput<"phonemes">;
    const [command = "", argument = ""] = lines;
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
