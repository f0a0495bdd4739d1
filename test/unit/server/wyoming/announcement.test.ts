import type { ServiceConfig } from "bonjour-service";
import { expect, it } from "vitest";
import { createLog } from "../../../../main/log.ts";
import { announce, type Responder } from "../../../../main/server/wyoming/announcement.ts";

/** A responder that only notes what it is told, and the switch of Offline. */
function openNetwork(isOfflineAtFirst: boolean) {
  const calls: string[] = [];
  let isOffline = isOfflineAtFirst;
  const listeners = new Set<() => void>();
  const responder = {
    publish: ({ name, type, port, host }: ServiceConfig) =>
      void calls.push(`${name} ${type} ${port} ${host}`),
    unpublishAll: (done: () => void) => {
      calls.push("goodbye");
      done();
    },
    destroy: () => void calls.push("closed"),
  } as unknown as Responder;
  const announcement = announce({
    port: 10_300,
    hasIPv6: false,
    instanceId: "0F3A-4b5c6d7e8f90",
    outbound: {
      isOffline: () => isOffline,
      onChange: (listener) => {
        listeners.add(listener);
        return () => void listeners.delete(listener);
      },
    },
    log: createLog("silent"),
    openResponder: () => responder,
  });
  return {
    calls,
    announcement,
    setOffline(now: boolean) {
      isOffline = now;
      for (const listener of listeners) listener();
    },
  };
}

const published = "hearsay-0f3a4b5c6d7e wyoming 10300 hearsay-0f3a4b5c6d7e.local";

it("is sent once, and taken back at the end", async () => {
  const { calls, announcement, setOffline } = openNetwork(false);
  setOffline(false);
  expect(calls).toEqual([published]);
  await announcement.close();
  setOffline(false);
  expect(calls).toEqual([published, "goodbye", "closed"]);
});

it("is not sent while Offline is on", async () => {
  const { calls, announcement, setOffline } = openNetwork(true);
  expect(calls).toEqual([]);
  setOffline(false);
  expect(calls).toEqual([published]);
  setOffline(true);
  await announcement.close();
  expect(calls).toEqual([published, "closed"]);
});
