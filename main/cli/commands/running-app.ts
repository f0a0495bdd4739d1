// Calls the Hearsay app that is running, for commands that make no sense without one.

import type { ApiName, ApiResponse } from "../../contract/api.ts";
import { claimOrFind } from "../../instance/claim-or-hand-over.ts";
import { readOwnerKey } from "../../storage/settings/api-keys.ts";
import { defaultPort, type SettingName } from "../../storage/settings/settings.ts";
import {
  AnswerError,
  type AppClient,
  createAppClient,
  toAddress,
  toRunningApp,
} from "../app-client.ts";
import { unreachableMessage } from "../open-client.ts";
import type { CommandContext } from "./command.ts";

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

/** A given host or port counts, since the app may be in a container from where only that is reachable. */
async function findRunningApp({ settings, signal }: CommandContext): Promise<AppClient> {
  const { dataDir, host = "127.0.0.1", port = defaultPort } = settings;
  if (settings.host !== undefined || settings.port !== undefined) {
    const baseUrl = `http://${host.includes(":") ? `[${host}]` : host}:${port}/v1`;
    const key = settings.apiKey ?? (await readOwnerKey(dataDir));
    return createAppClient(toAddress(baseUrl, key, signal));
  }
  const claim = await claimOrFind(dataDir, signal);
  if (claim.type === "answered") return createAppClient(toRunningApp(claim.answer, signal));
  if (claim.type === "unreachable") throw new AnswerError(unreachableMessage(dataDir));
  claim.ownership.release();
  throw new AnswerError(
    `no Hearsay is running on ${dataDir}; use --data-dir for another folder, or --port if it runs in a container`,
  );
}
