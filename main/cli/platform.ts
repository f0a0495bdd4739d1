// Plain Node as the host: engine processes are forked.

import { fork } from "node:child_process";
import {
  afterExitOutput,
  childEnvironment,
  childNodeFlags,
  collectTail,
} from "../processes/host-common.ts";
import type { ChildOptions, ChildPort, Platform } from "../platform.ts";
import { mkdirSync } from "../storage/disk.ts";

/** @throws Error where the data folder cannot be made */
export function createHeadlessPlatform(dataDir: string): Platform {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  return { dataDir, launchChild };
}

function launchChild(modulePath: string, options: ChildOptions = {}): ChildPort {
  // In a group of its own: a terminal's Ctrl-C is for this process, which ends its children in order.
  const detached = process.platform !== "win32";
  // No argument of ours reaches the child, and it prints nothing: only stderr is kept, for failures.
  const child = fork(modulePath, [], {
    env: childEnvironment(),
    execArgv: childNodeFlags(options),
    detached,
    serialization: "advanced",
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  return {
    pid: child.pid,
    send(message) {
      // A child that is just ending is reported by its exit, not by this.
      if (child.connected) child.send(message as object, () => {});
    },
    onMessage: (listener) => child.on("message", listener),
    onExit(listener) {
      let hasReported = false;
      const reportExit = (description: string): void => {
        if (!hasReported) listener(description);
        hasReported = true;
      };
      child.once("exit", (code, signal) =>
        afterExitOutput(child.stderr, () =>
          reportExit(signal === null ? `exited with code ${code}` : `ended by ${signal}`),
        ),
      );
      child.on("error", (error) => reportExit(error.message));
    },
    stderrTail: collectTail(child.stderr),
    kill: () => child.kill("SIGKILL"),
  };
}
