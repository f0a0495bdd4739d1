// The session of electron-updater, whose requests are checked and recorded like all others that leave the machine.

import { session, type Session } from "electron";
import type { Purpose } from "../contract/network.ts";
import type { Outbound } from "../network/outbound.ts";

/** Partition that electron-updater uses for the feed and the packages. */
const partition = "electron-updater";

/** A redirect is followed by another request here, which is checked like the first. */
export function openUpdateSession(
  outbound: Pick<Outbound, "isBlocked" | "record" | "onChange">,
): Session {
  const updateSession = session.fromPartition(partition, { cache: false });
  const { webRequest } = updateSession;
  const purpose: Purpose = { kind: "update", name: "" };
  webRequest.onBeforeRequest(({ url }, decide) => {
    const cancel = outbound.isBlocked(url);
    if (!cancel) outbound.record(url, purpose, { requests: 1, sentBytes: Buffer.byteLength(url) });
    decide({ cancel });
  });
  webRequest.onCompleted(({ url, responseHeaders = {} }) => {
    const name = Object.keys(responseHeaders).find((each) => /^content-length$/i.test(each)) ?? "";
    outbound.record(url, purpose, { receivedBytes: Number(responseHeaders[name]?.[0] ?? 0) });
  });
  outbound.onChange(() => void updateSession.closeAllConnections());
  return updateSession;
}
