// /app/channels: the upstream channels and their tests.

import type { GatewayDeps } from "../route-context.ts";
import type { Handlers } from "./handlers.ts";

type Names = "listChannels" | "addChannel" | "changeChannel" | "removeChannel" | "testChannel";

export function channelHandlers({ channels }: GatewayDeps): Handlers<Names> {
  return {
    listChannels: () => ({ channels: channels.list(), presets: [...channels.presets] }),
    addChannel: (fields) => channels.add(fields),
    changeChannel: (fields, id) => channels.change(id, fields),
    async removeChannel(_, id) {
      await channels.remove(id);
      return { removed: true };
    },
    testChannel: (_, id, signal) => channels.test(id, signal),
  };
}
