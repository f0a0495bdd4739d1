// Sends each child process the ids of all others. If the app is killed, the first child to notice kills those that were
// stopped and cannot notice.

import type { ChildPort, Platform } from "../platform.ts";
import type { SiblingsMessage } from "./parent-port.ts";

export function createSiblingLauncher(
  launchChild: Platform["launchChild"],
): Platform["launchChild"] {
  const children = new Set<ChildPort>();

  function sendSiblingPids(): void {
    const pids = Array.from(children).flatMap(({ pid }) => pid ?? []);
    for (const child of children)
      child.send({
        type: "siblings",
        pids: pids.filter((pid) => pid !== child.pid),
      } satisfies SiblingsMessage);
  }

  return (modulePath, options) => {
    const child = launchChild(modulePath, options);
    let isPidKnown = child.pid !== undefined;
    children.add(child);
    child.onMessage(() => {
      if (isPidKnown) return;
      isPidKnown = true;
      sendSiblingPids();
    });
    child.onExit(() => {
      children.delete(child);
      sendSiblingPids();
    });
    sendSiblingPids();
    return child;
  };
}
