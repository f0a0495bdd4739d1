// Shares the app's secret path after a restart: open pages that have a session in the new run send it to pages of the
// same origin that have lost theirs. No response contains the path without a session.

import { api } from "../../main/contract/api.ts";
import { currentBasePath, changeBasePath } from "../api/base.ts";
import { request } from "../api/client.ts";
import { ApiError } from "../api/error.ts";
import { eventStream } from "./event-stream.ts";

type Message = { type: "lost" } | { type: "here"; basePath: string };

const channelName = "hearsay-run";
const secretPath = /^\/[\w-]{22,}$/;

/** Why the app does not respond to this page; undefined if it does. */
const errorStatus = (): Promise<number | undefined> =>
  request(api.readInfo.path).then(
    () => undefined,
    (error: unknown) => (error instanceof ApiError ? error.status : 0),
  );

/** Runs as long as the page is open, which has a session now. */
export function syncBasePath(): void {
  const channel = new BroadcastChannel(channelName);
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- reaches this origin alone
  const broadcast = (message: Message): void => channel.postMessage(message);
  const broadcastBasePath = (): void => broadcast({ type: "here", basePath: currentBasePath() });

  async function handleMessage(message: Message): Promise<void> {
    if (message.type === "lost") {
      if ((await errorStatus()) === undefined) broadcastBasePath();
    } else if (
      message.basePath !== currentBasePath() &&
      secretPath.test(message.basePath) &&
      (await errorStatus()) === 401
    )
      changeBasePath(message.basePath);
  }

  channel.addEventListener(
    "message",
    ({ data }: MessageEvent<Message>) => void handleMessage(data),
  );
  eventStream().onState((isOpen) => {
    if (!isOpen) broadcast({ type: "lost" });
  });
  broadcastBasePath();
}
