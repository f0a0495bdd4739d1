// The session of electron-updater, whose requests are checked and recorded like all others that leave the machine.

import { session, type Session } from "electron";
import type { Outbound } from "../network/outbound.ts";

/** Partition that electron-updater uses for the feed and the packages. */
const partition = "electron-updater";

/** Redirects are requests of their own here. */
export function openUpdateSession(
  outbound: Pick<Outbound, "isBlocked" | "record" | "onChange">,
): Session {
  const updateSession = session.fromPartition(partition, { cache: false });
  const { webRequest } = updateSession;
  webRequest.onBeforeRequest(({ url }, decide) => decide({ cancel: outbound.isBlocked(url) }));
  const record = (url: string, headers: Record<string, string[]> = {}): void => {
    const length = Object.entries(headers).find(([name]) => /^content-length$/i.test(name))?.[1][0];
    outbound.record(
      url,
      { kind: "update", name: "" },
      { sentBytes: Buffer.byteLength(url), receivedBytes: Number(length ?? 0) },
    );
  };
  webRequest.onBeforeRedirect(({ url }) => record(url));
  webRequest.onCompleted(({ url, responseHeaders }) => record(url, responseHeaders));
  webRequest.onErrorOccurred(({ url }) => {
    if (!outbound.isBlocked(url)) record(url);
  });
  outbound.onChange(() => void updateSession.closeAllConnections());
  return updateSession;
}
