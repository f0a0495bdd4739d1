// Says above the page that the app does not answer, or no longer knows this window, once that lasts, and how to go on.

import "./connection-notice.css";
import { useEffect, useState } from "react";
import { api } from "../../main/contract/api.ts";
import { request } from "../api/client.ts";
import { ApiError } from "../api/error.ts";
import { desktop } from "../bridge/desktop.ts";
import { t } from "../messages/messages.ts";
import { live } from "../stores/live.ts";
import { Notice } from "../ui/notice.tsx";
import { StorageNotice } from "./storage-notice.tsx";

type Trouble = "silent" | "session";

/** An app that is started again is back sooner. */
const patienceMs = 3_000;
const linkCommand = "npx hearsay window";

/** The stream tells no reason of a break, so that one is asked for at each try to open it again. */
function useTrouble(): Trouble | undefined {
  const [trouble, setTrouble] = useState<Trouble>();
  useEffect(() => {
    let lostAtMs: number | undefined;
    async function ask(since: number): Promise<void> {
      const found = await request(api.readInfo.path).then(
        () => undefined,
        (error: unknown) =>
          error instanceof ApiError && error.status === 401 ? "session" : "silent",
      );
      if (lostAtMs === since) setTrouble(found);
    }
    const stop = live().onState((isOpen) => {
      if (isOpen) {
        lostAtMs = undefined;
        setTrouble(undefined);
        return;
      }
      lostAtMs ??= performance.now();
      if (performance.now() - lostAtMs >= patienceMs) void ask(lostAtMs);
    });
    return () => {
      lostAtMs = undefined;
      stop();
    };
  }, []);
  return trouble;
}

export function ConnectionNotice() {
  const trouble = useTrouble();
  if (trouble === undefined) return <StorageNotice />;
  return (
    <div className="connection-notice">
      <Notice tone="warn">
        {trouble === "silent" ? t("shell.lost.silent") : t("shell.lost.session")}{" "}
        {desktop() === undefined ? (
          <>
            {trouble === "silent" ? t("shell.lost.locked") : t("shell.lost.link")}{" "}
            <code>{linkCommand}</code>
          </>
        ) : (
          trouble === "session" && t("shell.lost.restart")
        )}
      </Notice>
    </div>
  );
}
