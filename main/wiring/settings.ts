// Wires what is set up for a data folder: channels, routing and prices, API keys, keys of providers.

import { createApiKeys } from "../storage/settings/api-keys.ts";
import { createConfiguration } from "../storage/settings/configuration.ts";
import { createProviderKeys } from "../storage/settings/provider-keys.ts";
import { publishKeysChanges } from "./event-publishing.ts";
import type { WiredLibrary } from "./library.ts";
import type { Foundation } from "./foundation.ts";

export type WiredSettings = Awaited<ReturnType<typeof wireSettings>>;

export async function wireSettings(
  { platform, settings, events, ...rest }: Foundation,
  { database, isUnavailable }: WiredLibrary,
) {
  const { dataDir, secretBox } = platform;
  const log = rest.log.child({ room: "settings" });
  const configuration = createConfiguration(database, log);
  const keys = await createApiKeys({
    dataDir,
    externalKey: settings.apiKey,
    database,
    isUnavailable,
  });
  const providerKeys = await createProviderKeys({ dataDir, secretBox, env: process.env, log });
  // Loads the cache, so that these stay available if the library is damaged later.
  void [configuration.routing(), configuration.prices(), configuration.channels()];
  return { configuration, keys: publishKeysChanges(keys, events), providerKeys };
}
