// Calls the API of the Hearsay app that is running on this data folder, with the owner's key.

import { api, type ApiName, type ApiResponse } from "../../contract/api.ts";
import type { SettingName } from "../../storage/settings/settings.ts";
import type { CommandContext } from "./command.ts";

/** Settings for its address and its owner's key. */
export const runningAppSettings = [
  "host",
  "port",
  "dataDir",
  "apiKey",
] as const satisfies readonly SettingName[];

/** Calls a route of the contract that needs no fields. @returns undefined after a failure, which was already printed */
export async function callRunningApp<Name extends ApiName>(
  context: CommandContext,
  name: Name,
): Promise<ApiResponse<Name> | undefined> {
  const { defaultBaseUrl: baseUrl, keys } = await context.app();
  const { method, path, response: responseSchema } = api[name];
  const response = await fetch(new URL(path, baseUrl), {
    method,
    body: "{}",
    headers: { authorization: `Bearer ${keys.key}` },
    signal: context.signal,
  }).catch(() => undefined);
  if (response === undefined) {
    context.warn(`no Hearsay is running at ${baseUrl}; use --port if it listens on another port`);
    return undefined;
  }
  const body: unknown = await response.json().catch(() => undefined);
  if (!response.ok) {
    context.warn(
      (body as { error?: { message?: string } } | undefined)?.error?.message ??
        `${baseUrl} answered with status ${response.status}`,
    );
    return undefined;
  }
  return responseSchema.parse(body) as ApiResponse<Name>;
}
