// Tells each child process of the app the ids of all others: where the app is killed, the first to notice ends those
// that were stopped, and so cannot notice.

import type { ChildPort, Platform } from "../platform.ts";
import type { Siblings } from "./child-port.ts";

export function withSiblings(launchChild: Platform["launchChild"]): Platform["launchChild"] {
  const children = new Set<ChildPort>();

  function tell(): void {
    const pids = Array.from(children).flatMap(({ pid }) => pid ?? []);
    for (const child of children)
      child.send({
        type: "siblings",
        pids: pids.filter((pid) => pid !== child.pid),
      } satisfies Siblings);
  }

  return (modulePath, options) => {
    const child = launchChild(modulePath, options);
    let isKnown = child.pid !== undefined;
    children.add(child);
    child.onMessage(() => {
      if (isKnown) return;
      isKnown = true;
      tell();
    });
    child.onExit(() => {
      children.delete(child);
      tell();
    });
    tell();
    return child;
  };
}
