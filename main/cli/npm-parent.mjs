// Ends this process when the npm that started it ends. npm starts a shell and signals only that shell, which dies or
// survives a killed npm; this process gets no signal in either case.

import { readFileSync } from "node:fs";

const lookEveryMs = 250;

/** Emits SIGTERM. Does nothing if this program is not the script that npm runs. */
export function endWithNpm() {
  if (!process.env.npm_lifecycle_script?.includes("hearsay")) return;
  const parent = process.ppid;
  const npm = parentOfShell(parent);
  const isThere = () =>
    process.ppid === parent &&
    parentOfShell(parent) === npm &&
    (process.platform !== "win32" || isAlive(parent));
  setInterval(() => {
    // Repeated, since the listener may not be installed yet.
    if (!isThere()) process.emit("SIGTERM");
  }, lookEveryMs).unref();
}

/**
 * Parent pid of a shell that runs one command (proc(5): after the name in brackets follow state and parent). undefined
 * if it is no such shell, or without /proc: shells of those systems replace themselves by the command.
 * @param {number} pid
 */
function parentOfShell(pid) {
  try {
    if (readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0")[1] !== "-c") return undefined;
    return readFileSync(`/proc/${pid}/stat`, "utf8")
      .replace(/^.*\) /s, "")
      .split(" ")[1];
  } catch {
    return undefined;
  }
}

/** @param {number} pid */
function isAlive(pid) {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
