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

/** @throws Error if the data folder cannot be created */
export function createNodePlatform(dataDir: string): Platform {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  return { dataDir, launchChild };
}

function launchChild(modulePath: string, options: ChildOptions = {}): ChildPort {
  // Own process group: Ctrl-C in a terminal reaches only this process, which stops its children in order.
  const detached = process.platform !== "win32";
  // Only stderr is kept, for error reports: the child has no arguments and no output.
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
      // If the child is ending, its exit event reports that, not this callback.
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
