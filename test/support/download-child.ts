// A process that downloads a model until it is killed: reports its progress to the parent.

import { join } from "node:path";
import { Agent } from "undici";
import type { CatalogEntry } from "../../main/contract/models.ts";
import { createLog } from "../../main/log.ts";
import { createModelDownloads } from "../../main/models/download/downloads.ts";
import { createHubClient } from "../../main/models/download/hub-client.ts";

export type DownloadCommand = { entry: CatalogEntry; baseUrl: string; folder: string };

process.once("message", ({ entry, baseUrl, folder }: DownloadCommand) => {
  createModelDownloads({
    incomingDir: join(folder, ".incoming"),
    catalog: [entry],
    target: { find: () => undefined, install: async () => {} },
    client: createHubClient({ dispatcher: new Agent(), stallMs: 60_000 }),
    endpoints: [{ baseUrl }],
    onChange: (download) => void process.send?.(download),
    log: createLog("silent"),
  }).start(entry.id, { acceptLicence: false });
});
