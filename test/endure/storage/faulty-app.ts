// A whole app in its own process whose writes, and those of its engines, can be made to fail. Sends its base URL to its
// parent. Arguments: data folder, key.

import { tmpdir } from "node:os";
import { join } from "node:path";
import { createApp } from "../../../main/app.ts";
import { createNodePlatform } from "../../../main/cli/platform.ts";
import { logUnhandledRejections } from "../../../main/processes/host-common.ts";
import { claimDataFolder } from "../../../main/instance/ownership.ts";
import { createLog } from "../../../main/log.ts";
import { readSettings } from "../../../main/storage/settings/settings.ts";
import { injectFaults } from "./faults.ts";

const [dataDir = "", apiKey = ""] = process.argv.slice(2);
const log = createLog("warn");
// An unhandled rejection counts as a failure of the run, although it does not end the app.
logUnhandledRejections({
  error: (fields: object, message: string) => log.error(fields, `UNHANDLED ${message}`),
} as Parameters<typeof logUnhandledRejections>[0]);
injectFaults(tmpdir());
const platform = createNodePlatform(dataDir);
const engine = join(import.meta.dirname, "faulty-engine.ts");
const ownership = claimDataFolder(dataDir);
await ownership?.serve(async () => ({ refused: [] }));
const app = await createApp(
  {
    ...platform,
    launchChild: (module, options) =>
      platform.launchChild(/engines[\\/]pool[\\/]child/.test(module) ? engine : module, options),
  },
  readSettings({ port: "0", workers: "1" }, { HEARSAY_API_KEY: apiKey }, { dataDir }),
  log,
  { ownership },
);
const { baseUrl } = await app.start();
process.send?.({ baseUrl });
process.on("disconnect", () => {
  app.close().then(
    () => process.exit(0),
    () => process.exit(1),
  );
});
