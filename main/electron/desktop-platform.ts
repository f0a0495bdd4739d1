// Electron as the host: engines run in utility processes, since a packaged Electron cannot fork itself.

import { type UtilityProcess, utilityProcess } from "electron";
import { afterLastWords, childEnvironment, childFlags, tailOf } from "../processes/hosting.ts";
import type { ChildOptions, ChildPort, Platform } from "../platform.ts";
import { mkdirSync } from "../storage/disk.ts";

export type DesktopPlatformDeps = Pick<Platform, "dataDir" | "secretBox" | "dictate">;

/** @throws Error where the data folder cannot be made */
export function createDesktopPlatform(deps: DesktopPlatformDeps): Platform {
  mkdirSync(deps.dataDir, { recursive: true, mode: 0o700 });
  return { ...deps, launchChild };
}

function launchChild(modulePath: string, options: ChildOptions = {}): ChildPort {
  const child = utilityProcess.fork(modulePath, [], {
    serviceName: "Hearsay engine",
    env: childEnvironment(),
    execArgv: childFlags(options),
    stdio: ["ignore", "ignore", "pipe"],
  });
  let isUnwanted = false;
  child.once("spawn", () => {
    if (isUnwanted) end(child);
  });
  let fault = "";
  child.on("error", (type, location) => {
    fault = `: ${type} at ${location}`;
  });
  return {
    get pid() {
      return child.pid;
    },
    send: (message) => child.postMessage(message, []),
    onMessage: (listener) => child.on("message", listener),
    onExit: (listener) =>
      child.once("exit", (code) =>
        afterLastWords(child.stderr, () => listener(`exited with code ${code}${fault}`)),
      ),
    stderrTail: tailOf(child.stderr),
    kill() {
      isUnwanted = true;
      end(child);
    },
  };
}

/** Electron's own way asks politely; a child that is stuck would not hear it. */
function end(child: UtilityProcess): void {
  const { pid } = child;
  if (pid === undefined) return;
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    child.kill();
  }
}
