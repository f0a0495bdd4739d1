// Electron host: child processes are utility processes, since a packaged Electron cannot fork itself.

import { type UtilityProcess, utilityProcess } from "electron";
import {
  afterExitOutput,
  childEnvironment,
  childNodeFlags,
  collectTail,
} from "../processes/host-common.ts";
import type { ChildOptions, ChildPort, Platform } from "../platform.ts";
import { mkdirSync } from "../storage/disk.ts";

export type DesktopPlatformDeps = Pick<Platform, "dataDir" | "secretBox" | "findProxy" | "dictate">;

/** @throws Error if the data folder cannot be created */
export function createDesktopPlatform(deps: DesktopPlatformDeps): Platform {
  mkdirSync(deps.dataDir, { recursive: true, mode: 0o700 });
  return { ...deps, launchChild };
}

function launchChild(modulePath: string, options: ChildOptions = {}): ChildPort {
  const child = utilityProcess.fork(modulePath, [], {
    serviceName: "Hearsay engine",
    env: childEnvironment(),
    execArgv: childNodeFlags(options),
    stdio: ["ignore", "ignore", "pipe"],
  });
  let isKillRequested = false;
  child.once("spawn", () => {
    if (isKillRequested) killProcess(child);
  });
  let fatalError = "";
  child.on("error", (type, location) => {
    fatalError = `: ${type} at ${location}`;
  });
  return {
    get pid() {
      return child.pid;
    },
    send: (message) => child.postMessage(message, []),
    onMessage: (listener) => child.on("message", listener),
    onExit: (listener) =>
      child.once("exit", (code) =>
        afterExitOutput(child.stderr, () => listener(`exited with code ${code}${fatalError}`)),
      ),
    stderrTail: collectTail(child.stderr),
    kill() {
      isKillRequested = true;
      killProcess(child);
    },
  };
}

/** SIGKILL: Electron's kill() sends SIGTERM, which a stuck child does not handle. */
function killProcess(child: UtilityProcess): void {
  const { pid } = child;
  if (pid === undefined) return;
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    child.kill();
  }
}
