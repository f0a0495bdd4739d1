// Processes in their own PID namespace, as in a container that shares a folder with this machine.

import { spawnSync } from "node:child_process";

/** Prefix of a command: it and its children see only their own processes. */
export const pidNamespaceCommand = [
  "unshare",
  "--pid",
  "--fork",
  "--kill-child",
  "--mount-proc",
] as const;
/** The same, and without access to this machine's ports. */
export const networkNamespaceCommand = [
  "unshare",
  "--pid",
  "--net",
  "--fork",
  "--kill-child",
  "--mount-proc",
] as const;

function unavailableReason(command: readonly string[]): string | undefined {
  const [program = "", ...args] = command;
  const { status, error, stderr } = spawnSync(program, [...args, "true"], { encoding: "utf8" });
  if (status === 0) return undefined;
  return error === undefined
    ? stderr.trim() || `${program} ended with ${status}`
    : `${program} cannot be run: ${error.message}`;
}

/** Why PID namespaces cannot be created here, or undefined if they can. */
export const pidNamespaceUnavailable: string | undefined = unavailableReason(pidNamespaceCommand);
export const networkNamespaceUnavailable: string | undefined =
  unavailableReason(networkNamespaceCommand);
