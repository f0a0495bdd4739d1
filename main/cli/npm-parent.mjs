// Ends this process when the npm that started it is gone. npm has a shell in between and passes signals on to that
// alone: it dies of them, or outlives an npm that was killed, and this process hears of neither.

import { readFileSync } from "node:fs";

const lookEveryMs = 250;

/** As SIGTERM would. Does nothing where this program is not what npm was asked to run. */
export function endWithNpm() {
  if (!process.env.npm_lifecycle_script?.includes("hearsay")) return;
  const parent = process.ppid;
  const npm = parentOfShell(parent);
  const isThere = () =>
    process.ppid === parent &&
    parentOfShell(parent) === npm &&
    (process.platform !== "win32" || isAlive(parent));
  setInterval(() => {
    // Again and again: whoever listens to it may not have begun to.
    if (!isThere()) process.emit("SIGTERM");
  }, lookEveryMs).unref();
}

/**
 * Who started a shell that runs one command (proc(5): after the name in brackets come state and parent). Undefined
 * where it is none, and where there is no /proc: the shells of those systems become the command they run.
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
