// A pool of engine processes. The request that has had least of their time goes first, so that a short one is not
// kept waiting by a one-hour file; a task whose child crashes or hangs is tried once more elsewhere; idle children are
// let go, sooner where they hold more memory than they may (memory-limit.ts). Longer than others: it is one state.

import { randomUUID } from "node:crypto";
import { AppError } from "../../contract/errors.ts";
import type { EngineMemory } from "../../contract/speech.ts";
import type { Log } from "../../log.ts";
import type { ChildPort } from "../../platform.ts";
import { ChildLost } from "./child-lost.ts";
import { startEngineProcess, type EngineProcess } from "./engine-process.ts";
import { createMemoryLimit } from "./memory-limit.ts";
import { createModelMemory } from "./model-memory.ts";
import type { ChildMemory, MediaLimits, TaskInput, TaskName, TaskResult } from "./protocol.ts";
import { watchStopped } from "../../processes/stopped-watch.ts";

export type PoolPolicy = {
  /** Most child processes at once. */
  size: number;
  /** A child without work for so long is ended. */
  idleMs: number;
  /** A task that takes longer hangs. */
  taskLimitMs: number;
  /** What is taken of media; optional; default the children's own limits. */
  media?: MediaLimits;
  /** What all child processes may hold together; default no limit. One of them works whatever it holds. */
  memoryLimitBytes?: number;
};

/** What one request runs on the pool. */
export type PoolJob = {
  /**
   * On any child; tried once more when the child is lost or the engine fails.
   * @param near the session of a pin: the child that keeps it does this too, unless it is gone
   */
  run<Name extends TaskName>(
    name: Name,
    input: TaskInput<Name>,
    near?: string,
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
  near: string | undefined;
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
  atRest: ChildMemory | undefined;
};
/** `child` is chosen with the first task. */
type Pin = {
  readonly session: string;
  child: Child | undefined;
  /** Why nothing more can be run. */ lost: string | undefined;
};

/** Time of the children in which a short request is done. */
const headStartMs = 3000;

/** While more memory is held than may be, a child without work is ended after this, unless `idleMs` is shorter. A client that says one sentence after the other is to find it still there. */
const idleOverLimitMs = 1000;

const maxFailures = 2;
/** Where processes end before they begin, several may have been killed at once, or none starts at all. */
const maxAttempts = 6;

const closing = (): AppError => new AppError("closing", "Hearsay is shutting down.");

/** @param onMemory called when what the processes hold has changed, see model-memory.ts */
export function createPool(
  launch: () => ChildPort,
  policy: PoolPolicy,
  log: Log,
  onMemory: (memory: EngineMemory) => void = () => {},
): Pool {
  const children = new Set<Child>();
  /** Told to end, and not gone yet. */
  const ending = new Set<Child>();
  const limit = createMemoryLimit(policy.memoryLimitBytes ?? Infinity);
  const memory = createModelMemory(() => Array.from(children, (child) => child.memory()), onMemory);
  /** Of the jobs that have tasks waiting or running. */
  const queues = new Set<Queue>();
  let closed = false;
  const stoppedWatch = watchStopped(
    () =>
      Array.from(children)
        .filter(({ busy }) => busy)
        .map(({ process }) => process.port),
    (port) =>
      Array.from(children)
        .find(({ process }) => process.port === port)
        ?.process.loseStopped(),
  );

  function addChild(): void {
    const process = startEngineProcess(launch, log, memory.note, policy.media);
    const child: Child = {
      process,
      busy: false,
      sessions: new Map(),
      idleTimer: undefined,
      memory: process.memory,
      hasUsedModel: false,
      atRest: undefined,
    };
    children.add(child);
    void dropWhenEnded(child);
  }

  async function dropWhenEnded(child: Child): Promise<void> {
    const why = await child.process.exited;
    clearTimeout(child.idleTimer);
    children.delete(child);
    ending.delete(child);
    // Not one reaction a pin on the promise of the end: all of them would live as long as the child does.
    for (const pin of child.sessions.values()) lose(pin, why);
    memory.note();
    schedule();
  }

  function end(child: Child): void {
    clearTimeout(child.idleTimer);
    children.delete(child);
    ending.add(child);
    void child.process.close();
  }

  const mayAdd = (): boolean =>
    children.size < policy.size && limit.fits(children.size + ending.size) === true;
  const isWaiting = (): boolean =>
    [...queues].some(({ tasks }) => tasks.some(({ pin }) => pin?.child === undefined));

  function schedule(): void {
    if (closed) return;
    for (const child of children)
      if (isFree(child) && child.hasUsedModel) child.atRest ??= child.memory();
    keepLimit();
    for (const child of children) letGoWhenIdle(child);
    for (;;) {
      const idle = [...children].filter(({ busy }) => !busy);
      const next = idle.length === 0 ? undefined : takeTask(idle);
      if (next === undefined) break;
      void runOn(next.child, next.task);
    }
    if (isWaiting() && [...children].every(({ busy }) => busy) && mayAdd()) {
      addChild();
      schedule();
    }
  }

  /** Ends children that are free, the largest first, while all hold too much; the last one only where another in its place would hold less. */
  function keepLimit(): void {
    const free = [...children]
      .filter(isFree)
      .sort((one, other) => other.memory().rssBytes - one.memory().rssBytes);
    for (const child of free) {
      if (
        limit.isOver([...children]) &&
        (children.size > 1 || (isWaiting() && limit.isBloated(child)))
      )
        end(child);
    }
  }

  /** Of the job that had least time, the first task that one of the idle children may do. */
  function takeTask(idle: Child[]): { child: Child; task: Task } | undefined {
    for (const queue of [...queues].sort((one, other) => hadMs(one) - hadMs(other))) {
      for (const [place, task] of queue.tasks.entries()) {
        const child = fitting(idle, task);
        if (child === undefined) continue;
        queue.tasks.splice(place, 1);
        return { child, task };
      }
    }
    return undefined;
  }

  function enqueue(task: Task, place: number): void {
    const { queue } = task;
    queue.tasks.splice(place, 0, task);
    queues.add(queue);
  }

  function dropWhenDone(queue: Queue): void {
    if (queue.tasks.length === 0 && queue.runningSinceMs.size === 0) queues.delete(queue);
  }

  /** The child that keeps the session; else one with the model loaded, and with few sessions of others. */
  function fitting(idle: Child[], { pin, near, input }: Task): Child | undefined {
    const home =
      pin?.child ??
      (near === undefined ? undefined : [...children].find(({ sessions }) => sessions.has(near)));
    if (home !== undefined) return idle.find((child) => child === home);
    const rank = (child: Child): number => (isWarm(child, input) ? 0 : 100) + child.sessions.size;
    return idle.reduce((best, child) => (rank(child) < rank(best) ? child : best));
  }

  async function runOn(child: Child, task: Task): Promise<void> {
    child.busy = true;
    const { runningSinceMs } = task.queue;
    const begunMs = performance.now();
    runningSinceMs.add(begunMs);
    clearTimeout(child.idleTimer);
    child.idleTimer = undefined;
    task.attempts += 1;
    if (task.pin !== undefined && task.pin.child === undefined) pinTo(task.pin, child);
    try {
      const result = await child.process.run(
        task.name,
        task.input,
        limitMs(task.name, policy.taskLimitMs),
        task.signal,
      );
      child.hasUsedModel ||= "model" in task.input;
      if (child.hasUsedModel) limit.learn(child.memory().rssBytes);
      task.resolve(result);
    } catch (error) {
      settleFailure(task, error);
    } finally {
      child.busy = false;
      runningSinceMs.delete(begunMs);
      task.queue.usedMs += performance.now() - begunMs;
      dropWhenDone(task.queue);
      // Whoever waited for this may have a task that goes before those in the queue.
      setImmediate(schedule);
    }
  }

  function pinTo(pin: Pin, child: Child): void {
    pin.child = child;
    child.sessions.set(pin.session, pin);
  }

  function lose(pin: Pin, why: string): void {
    pin.lost = why;
    for (const task of takeBack((queued) => queued.pin === pin)) task.reject(new ChildLost(why));
  }

  function settleFailure(task: Task, error: unknown): void {
    if (!(error instanceof ChildLost) || error.during !== undefined) task.failures += 1;
    if (task.signal.aborted || error instanceof AppError) {
      task.reject(task.signal.aborted ? task.signal.reason : error);
    } else if (closed) {
      task.reject(closing());
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

  function letGoWhenIdle(child: Child): void {
    if (!isFree(child) || child.idleTimer !== undefined) return;
    child.idleTimer = setTimeout(
      () => end(child),
      limit.isOver([...children]) ? Math.min(policy.idleMs, idleOverLimitMs) : policy.idleMs,
    );
    child.idleTimer.unref();
  }

  /** Removes queued tasks. */
  function takeBack(which: (task: Task) => boolean): Task[] {
    const taken: Task[] = [];
    for (const queue of queues) {
      taken.push(...queue.tasks.filter(which));
      queue.tasks.splice(0, queue.tasks.length, ...queue.tasks.filter((task) => !which(task)));
      dropWhenDone(queue);
    }
    return taken;
  }

  function createJob(signal: AbortSignal): PoolJob {
    // A newcomer goes before all others for a while, and is their equal then.
    const minMs = queues.size === 0 ? 0 : Math.min(...[...queues].map(hadMs));
    const queue: Queue = { tasks: [], usedMs: minMs - headStartMs, runningSinceMs: new Set() };
    signal.addEventListener(
      "abort",
      () => {
        for (const task of takeBack((queued) => queued.signal === signal))
          task.reject(signal.reason);
      },
      { once: true },
    );

    function submit<Name extends TaskName>(
      name: Name,
      input: TaskInput<Name>,
      pin?: Pin,
      near?: string,
    ): Promise<TaskResult<Name>> {
      return new Promise((resolve, reject) => {
        signal.throwIfAborted();
        if (closed) throw closing();
        if (pin?.lost !== undefined) throw new ChildLost(pin.lost);
        const task: Task = {
          queue,
          name,
          input,
          signal,
          pin,
          near,
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
      run: (name, input, near) => submit(name, input, undefined, near),
      pin() {
        const pin: Pin = { session: randomUUID(), child: undefined, lost: undefined };
        return {
          session: pin.session,
          run: (name, input) => submit(name, input, pin),
          release() {
            if (pin.child === undefined) return;
            pin.child.sessions.delete(pin.session);
            pin.child.process.forget(pin.session);
            pin.child = undefined;
            pin.lost = "released";
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
      (children.size >= policy.size || limit.fits(children.size) === false),
    pids: () => [...children].flatMap(({ process: { port } }) => port.pid ?? []),
    memory: memory.read,
    async close() {
      closed = true;
      stoppedWatch.close();
      for (const task of takeBack(() => true)) task.reject(closing());
      await Promise.all([...children, ...ending].map((child) => child.process.close()));
    },
  };
}

/** Time of the children that a job has had, up to now. */
function hadMs({ usedMs, runningSinceMs }: Queue): number {
  const nowMs = performance.now();
  return [...runningSinceMs].reduce((sum, sinceMs) => sum + nowMs - sinceMs, usedMs);
}

/** Sound is measured, or an hour of it cut, in one task: as long as decoding gets on, which the child watches itself. */
const limitMs = (name: TaskName, taskLimitMs: number): number =>
  name === "duration" || name === "cut.step" ? 5 * taskLimitMs : taskLimitMs;

const isFree = ({ busy, sessions }: Child): boolean => !busy && sessions.size === 0;

function isWarm(child: Child, input: TaskInput<TaskName>): boolean {
  return "model" in input ? Object.hasOwn(child.memory().models, input.model.id) : true;
}
