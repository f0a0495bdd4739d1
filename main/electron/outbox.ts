// Queues messages to a page until it has loaded and subscribed.

import type { WebContents } from "electron";
import type { PushName } from "./ipc-names.ts";

export type Outbox = {
  /** Sends at once, or as soon as the page subscribes. `latestOnly`: replaces queued messages of that name. */
  send(contents: WebContents, name: PushName, value?: unknown, latestOnly?: boolean): void;
  /** Call it when the page has subscribed. */
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
    // A new or reloaded page has to subscribe again.
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
