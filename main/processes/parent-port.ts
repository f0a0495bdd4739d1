// Child side of the connection to the app: Node's IPC channel, or the port of an Electron utility process. When the
// parent is gone, the child kills its siblings and exits; Electron does that for its own processes.

import { killSiblings, setSiblings } from "./watchdog-state.ts";

export type ParentPort = {
  send(message: unknown): void;
  onMessage(listener: (message: unknown) => void): void;
};

/** Process ids of the app's other child processes. */
export type SiblingsMessage = { type: "siblings"; pids: readonly number[] };

/** Port of an Electron utility process: https://www.electronjs.org/docs/latest/api/parent-port */
type UtilityPort = {
  postMessage(message: unknown): void;
  on(event: "message", listener: (event: { data: unknown }) => void): void;
};

/**
 * @param watchdogState shared with this process's watchdog, see start-watchdog.ts
 * @throws Error if the process was not started by the app
 */
export function connectToParent(watchdogState: Int32Array<SharedArrayBuffer>): ParentPort {
  const interceptSiblings =
    (listener: (message: unknown) => void) =>
    (message: unknown): void => {
      if (isSiblingsMessage(message)) setSiblings(watchdogState, message.pids);
      else listener(message);
    };
  const { parentPort } = process as { parentPort?: UtilityPort };
  if (parentPort !== undefined) {
    return {
      send: parentPort.postMessage.bind(parentPort),
      onMessage(listener) {
        const deliver = interceptSiblings(listener);
        parentPort.on("message", ({ data }) => deliver(data));
      },
    };
  }
  if (process.send === undefined) throw new Error("child processes are started by Hearsay itself");
  // Ctrl-C is sent to the whole process group; the parent decides when children exit.
  process.on("SIGINT", () => {});
  process.on("disconnect", () => {
    killSiblings(watchdogState);
    process.exit(0);
  });
  return {
    send: (message) => process.send?.(message),
    onMessage: (listener) => process.on("message", interceptSiblings(listener)),
  };
}

const isSiblingsMessage = (message: unknown): message is SiblingsMessage =>
  typeof message === "object" &&
  message !== null &&
  "type" in message &&
  message.type === "siblings";
