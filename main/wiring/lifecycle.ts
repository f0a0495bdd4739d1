// Starts and ends the services in the order they need.

import { AppError } from "../contract/errors.ts";
import { claimDataFolder, type Ownership } from "../instance/ownership.ts";
import type { FileImport } from "../jobs/transcription/file-import.ts";
import { createNodeHandler } from "../server/http/listen.ts";
import { boundUrlOf } from "../server/http/network-addresses.ts";
import { removePartials } from "../storage/partial-path.ts";
import type { WiredPorts } from "./ports.ts";
import type { Services } from "./services.ts";

export type Started = {
  baseUrl: string;
  apiKey: string;
  /** Omitted if the key was set by flag or environment. */
  apiKeyFile: string | undefined;
  isKeyShort: boolean;
  requestedPort: number;
  port: number;
};

const libraryCloseTimeoutMs = 5_000;

/** @param ownership of the data folder; without it `start` claims it */
export function createLifecycle(
  {
    platform,
    temp,
    events,
    log,
    library,
    stored,
    models,
    network,
    engines,
    trials,
    serving,
    jobs,
    watchFolder,
    forgetting,
  }: Services,
  ports: WiredPorts,
  fileImport: FileImport,
  ownership: Ownership | undefined,
): { start(): Promise<Started>; close(): Promise<void> } {
  const { database, backups } = library;
  let closing: Promise<void> | undefined;

  /** Never rejects: everything else works without the interrupted jobs. */
  async function resume(): Promise<void> {
    await jobs
      .resume()
      .catch((error: unknown) =>
        log
          .child({ room: "library" })
          .error({ err: error }, "the work that was left could not be resumed"),
      );
    if (closing !== undefined) return;
    void watchFolder.scan();
    backups.start();
    void forgetting.resume();
  }

  async function resumeOnceOpened(): Promise<void> {
    await library.opened;
    if (closing !== undefined) return;
    // Requests the models of the channels, whose configurations are known only now.
    serving.channels.registered();
    await resume();
  }

  async function start(): Promise<Started> {
    ownership ??= claimDataFolder(platform.dataDir);
    if (ownership === undefined) throw new AppError("app.alreadyRunning");
    // Before the API port is opened: the window is useful without it.
    serving.channels.start();
    serving.usageDays.start();
    await models.store.recover();
    await removePartials(engines.supportDir);
    await models.downloads.restore();
    trials.start();
    if (library.isUnavailable()) void resumeOnceOpened();
    else await resume();
    database.setServing(true);
    ownership.serveApp(createNodeHandler(ports.handleCommandLine, log.child({ room: "server" })));
    const { host, port } = await ports.openServer();
    const { key, file, isShort } = stored.keys;
    return {
      baseUrl: boundUrlOf({ host, port }),
      apiKey: key,
      apiKeyFile: file,
      isKeyShort: isShort,
      requestedPort: ports.requestedPort,
      port,
    };
  }

  async function close(): Promise<void> {
    // Otherwise tasks that wait for a stuck library process would delay the shutdown.
    const closeTimer = setTimeout(() => void library.closeProcess(), libraryCloseTimeoutMs);
    const retired = ownership?.retire();
    // Open event streams would keep the window port open.
    serving.channelWatch.close();
    events.close();
    await backups.close();
    await Promise.all([fileImport.close(), watchFolder.close()]);
    await models.close();
    await trials.close();
    await jobs.close();
    // Usage is recorded when a request ends.
    await Promise.all([retired, ports.close(), engines.local.close(), serving.channels.close()]);
    clearTimeout(closeTimer);
    await library.closeProcess();
    await stored.providerKeys.close();
    database.setServing(false);
    serving.usageDays.close();
    serving.usage.close();
    network.departures.close();
    if (library.health() === "ok") await backups.backUpAtExit();
    library.close();
    temp.remove();
    ownership?.release();
  }

  return { start, close: () => (closing ??= close()) };
}
