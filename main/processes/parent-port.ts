// A child's end of the line to the app: under plain Node the IPC channel of a forked process, under Electron the
// port of a utility process. A child whose parent is gone ends by itself, and its siblings; Electron sees to that for
// its own.

import { killSiblings, setSiblings } from "./watchdog-state.ts";

export type ParentPort = {
  send(message: unknown): void;
  onMessage(listener: (message: unknown) => void): void;
};

/** Ids of the app's other child processes. */
export type SiblingsMessage = { type: "siblings"; pids: readonly number[] };

/** As in a utility process of Electron: https://www.electronjs.org/docs/latest/api/parent-port */
type UtilityPort = {
  postMessage(message: unknown): void;
  on(event: "message", listener: (event: { data: unknown }) => void): void;
};

/**
 * @param watchdogState what this process's watchdog looks at, see start-watchdog.ts
 * @throws Error where the process was not started by the app
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
  // Ctrl-C reaches the whole group; the parent decides what ends when.
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
