// What is said to a page that is still loading is kept until the page listens.

import type { WebContents } from "electron";
import type { PushName } from "./ipc-names.ts";

export type Outbox = {
  /** At once, or as soon as the page listens. `latestOnly` where an older one of that name is of no use. */
  send(contents: WebContents, name: PushName, value?: unknown, latestOnly?: boolean): void;
  /** The page listens now. */
  flush(contents: WebContents, name: PushName): void;
};

type Message = { name: PushName; value: unknown };

export function createOutbox(): Outbox {
  const subscriptions = new WeakMap<WebContents, Set<PushName>>();
  const pendingMessages = new WeakMap<WebContents, Message[]>();

  function subscribedNames(contents: WebContents): Set<PushName> {
    const existing = subscriptions.get(contents);
    if (existing !== undefined) return existing;
    const names = new Set<PushName>();
    subscriptions.set(contents, names);
    // Another page, or the same loaded anew, has to say it again.
    contents.on("did-start-navigation", ({ isMainFrame, isSameDocument }) => {
      if (isMainFrame && !isSameDocument) names.clear();
    });
    return names;
  }

  return {
    send(contents, name, value, latestOnly = false) {
      if (contents.isDestroyed()) return;
      if (subscribedNames(contents).has(name)) contents.send(name, value);
      else
        pendingMessages.set(contents, [
          ...(pendingMessages.get(contents) ?? []).filter(
            (other) => !latestOnly || other.name !== name,
          ),
          { name, value },
        ]);
    },
    flush(contents, name) {
      subscribedNames(contents).add(name);
      const messages = pendingMessages.get(contents) ?? [];
      pendingMessages.set(
        contents,
        messages.filter((message) => message.name !== name),
      );
      for (const message of messages) if (message.name === name) contents.send(name, message.value);
    },
  };
}
