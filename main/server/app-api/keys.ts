// /app/keys: API keys of clients. A secret is returned only once, when its key is created.

import { AppError } from "../../contract/errors.ts";
import type { GatewayDeps } from "../route-context.ts";
import type { Handlers } from "./handlers.ts";

export function keyHandlers({
  keys,
}: GatewayDeps): Handlers<"listKeys" | "createKey" | "revokeKey"> {
  return {
    listKeys: () => ({ keys: keys.list() }),
    createKey: (fields) => keys.create(fields),
    revokeKey(_, id) {
      if (!keys.revoke(id))
        throw new AppError("key.unknown", { name: id.slice(0, 60) }, { param: "id" });
      return { removed: true };
    },
  };
}
