// What is said to a page that is still loading is kept until the page listens.

import type { WebContents } from "electron";
import type { Told } from "./ipc-names.ts";

export type Outbox = {
  /** At once, or as soon as the page listens. `latestOnly` where an older one of that name is of no use. */
  send(contents: WebContents, name: Told, value?: unknown, latestOnly?: boolean): void;
  /** The page listens now. */
  deliver(contents: WebContents, name: Told): void;
};

type Message = { name: Told; value: unknown };

export function createOutbox(): Outbox {
  const listening = new WeakMap<WebContents, Set<Told>>();
  const waiting = new WeakMap<WebContents, Message[]>();

  function listenersOf(contents: WebContents): Set<Told> {
    const known = listening.get(contents);
    if (known !== undefined) return known;
    const names = new Set<Told>();
    listening.set(contents, names);
    // Another page, or the same loaded anew, has to say it again.
    contents.on("did-start-navigation", ({ isMainFrame, isSameDocument }) => {
      if (isMainFrame && !isSameDocument) names.clear();
    });
    return names;
  }

  return {
    send(contents, name, value, latestOnly = false) {
      if (contents.isDestroyed()) return;
      if (listenersOf(contents).has(name)) contents.send(name, value);
      else
        waiting.set(contents, [
          ...(waiting.get(contents) ?? []).filter((other) => !latestOnly || other.name !== name),
          { name, value },
        ]);
    },
    deliver(contents, name) {
      listenersOf(contents).add(name);
      const messages = waiting.get(contents) ?? [];
      waiting.set(
        contents,
        messages.filter((message) => message.name !== name),
      );
      for (const message of messages) if (message.name === name) contents.send(name, message.value);
    },
  };
}
