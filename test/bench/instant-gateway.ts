// Another Hearsay as a provider: the whole gateway with validation, uploads on disk and usage records, in front of a
// fake channel that responds at once.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createChannels } from "../../main/channels/config/channels.ts";
import { createMetering } from "../../main/usage/metering.ts";
import { createRegistry } from "../../main/channels/registry.ts";
import { createRouter } from "../../main/channels/router.ts";
import { createGateway } from "../../main/server/gateway.ts";
import { listen } from "../../main/server/http/listen.ts";
import { openDatabase } from "../../main/storage/database.ts";
import { createUsage } from "../../main/usage/records.ts";
import { createLog } from "../../main/log.ts";
import { createApiKeys } from "../../main/storage/settings/api-keys.ts";
import { createConfiguration } from "../../main/storage/settings/configuration.ts";
import { createProviderKeys } from "../../main/storage/settings/provider-keys.ts";
import { createFakeChannel, toRegisteredChannel } from "../support/fake-channel.ts";
import { openOutbound } from "../support/outbound.ts";

const tempDir = mkdtempSync(join(tmpdir(), "hearsay-bench-"));
const log = createLog("warn");
const database = openDatabase(join(tempDir, "hearsay.sqlite"));
const configuration = createConfiguration(database, log);
const usage = createUsage(database, log);
const instanceId = configuration.instanceId();
const providerKeys = await createProviderKeys({ dataDir: tempDir, env: {}, log });
const channels = createChannels({
  configuration,
  keys: providerKeys,
  instanceId,
  isOwnAddress: () => false,
  outbound: openOutbound,
  log,
});
const all = [toRegisteredChannel(createFakeChannel({ isLocal: true }))];
const registry = createRegistry(() => all);

const metering = createMetering({ usage, prices: configuration.prices });
const gateway = createGateway({
  registry,
  router: createRouter({ registry, metering, routing: configuration.routing }),
  keys: await createApiKeys({
    dataDir: tempDir,
    externalKey: process.env["HEARSAY_API_KEY"],
    database,
  }),
  metering,
  usage,
  channels,
  configuration,
  tempDir: () => tempDir,
  moreFormats: false,
  host: "127.0.0.1",
  version: "0.0.0",
  log,
});
const { port } = await listen({
  handle: (request) => gateway.handle(request),
  host: "127.0.0.1",
  port: 0,
  log,
});
process.send?.({ port });
process.on("disconnect", () => {
  usage.close();
  database.close();
  rmSync(tempDir, { recursive: true, force: true });
  process.exit();
});
