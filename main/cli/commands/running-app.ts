// Calls the Hearsay app that is running, for commands that make no sense without one.

import type { ApiName, ApiResponse } from "../../contract/api.ts";
import { claimOrFind } from "../../instance/claim-or-hand-over.ts";
import { readOwnerKey } from "../../storage/settings/owner-key.ts";
import { defaultPort, type SettingName, settingSources } from "../../storage/settings/settings.ts";
import {
  AnswerError,
  type AppClient,
  createAppClient,
  toAddress,
  toRunningApp,
} from "../app-client.ts";
import { unreachableMessage } from "../open-client.ts";
import { baseUrlOf } from "../../server/http/network-addresses.ts";
import { type CommandContext, text } from "./command.ts";

/** Settings for its address and its owner's key, if it is not to be found by the data folder. */
export const runningAppSettings = [
  "host",
  "port",
  "dataDir",
  "apiKey",
] as const satisfies readonly SettingName[];

/** Calls a route of the contract that needs no fields. @throws AnswerError */
export const callRunningApp = async <Name extends ApiName>(
  context: CommandContext,
  name: Name,
): Promise<ApiResponse<Name>> => (await findRunningApp(context)).call(name);

/** An address given as a flag is used as it is: in a container, the API may be all that can be reached. */
async function findRunningApp(context: CommandContext): Promise<AppClient> {
  const { settings, signal } = context;
  const { dataDir, host = "127.0.0.1", port = defaultPort } = settings;
  if ([settingSources.host, settingSources.port].some(({ flag }) => text(context, flag))) {
    const key = settings.apiKey ?? (await readOwnerKey(dataDir));
    return createAppClient(toAddress(baseUrlOf({ host, port }), key, signal));
  }
  const claim = await claimOrFind(dataDir, signal);
  if (claim.type === "answered") return createAppClient(toRunningApp(claim.answer, signal));
  if (claim.type === "unreachable") throw new AnswerError(unreachableMessage(dataDir));
  claim.ownership.release();
  throw new AnswerError(
    `no Hearsay is running on ${dataDir}; use --data-dir for another folder, or --port if it runs in a container`,
  );
}
