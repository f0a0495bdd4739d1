// Composition root, a table of contents: creates the services in order; wiring/ connects those of a subject. The hosts
// (cli/, electron/) and the command line start here.

import type {
  SpeechChunk,
  SpeechJob,
  TranscriptionEvent,
  TranscriptionJob,
  VoiceInfo,
} from "./contract/speech.ts";
import type { AppEvent } from "./contract/app-event.ts";
import type { Item } from "./contract/library-item.ts";
import type { Preferences } from "./contract/preferences.ts";
import type { Ownership } from "./instance/ownership.ts";
import { createAppEvents } from "./jobs/events.ts";
import { createJobs } from "./jobs/jobs.ts";
import { createFileImport } from "./jobs/transcription/file-import.ts";
import { createForgetting } from "./library/forgetting.ts";
import { libraryUnavailableError } from "./library/recovery/placeholder-database.ts";
import type { Log } from "./log.ts";
import type { Outbound } from "./network/outbound.ts";
import type { Platform } from "./platform.ts";
import { createSiblingLauncher } from "./processes/sibling-launcher.ts";
import { baseUrlOf } from "./server/http/network-addresses.ts";
import type { WindowServer } from "./server/window/window-server.ts";
import type { Settings } from "./storage/settings/settings.ts";
import { createTempFolder } from "./storage/temp-folder.ts";
import { wireChannels } from "./wiring/channels.ts";
import { wireEngines } from "./wiring/engines.ts";
import type { Foundation } from "./wiring/foundation.ts";
import { wireLibrary } from "./wiring/library.ts";
import { wireModelTrials } from "./wiring/model-trials.ts";
import { wireModels } from "./wiring/models.ts";
import { createLifecycle, type Started } from "./wiring/lifecycle.ts";
import { wireNetwork } from "./wiring/network.ts";
import { wirePorts } from "./wiring/ports.ts";
import type { Services } from "./wiring/services.ts";
import { wireWatchFolder } from "./wiring/watch-folder.ts";
import { wireSettings } from "./wiring/settings.ts";

export type App = {
  /** A request to `/app` by the command line in this process. */
  handle(request: Request): Promise<Response>;
  voices(): readonly VoiceInfo[];
  transcribe(job: TranscriptionJob, signal: AbortSignal): AsyncIterable<TranscriptionEvent>;
  synthesize(job: SpeechJob, signal: AbortSignal): AsyncIterable<SpeechChunk>;
  phonemes(lines: readonly string[], signal: AbortSignal): Promise<string[]>;
  /**
   * Opens the API port and resumes unfinished work. Resolves to the address and the API key.
   * @throws AppError `conflict` if another app owns the data folder
   */
  start(): Promise<Started>;
  /** Address of the API; undefined while its port is closed. */
  baseUrl(): string | undefined;
  /** Opens or closes the API port; everything else keeps running. */
  setServing(isServing: boolean): Promise<void>;
  /** Current preferences. */
  preferences(): Preferences;
  /** Events as windows receive them. @returns function that unsubscribes */
  onEvent(listener: (event: AppEvent) => void): () => void;
  /** Imports a local file into the library and transcribes it. @throws AppError if it is no media file or unreadable */
  importFile(path: string): Promise<Item>;
  /** For what the host itself sends to other machines. */
  outbound: Outbound;
  /** Path of an item's audio. @throws AppError `not_found` if it has none */
  itemFile(itemId: string): Promise<string>;
  /** Opens the window port. @param rendererDir the built page @throws AppError if the page was not built */
  startWindow(rendererDir: string): Promise<Pick<WindowServer, "origin" | "pageUrl" | "launchUrl">>;
  /** Process ids of live engine processes. */
  enginePids(): number[];
  /** Ends requests, engines and ports; leaves no processes or temporary files. */
  close(): Promise<void>;
};

export type AppOptions = {
  /**
   * Ownership of the data folder, released when the app closes; default: `start` claims it. Single commands hold the
   * lock themselves.
   */
  ownership?: Ownership | undefined;
};

export async function createApp(
  host: Platform,
  settings: Settings,
  log: Log,
  { ownership }: AppOptions = {},
): Promise<App> {
  const platform: Platform = { ...host, launchChild: createSiblingLauncher(host.launchChild) };
  const temp = createTempFolder(platform.dataDir);
  const events = createAppEvents();
  const foundation: Foundation = { platform, settings, temp, events, log };

  const library = wireLibrary(foundation, ownership !== undefined);
  const stored = await wireSettings(foundation, library);
  const network = wireNetwork(foundation, library, stored);
  const models = wireModels(foundation, library, stored, network);
  const engines = wireEngines(foundation, library.engineLimits, models);
  const trials = wireModelTrials(foundation, library.engineLimits, models, engines);
  const serving = wireChannels(foundation, library, stored, network, engines, (url) =>
    ports.server.isOwnAddress(url),
  );
  const { registry, router, commandLine } = serving;
  const jobs = createJobs({
    database: library.database,
    tasks: library.tasks,
    dataDir: platform.dataDir,
    tempDir: temp.path,
    router,
    pool: engines.pool,
    events,
    vad: engines.vad,
    findSpeakers: engines.diarization.findSpeakers,
    followSpeakers: engines.diarization.followSpeakers,
    voices: () => registry.voices().map(({ id }) => id),
    speechLanguages: (name) =>
      models.names.behind(name).flatMap(({ languages }) => languages.map(({ code }) => code)),
    keepRemovedDays: () => library.preferences.read().keepRemovedDays,
    launchChild: platform.launchChild,
    log: log.child({ room: "jobs" }),
  });
  const fileImport = createFileImport({
    transcriptionJobs: jobs.transcriptionJobs,
    probe: (mediaPath, signal) => engines.pool.job(signal).run("probe", { mediaPath }),
    options: () => library.preferences.read().transcribe,
  });
  const watchFolder = wireWatchFolder(foundation, library, jobs, fileImport);
  const forgetting = createForgetting({
    people: jobs.people,
    backups: library.backups,
    checkpoint: () => library.tasks.checkpoint(),
    log: log.child({ room: "library" }),
  });
  const services: Services = {
    ...foundation,
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
  };
  const ports = wirePorts(services);
  const { start, close } = createLifecycle(services, ports, fileImport, ownership);

  return {
    handle: ports.handleCommandLine,
    voices: registry.voices,
    ...commandLine,
    phonemes: engines.local.phonemes,
    start,
    baseUrl() {
      const listening = ports.server.address();
      return listening && baseUrlOf(listening);
    },
    async setServing(isServing) {
      await (isServing ? ports.openServer() : ports.server.close());
    },
    preferences: library.preferences.read,
    onEvent: events.onEvent,
    async importFile(path) {
      if (library.isUnavailable()) throw libraryUnavailableError();
      return fileImport.add(path);
    },
    outbound: network.outbound,
    itemFile: jobs.transcriptionJobs.media.source,
    startWindow: ports.openWindow,
    enginePids: engines.pool.pids,
    close,
  };
}
