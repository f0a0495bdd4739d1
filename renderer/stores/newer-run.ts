// A page that outlives the app does not know the secret path of the app's next run. Pages of this origin that have a
// session there tell it: only they can, since the path is in no answer to whoever has none.

import { api } from "../../main/contract/api.ts";
import { currentBase, moveBase } from "../api/base.ts";
import { request } from "../api/client.ts";
import { ApiError } from "../api/error.ts";
import { live } from "./live.ts";

type Message = { type: "lost" } | { type: "here"; basePath: string };

const channelName = "hearsay-run";
const secretPath = /^\/[\w-]{22,}$/;

/** Why the app does not answer this page; undefined where it does. */
const refusalStatus = (): Promise<number | undefined> =>
  request(api.readInfo.path).then(
    () => undefined,
    (error: unknown) => (error instanceof ApiError ? error.status : 0),
  );

/** For the life of the page, which has a session now. */
export function followNewerRun(): void {
  const channel = new BroadcastChannel(channelName);
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- reaches this origin alone
  const tell = (message: Message): void => channel.postMessage(message);
  const tellWhere = (): void => tell({ type: "here", basePath: currentBase() });

  async function obey(message: Message): Promise<void> {
    if (message.type === "lost") {
      if ((await refusalStatus()) === undefined) tellWhere();
    } else if (
      message.basePath !== currentBase() &&
      secretPath.test(message.basePath) &&
      (await refusalStatus()) === 401
    )
      moveBase(message.basePath);
  }

  channel.addEventListener("message", ({ data }: MessageEvent<Message>) => void obey(data));
  live().onState((isOpen) => {
    if (!isOpen) tell({ type: "lost" });
  });
  tellWhere();
}
