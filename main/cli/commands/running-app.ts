// Asks the Hearsay that is running here for something, as its owner.

import { api, type ApiName, type ApiResponse } from "../../contract/api.ts";
import type { SettingName } from "../../storage/settings/settings.ts";
import type { CommandContext } from "./command.ts";

/** Where it listens, and its owner's key. */
export const runningAppSettings = [
  "host",
  "port",
  "dataDir",
  "apiKey",
] as const satisfies readonly SettingName[];

/** Calls an address of the contract that needs no fields. @returns undefined where nothing came of it, which was said */
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
    context.warn(
      `no Hearsay is running at ${baseUrl}; where its port is another one, name it with --port`,
    );
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
