// Publishes changes to all windows, whether made in a window, by a command or by a menu.

import type { Channels } from "../channels/config/channels.ts";
import { toRequestEvent, type AppEvents } from "../jobs/events.ts";
import type { ApiServer } from "../server/api-server.ts";
import type { ApiKeys } from "../storage/settings/api-keys.ts";
import type { Usage } from "../usage/records.ts";

/** Usage records appear in the live log of windows. */
export const publishUsage = (usage: Usage, events: AppEvents): Pick<Usage, "add"> => ({
  add(record) {
    usage.add(record);
    events.publish(toRequestEvent(record));
  },
});

export const publishKeysChanges = (keys: ApiKeys, events: AppEvents): ApiKeys => ({
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

export function publishChannelsChanges(channels: Channels, events: AppEvents): Channels {
  const publishAfter = async <T>(work: Promise<T>): Promise<T> => {
    const result = await work;
    events.publish({ type: "channels" });
    return result;
  };
  return {
    ...channels,
    add: (input) => publishAfter(channels.add(input)),
    change: (idOrName, patch) => publishAfter(channels.change(idOrName, patch)),
    remove: (idOrName) => publishAfter(channels.remove(idOrName)),
  };
}

export function publishServerChanges(server: ApiServer, events: AppEvents): ApiServer {
  const publish = (): void => events.publish({ type: "server" });
  return {
    ...server,
    open: (host) => server.open(host).finally(publish),
    move: (port) => server.move(port).finally(publish),
    close: () => server.close().finally(publish),
  };
}
