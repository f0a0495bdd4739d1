// Notice above the page if the app has not responded for a while or rejects this window's session, with instructions.

import "./connection-notice.css";
import { useEffect, useState } from "react";
import { api } from "../../main/contract/api.ts";
import { request } from "../api/client.ts";
import { ApiError } from "../api/error.ts";
import { desktopBridge } from "../bridge/desktop.ts";
import { t } from "../messages/messages.ts";
import { eventStream } from "../stores/event-stream.ts";
import { Notice } from "../ui/notice.tsx";
import { StorageNotice } from "./storage-notice.tsx";

type ConnectionProblem = "silent" | "session";

/** A restarted app is back sooner. */
const noticeDelayMs = 3_000;
const linkCommand = "npx hearsay window";

/** The event stream gives no reason for an error, so this sends a request at each reconnection attempt. */
function useConnectionProblem(): ConnectionProblem | undefined {
  const [problem, setProblem] = useState<ConnectionProblem>();
  useEffect(() => {
    let lostAtMs: number | undefined;
    async function checkApp(sinceMs: number): Promise<void> {
      const foundProblem = await request(api.readInfo.path).then(
        () => undefined,
        (error: unknown) =>
          error instanceof ApiError && error.status === 401 ? "session" : "silent",
      );
      if (lostAtMs === sinceMs) setProblem(foundProblem);
    }
    const stop = eventStream().onState((isOpen) => {
      if (isOpen) {
        lostAtMs = undefined;
        setProblem(undefined);
        return;
      }
      lostAtMs ??= performance.now();
      if (performance.now() - lostAtMs >= noticeDelayMs) void checkApp(lostAtMs);
    });
    return () => {
      lostAtMs = undefined;
      stop();
    };
  }, []);
  return problem;
}

export function ConnectionNotice() {
  const problem = useConnectionProblem();
  if (problem === undefined) return <StorageNotice />;
  return (
    <div className="connection-notice">
      <Notice tone="warn">
        {problem === "silent" ? t("frame.lost.silent") : t("frame.lost.session")}{" "}
        {desktopBridge() === undefined ? (
          <>
            {problem === "silent" ? t("frame.lost.locked") : t("frame.lost.link")}{" "}
            <code>{linkCommand}</code>
          </>
        ) : (
          problem === "session" && t("frame.lost.restart")
        )}
      </Notice>
    </div>
  );
}
