// A pool of engine processes. The request that has had least of their time goes first, so that a short one is not
// kept waiting by a one-hour file; a task whose child crashes or hangs is tried once more elsewhere; idle children are
// let go, sooner where they hold more memory than they may (memory-limit.ts). Longer than others: it is one state.

import { randomUUID } from "node:crypto";
import { AppError } from "../../contract/errors.ts";
import type { EngineMemory } from "../../contract/speech.ts";
import type { Log } from "../../log.ts";
import type { ChildPort } from "../../platform.ts";
import { ChildLostError } from "./child-lost-error.ts";
import { startEngineProcess, type EngineProcess } from "./engine-process.ts";
import { createMemoryLimit } from "./memory-limit.ts";
import { createModelMemory } from "./model-memory.ts";
import type { ChildMemory, MediaLimits, TaskInput, TaskName, TaskResult } from "./protocol.ts";
import { watchStoppedProcesses } from "../../processes/stopped-process-watcher.ts";

export type PoolPolicy = {
  /** Most child processes at once. */
  size: number;
  /** A child without work for so long is ended. */
  idleMs: number;
  /** A task that takes longer hangs. */
  taskTimeoutMs: number;
  /** What is taken of media; optional; default the children's own limits. */
  mediaLimits?: MediaLimits;
  /** What all child processes may hold together; default no limit. One of them works whatever it holds. */
  memoryLimitBytes?: number;
};

/** What one request runs on the pool. */
export type PoolJob = {
  /**
   * On any child; tried once more when the child is lost or the engine fails.
   * @param preferredSession the session of a pin: the child that keeps it does this too, unless it is gone
   */
  run<Name extends TaskName>(
    name: Name,
    input: TaskInput<Name>,
    preferredSession?: string,
  ): Promise<TaskResult<Name>>;
  /** A child that keeps state for this job until released. Rejects with ChildLost once that child is gone. */
  pin(): PinnedChild;
};

export type PinnedChild = {
  /** Names what the child keeps for this pin. */
  readonly session: string;
  run<Name extends TaskName>(name: Name, input: TaskInput<Name>): Promise<TaskResult<Name>>;
  /** The child forgets the session. */
  release(): void;
};

export type Pool = {
  readonly size: number;
  /** Aborting `signal` takes the job's tasks back, running ones too. */
  job(signal: AbortSignal): PoolJob;
  /** No process is free, and there can be no more: a new task would wait. */
  isBusy(): boolean;
  /** Ids of the processes alive. */
  pids(): number[];
  memory(): EngineMemory;
  close(): Promise<void>;
};

/** One request's tasks that wait, in order, and how much of the children's time it has had, what runs now left out. */
type Queue = { readonly tasks: Task[]; usedMs: number; readonly runningSinceMs: Set<number> };

type Task = {
  readonly queue: Queue;
  name: TaskName;
  input: TaskInput<TaskName>;
  signal: AbortSignal;
  pin: Pin | undefined;
  preferredSession: string | undefined;
  attempts: number;
  /** Attempts that had begun, and so may have failed by the task's own fault. */
  failures: number;
  resolve(value: unknown): void;
  reject(error: unknown): void;
};

type Child = {
  process: EngineProcess;
  busy: boolean;
  /** Pins by their sessions. */ sessions: Map<string, Pin>;
  idleTimer: NodeJS.Timeout | undefined;
  memory(): ChildMemory;
  hasUsedModel: boolean;
  idleMemory: ChildMemory | undefined;
};
/** `child` is chosen with the first task. */
type Pin = {
  readonly session: string;
  child: Child | undefined;
  /** Why nothing more can be run. */ lostReason: string | undefined;
};

/** Time of the children in which a short request is done. */
const newJobBonusMs = 3000;

/** While more memory is held than may be, a child without work is ended after this, unless `idleMs` is shorter. A client that says one sentence after the other is to find it still there. */
const idleMsOverMemoryLimit = 1000;

const maxFailures = 2;
/** Where processes end before they begin, several may have been killed at once, or none starts at all. */
const maxAttempts = 6;

const closingError = (): AppError => new AppError("closing", "Hearsay is shutting down.");

/** @param onMemory called when what the processes hold has changed, see model-memory.ts */
export function createPool(
  launch: () => ChildPort,
  policy: PoolPolicy,
  log: Log,
  onMemory: (memory: EngineMemory) => void = () => {},
): Pool {
  const children = new Set<Child>();
  /** Told to end, and not gone yet. */
  const endingChildren = new Set<Child>();
  const memoryLimit = createMemoryLimit(policy.memoryLimitBytes ?? Infinity);
  const memory = createModelMemory(() => Array.from(children, (child) => child.memory()), onMemory);
  /** Of the jobs that have tasks waiting or running. */
  const queues = new Set<Queue>();
  let isClosed = false;
  const stoppedWatch = watchStoppedProcesses(
    () =>
      Array.from(children)
        .filter(({ busy }) => busy)
        .map(({ process }) => process.port),
    (port) =>
      Array.from(children)
        .find(({ process }) => process.port === port)
        ?.process.terminateStopped(),
  );

  function addChild(): void {
    const process = startEngineProcess(launch, log, memory.update, policy.mediaLimits);
    const child: Child = {
      process,
      busy: false,
      sessions: new Map(),
      idleTimer: undefined,
      memory: process.memory,
      hasUsedModel: false,
      idleMemory: undefined,
    };
    children.add(child);
    void removeWhenExited(child);
  }

  async function removeWhenExited(child: Child): Promise<void> {
    const exitReason = await child.process.exited;
    clearTimeout(child.idleTimer);
    children.delete(child);
    endingChildren.delete(child);
    // Not one reaction a pin on the promise of the end: all of them would live as long as the child does.
    for (const pin of child.sessions.values()) losePin(pin, exitReason);
    memory.update();
    schedule();
  }

  function endChild(child: Child): void {
    clearTimeout(child.idleTimer);
    children.delete(child);
    endingChildren.add(child);
    void child.process.close();
  }

  const canAddChild = (): boolean =>
    children.size < policy.size && memoryLimit.canAdd(children.size + endingChildren.size) === true;
  const hasUnassignedTask = (): boolean =>
    [...queues].some(({ tasks }) => tasks.some(({ pin }) => pin?.child === undefined));

  function schedule(): void {
    if (isClosed) return;
    for (const child of children)
      if (isFree(child) && child.hasUsedModel) child.idleMemory ??= child.memory();
    enforceMemoryLimit();
    for (const child of children) scheduleIdleEnd(child);
    for (;;) {
      const idle = [...children].filter(({ busy }) => !busy);
      const next = idle.length === 0 ? undefined : takeTask(idle);
      if (next === undefined) break;
      void runTaskOn(next.child, next.task);
    }
    if (hasUnassignedTask() && [...children].every(({ busy }) => busy) && canAddChild()) {
      addChild();
      schedule();
    }
  }

  /** Ends children that are free, the largest first, while all hold too much; the last one only where another in its place would hold less. */
  function enforceMemoryLimit(): void {
    const free = [...children]
      .filter(isFree)
      .sort((one, other) => other.memory().rssBytes - one.memory().rssBytes);
    for (const child of free) {
      if (
        memoryLimit.isExceeded([...children]) &&
        (children.size > 1 || (hasUnassignedTask() && memoryLimit.isBloated(child)))
      )
        endChild(child);
    }
  }

  /** Of the job that had least time, the first task that one of the idle children may do. */
  function takeTask(idle: Child[]): { child: Child; task: Task } | undefined {
    for (const queue of [...queues].sort((one, other) => usedTimeMs(one) - usedTimeMs(other))) {
      for (const [position, task] of queue.tasks.entries()) {
        const child = findChildFor(idle, task);
        if (child === undefined) continue;
        queue.tasks.splice(position, 1);
        return { child, task };
      }
    }
    return undefined;
  }

  function enqueue(task: Task, position: number): void {
    const { queue } = task;
    queue.tasks.splice(position, 0, task);
    queues.add(queue);
  }

  function removeQueueWhenDone(queue: Queue): void {
    if (queue.tasks.length === 0 && queue.runningSinceMs.size === 0) queues.delete(queue);
  }

  /** The child that keeps the session; else one with the model loaded, and with few sessions of others. */
  function findChildFor(idle: Child[], { pin, preferredSession, input }: Task): Child | undefined {
    const sessionChild =
      pin?.child ??
      (preferredSession === undefined
        ? undefined
        : [...children].find(({ sessions }) => sessions.has(preferredSession)));
    if (sessionChild !== undefined) return idle.find((child) => child === sessionChild);
    const rank = (child: Child): number =>
      (hasModelLoaded(child, input) ? 0 : 100) + child.sessions.size;
    return idle.reduce((best, child) => (rank(child) < rank(best) ? child : best));
  }

  async function runTaskOn(child: Child, task: Task): Promise<void> {
    child.busy = true;
    const { runningSinceMs } = task.queue;
    const startedMs = performance.now();
    runningSinceMs.add(startedMs);
    clearTimeout(child.idleTimer);
    child.idleTimer = undefined;
    task.attempts += 1;
    if (task.pin !== undefined && task.pin.child === undefined) assignPin(task.pin, child);
    try {
      const result = await child.process.run(
        task.name,
        task.input,
        timeoutForMs(task.name, policy.taskTimeoutMs),
        task.signal,
      );
      child.hasUsedModel ||= "model" in task.input;
      if (child.hasUsedModel) memoryLimit.recordUsage(child.memory().rssBytes);
      task.resolve(result);
    } catch (error) {
      handleFailure(task, error);
    } finally {
      child.busy = false;
      runningSinceMs.delete(startedMs);
      task.queue.usedMs += performance.now() - startedMs;
      removeQueueWhenDone(task.queue);
      // Whoever waited for this may have a task that goes before those in the queue.
      setImmediate(schedule);
    }
  }

  function assignPin(pin: Pin, child: Child): void {
    pin.child = child;
    child.sessions.set(pin.session, pin);
  }

  function losePin(pin: Pin, exitReason: string): void {
    pin.lostReason = exitReason;
    for (const task of removeQueuedTasks((queued) => queued.pin === pin))
      task.reject(new ChildLostError(exitReason));
  }

  function handleFailure(task: Task, error: unknown): void {
    if (!(error instanceof ChildLostError) || error.runningTask !== undefined) task.failures += 1;
    if (task.signal.aborted || error instanceof AppError) {
      task.reject(task.signal.aborted ? task.signal.reason : error);
    } else if (isClosed) {
      task.reject(closingError());
    } else if (task.pin !== undefined) {
      task.reject(error);
    } else if (task.failures < maxFailures && task.attempts < maxAttempts) {
      log.warn({ task: task.name, err: error }, "a task failed and is tried once more");
      enqueue(task, 0);
    } else {
      log.error({ task: task.name, err: error }, "a task failed for good");
      task.reject(
        new AppError("engine_failed", "The speech engine failed on this part twice.", {
          cause: error,
        }),
      );
    }
  }

  function scheduleIdleEnd(child: Child): void {
    if (!isFree(child) || child.idleTimer !== undefined) return;
    child.idleTimer = setTimeout(
      () => endChild(child),
      memoryLimit.isExceeded([...children])
        ? Math.min(policy.idleMs, idleMsOverMemoryLimit)
        : policy.idleMs,
    );
    child.idleTimer.unref();
  }

  /** Removes queued tasks. */
  function removeQueuedTasks(predicate: (task: Task) => boolean): Task[] {
    const removed: Task[] = [];
    for (const queue of queues) {
      removed.push(...queue.tasks.filter(predicate));
      queue.tasks.splice(0, queue.tasks.length, ...queue.tasks.filter((task) => !predicate(task)));
      removeQueueWhenDone(queue);
    }
    return removed;
  }

  function createJob(signal: AbortSignal): PoolJob {
    // A newcomer goes before all others for a while, and is their equal then.
    const minUsedMs = queues.size === 0 ? 0 : Math.min(...[...queues].map(usedTimeMs));
    const queue: Queue = {
      tasks: [],
      usedMs: minUsedMs - newJobBonusMs,
      runningSinceMs: new Set(),
    };
    signal.addEventListener(
      "abort",
      () => {
        for (const task of removeQueuedTasks((queued) => queued.signal === signal))
          task.reject(signal.reason);
      },
      { once: true },
    );

    function submit<Name extends TaskName>(
      name: Name,
      input: TaskInput<Name>,
      pin?: Pin,
      preferredSession?: string,
    ): Promise<TaskResult<Name>> {
      return new Promise((resolve, reject) => {
        signal.throwIfAborted();
        if (isClosed) throw closingError();
        if (pin?.lostReason !== undefined) throw new ChildLostError(pin.lostReason);
        const task: Task = {
          queue,
          name,
          input,
          signal,
          pin,
          preferredSession,
          attempts: 0,
          failures: 0,
          resolve: resolve as (value: unknown) => void,
          reject,
        };
        // What a session waits for is closer to the caller than one more part: it goes before those.
        enqueue(
          task,
          pin === undefined
            ? queue.tasks.length
            : queue.tasks.findLastIndex((queued) => queued.pin !== undefined) + 1,
        );
        schedule();
      });
    }

    return {
      run: (name, input, preferredSession) => submit(name, input, undefined, preferredSession),
      pin() {
        const pin: Pin = { session: randomUUID(), child: undefined, lostReason: undefined };
        return {
          session: pin.session,
          run: (name, input) => submit(name, input, pin),
          release() {
            if (pin.child === undefined) return;
            pin.child.sessions.delete(pin.session);
            pin.child.process.closeSession(pin.session);
            pin.child = undefined;
            pin.lostReason = "released";
            schedule();
          },
        };
      },
    };
  }

  return {
    size: policy.size,
    job: createJob,
    // What ends is gone in a moment, and whether another fits is often known as soon: neither is worth going elsewhere for.
    isBusy: () =>
      [...children].every(({ busy }) => busy) &&
      (children.size >= policy.size || memoryLimit.canAdd(children.size) === false),
    pids: () => [...children].flatMap(({ process: { port } }) => port.pid ?? []),
    memory: memory.snapshot,
    async close() {
      isClosed = true;
      stoppedWatch.close();
      for (const task of removeQueuedTasks(() => true)) task.reject(closingError());
      await Promise.all([...children, ...endingChildren].map((child) => child.process.close()));
    },
  };
}

/** Time of the children that a job has had, up to now. */
function usedTimeMs({ usedMs, runningSinceMs }: Queue): number {
  const nowMs = performance.now();
  return [...runningSinceMs].reduce((sum, sinceMs) => sum + nowMs - sinceMs, usedMs);
}

/** Sound is measured, or an hour of it cut, in one task: as long as decoding gets on, which the child watches itself. */
const timeoutForMs = (name: TaskName, taskTimeoutMs: number): number =>
  name === "duration" || name === "split.step" ? 5 * taskTimeoutMs : taskTimeoutMs;

const isFree = ({ busy, sessions }: Child): boolean => !busy && sessions.size === 0;

function hasModelLoaded(child: Child, input: TaskInput<TaskName>): boolean {
  return "model" in input ? Object.hasOwn(child.memory().models, input.model.id) : true;
}
