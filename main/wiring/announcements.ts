// Publishes changes to all windows, whether made in a window, by a command or by a menu.

import type { Channels } from "../channels/config/channels.ts";
import { toRequestEvent, type AppEvents } from "../jobs/events.ts";
import type { ApiServer } from "../server/api-server.ts";
import type { ApiKeys } from "../storage/settings/api-keys.ts";
import type { Usage } from "../usage/records.ts";

/** Usage records appear in the live log of windows. */
export const announceUsage = (usage: Usage, events: AppEvents): Pick<Usage, "add"> => ({
  add(record) {
    usage.add(record);
    events.publish(toRequestEvent(record));
  },
});

export const announceKeys = (keys: ApiKeys, events: AppEvents): ApiKeys => ({
  ...keys,
  create(input) {
    const created = keys.create(input);
    events.publish({ type: "keys" });
    return created;
  },
  revoke(idOrName) {
    const hasExisted = keys.revoke(idOrName);
    events.publish({ type: "keys" });
    return hasExisted;
  },
});

export function announceChannels(channels: Channels, events: AppEvents): Channels {
  const announceAfter = async <T>(work: Promise<T>): Promise<T> => {
    const result = await work;
    events.publish({ type: "channels" });
    return result;
  };
  return {
    ...channels,
    add: (input) => announceAfter(channels.add(input)),
    change: (idOrName, patch) => announceAfter(channels.change(idOrName, patch)),
    remove: (idOrName) => announceAfter(channels.remove(idOrName)),
  };
}

export function announceServer(server: ApiServer, events: AppEvents): ApiServer {
  const announce = (): void => events.publish({ type: "server" });
  return {
    ...server,
    open: (host) => server.open(host).finally(announce),
    move: (port) => server.move(port).finally(announce),
    close: () => server.close().finally(announce),
  };
}
