// Composition root: creates the services in order and connects them. The hosts (cli/, electron/) and the command line
// start here.

import { availableParallelism } from "node:os";
import { extname, join } from "node:path";
import { type Channels, createChannels } from "./channels/config/channels.ts";
import { createHealth } from "./channels/health.ts";
import { createLocalChannel } from "./inference/local-channel.ts";
import { createMetering } from "./usage/metering.ts";
import { createRegistry, type RegisteredChannel } from "./channels/registry.ts";
import { createRouter } from "./channels/router.ts";
import { splitAudio } from "./engines/pool/audio-splitter.ts";
import { createSiblingLauncher } from "./processes/sibling-launcher.ts";
import { AppError } from "./contract/errors.ts";
import type {
  SpeechChunk,
  SpeechJob,
  TranscriptionEvent,
  TranscriptionJob,
  VoiceInfo,
} from "./contract/speech.ts";
import type { Item, StudioEvent } from "./contract/studio.ts";
import type { Preferences } from "./contract/studio-api.ts";
import { createPool } from "./engines/pool/pool.ts";
import { reportUnusableModels } from "./engines/pool/unusable-models.ts";
import type { MediaLimits } from "./engines/pool/protocol.ts";
import { defaultMediaLimits } from "./engines/pool/media-limits.ts";
import { voices } from "./engines/tts/hibari/voices.ts";
import { createAdmission, defaultMaxRequests } from "./server/http/admission.ts";
import { type ApiServer, createApiServer } from "./server/api-server.ts";
import { baseUrlOf } from "./server/http/network-addresses.ts";
import { appRoutes } from "./server/app-api/app.ts";
import { commandLineRoutes } from "./server/app-api/command-line.ts";
import { libraryStateRoutes } from "./server/app-api/library-state.ts";
import { eventRoutes } from "./server/app-api/events.ts";
import { itemRoutes } from "./server/app-api/items.ts";
import { narrationRoutes } from "./server/app-api/narrations.ts";
import { joinRoutes } from "./server/app-api/handlers.ts";
import { transcriptionRoutes } from "./server/app-api/transcription.ts";
import { createGateway, type Gateway } from "./server/gateway.ts";
import { createNodeHandler } from "./server/http/listen.ts";
import { createLibraryImporter } from "./library/archive/library-importer.ts";
import { createPronunciations } from "./library/pronunciations.ts";
import { createLibraryBackups } from "./library/recovery/library-backups.ts";
import { openLibrary } from "./library/recovery/open-library.ts";
import {
  createLibraryProcess,
  delegateTasks,
  type LibraryProcess,
} from "./library/process/library-process.ts";
import { createInProcessTasks } from "./library/process/tasks.ts";
import { libraryUnavailableError } from "./library/recovery/placeholder-database.ts";
import { createPreferences } from "./library/preferences.ts";
import { createUsage, type Usage } from "./usage/records.ts";
import { createUsageDays } from "./usage/daily-totals.ts";
import { claimDataFolder, type Ownership } from "./instance/ownership.ts";
import type { Log } from "./log.ts";
import { createModelNames } from "./models/defaults.ts";
import { createModelStore } from "./models/model-store.ts";
import { shippedModel } from "./models/shipped-models.ts";
import type { Platform } from "./platform.ts";
import { type ApiKeys, createApiKeys } from "./storage/settings/api-keys.ts";
import { createConfiguration } from "./storage/settings/configuration.ts";
import { createProviderKeys } from "./storage/settings/provider-keys.ts";
import { createReadiness } from "./server/readiness.ts";
import { maxWorkers, type Settings, defaultPort } from "./storage/settings/settings.ts";
import { readShippedLicences } from "./licences/shipped-licences.ts";
import { createChannelWatcher } from "./jobs/channel-watcher.ts";
import { createStudioEvents, toRequestEvent, type StudioEvents } from "./jobs/events.ts";
import { createStudio } from "./jobs/jobs.ts";
import { createFileImport } from "./jobs/transcription/file-import.ts";
import { createTempFolder } from "./storage/temp-folder.ts";
import { createWindowServer, type WindowServer } from "./server/window/window-server.ts";
import packageJson from "../package.json" with { type: "json" };

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
  start(): Promise<{
    baseUrl: string;
    apiKey: string;
    /** Absent if the key was set by flag or environment. */
    apiKeyFile: string | undefined;
    isKeyShort: boolean;
    requestedPort: number;
    port: number;
  }>;
  /** Address of the API; undefined while its port is closed. */
  baseUrl(): string | undefined;
  /** Opens or closes the API port; everything else keeps running. */
  setServing(isServing: boolean): Promise<void>;
  /** Current preferences. */
  preferences(): Preferences;
  /** Events as windows receive them. @returns function that unsubscribes */
  onEvent(listener: (event: StudioEvent) => void): () => void;
  /** Imports a local file into the library and transcribes it. @throws AppError if it is no media file or unreadable */
  importFile(path: string): Promise<Item>;
  /** Path of an item's audio. @throws AppError `not_found` if it has none */
  itemFile(itemId: string): Promise<string>;
  /** Opens the window port. @param rendererDir the built page @throws AppError if the page was not built */
  startWindow(rendererDir: string): Promise<Pick<WindowServer, "origin" | "pageUrl" | "launchUrl">>;
  /** Process ids of live engine processes. */
  enginePids(): number[];
  /** Ends requests, engines and ports; leaves no processes or temporary files. */
  close(): Promise<void>;
};

/**
 * A task is one sentence or one minute of audio. It takes seconds, but longer if speech is decoded six times on a slow
 * machine.
 */
const taskTimeoutMs = 180_000;
const defaultIdleSec = 300;
/** The library process stops after the same idle time as engines, but at the latest after this. */
const maxLibraryIdleMs = 60_000;
const libraryCloseTimeoutMs = 5_000;

export type AppOptions = {
  /**
   * Ownership of the data folder, released when the app closes; default: `start` claims it. Single commands hold the
   * lock themselves.
   */
  ownership?: Ownership | undefined;
};

export async function createApp(
  platform: Platform,
  settings: Settings,
  log: Log,
  options: AppOptions = {},
): Promise<App> {
  const { dataDir } = platform;
  const launchChild = createSiblingLauncher(platform.launchChild);
  let { ownership } = options;
  const channelLog = log.child({ room: "channels" });
  const temp = createTempFolder(dataDir);
  const events = createStudioEvents();
  const libraryLog = log.child({ room: "library" });
  const library = openLibrary({
    dataDir,
    isOwner: ownership !== undefined,
    launchChild,
    log: libraryLog,
    onChange: () => events.publish({ type: "library" }),
  });
  const { database } = library;
  const publishDocumentChange = (itemId: string, revision: number): void =>
    events.publish({ type: "document", itemId, revision });
  let libraryProcess: LibraryProcess | undefined;
  const inProcessTasks = createInProcessTasks(database, publishDocumentChange);
  const tasks = delegateTasks(() => libraryProcess?.tasks ?? inProcessTasks);
  const libraryBackups = createLibraryBackups({
    dataDir,
    libraryPath: library.path,
    sqlite: database.sqlite,
    launchChild,
    onDamage: () => library.reportDamage(new Error("it could not be copied")),
    log: libraryLog,
  });
  const isLibraryUnavailable = (): boolean => library.health() === "unavailable";
  const checkLibrary = (): void => {
    if (isLibraryUnavailable()) throw libraryUnavailableError();
  };
  const readiness = createReadiness({ tempDir: temp.path, libraryHealth: library.health });
  const usage = createUsage(database, libraryLog);
  const usageDays = createUsageDays(database, libraryLog);
  const configuration = createConfiguration(database, log.child({ room: "settings" }));
  const keys = notifyOnKeyChange(
    await createApiKeys({
      dataDir,
      externalKey: settings.apiKey,
      database,
      isUnavailable: isLibraryUnavailable,
    }),
    () => events.publish({ type: "keys" }),
  );
  const providerKeys = await createProviderKeys({
    dataDir,
    secretBox: platform.secretBox,
    env: process.env,
    log: log.child({ room: "settings" }),
  });
  // Loads the cache, so that these stay available if the library is damaged later.
  void [configuration.routing(), configuration.prices(), configuration.channels()];
  const preferences = createPreferences(database, {
    onChange: () => events.publish({ type: "preferences" }),
  });
  const metering = createMetering({
    usage: recordAndPublish(usage, events),
    prices: configuration.prices,
    budgets: { forKey: keys.budgetOf, spentUsd: usage.spentUsd },
  });
  const ownHost = settings.host ?? "127.0.0.1";
  const channels = notifyOnChannelChange(
    createChannels({
      configuration,
      keys: providerKeys,
      instanceId: configuration.instanceId(),
      isOwnAddress: (url) => server.isOwnAddress(url),
      log: channelLog,
    }),
    () => events.publish({ type: "channels" }),
  );
  const channelWatch = createChannelWatcher({ list: channels.list, events });
  const {
    workers = Math.min(availableParallelism(), maxWorkers),
    idleSec = defaultIdleSec,
    memoryMb = 0,
  } = { ...preferences.read(), ...settings };
  const libraryIdleMs = Math.min(idleSec * 1000, maxLibraryIdleMs);
  void library.opened.then(
    () =>
      (libraryProcess = createLibraryProcess({
        path: library.path,
        launchChild,
        onDocument: publishDocumentChange,
        onDamage: library.reportDamage,
        idleMs: libraryIdleMs,
      })),
  );
  const childModules = {
    onnxruntime: engineModule("pool"),
    sherpa: engineModule("sherpa"),
  };
  const models = createModelStore({ dataDir, log: log.child({ room: "models" }) });
  models.onChange(() => events.publish({ type: "models" }));
  const names = createModelNames(
    models.list,
    rememberLast(() => preferences.read().models),
  );
  const pool = reportUnusableModels(
    createPool(
      (runtime) => launchChild(childModules[runtime]),
      {
        size: workers,
        idleMs: idleSec * 1000,
        taskTimeoutMs,
        mediaLimits: mediaLimits(settings),
        supportDir: join(dataDir, "engines"),
        ...(memoryMb === 0 ? {} : { memoryLimitBytes: memoryMb * 1e6 }),
      },
      log.child({ room: "engines" }),
      ({ processes, bytes: heldBytes }) =>
        events.publish({ type: "engines", engines: { processes, heldBytes } }),
    ),
    models.setDamaged,
  );
  const vad = shippedModel("silero-vad");
  const local = createLocalChannel({
    pool,
    names,
    models: models.list,
    vad,
    voices,
    tempDir: temp.path,
  });
  const localRegistration: RegisteredChannel = {
    channel: local,
    priority: 0,
    weight: 1,
    health: createHealth(),
  };
  const registry = createRegistry(withLocal(localRegistration, channels.registered));
  const router = createRouter({
    registry,
    metering,
    routing: configuration.routing,
    voiceAliases: settings.voiceAliases,
    measureMediaSec: async (mediaPath, signal, { isExact } = { isExact: false }) =>
      (await pool.job(signal).run("duration", { mediaPath, isExact })).durationSec,
    splitSpeech: (part, signal) =>
      splitAudio(pool, temp.path, { ...part, fromSec: 0, vad }, signal),
    tempDir: temp.path,
  });

  const studio = createStudio({
    database,
    tasks,
    dataDir,
    tempDir: temp.path,
    router,
    pool,
    events,
    vad,
    voices: () => registry.voices().map(({ id }) => id),
    launchChild,
    log: log.child({ room: "studio" }),
  });

  const libraryImporter = createLibraryImporter({
    database,
    items: studio.items,
    tasks,
    pronunciations: createPronunciations(database),
    launchChild,
    tempDir: temp.path,
    onProgress: (progress) => events.publish({ type: "library-import", ...progress }),
  });
  const gatewayLog = log.child({ room: "gateway" });
  const admission = createAdmission(settings.maxRequests ?? defaultMaxRequests);
  const gatewayFor = (host: string): Gateway =>
    createGateway({
      admission,
      registry,
      router,
      keys,
      metering,
      usage,
      channels,
      configuration,
      tempDir: temp.path,
      moreFormats: settings.moreFormats,
      version: packageJson.version,
      log: gatewayLog,
      studio: studioRoutes,
      onItemSent: studio.recordSentTo,
      readiness,
      isLibraryUnavailable,
      flushLibrary: () =>
        // The change is committed and survives a crash, so a slow disk is no reason to report failure.
        database
          .flush()
          .catch((error: unknown) =>
            libraryLog.warn(
              { err: error },
              "a change is saved, but could not be flushed to the disk yet",
            ),
          ),
      host,
    });
  const requestedPort = settings.port ?? configuration.apiPort() ?? defaultPort;
  const server = notifyOnServerChange(
    createApiServer({
      gatewayFor,
      isKeyShort: keys.isShort,
      port: requestedPort,
      ...(settings.port === undefined ? { fallbackPort: defaultPort } : {}),
      log: gatewayLog,
    }),
    () => events.publish({ type: "server" }),
  );
  const studioRoutes = joinRoutes(
    appRoutes({
      registry,
      router,
      keys,
      configuration,
      models,
      names,
      engineMemory: pool.memory,
      server,
      isPortGiven: settings.port !== undefined,
      ownHost,
      version: packageJson.version,
      dataDir,
      areKeysSealed: platform.secretBox !== undefined,
      licences: memoizeUntilFailure(readShippedLicences),
      launchUrl: () => window?.launchUrl(),
      storageProblem: studio.storageProblem,
      dictate: platform.dictate,
    }),
    itemRoutes({ ...studio, tasks, preferences, pronunciations: studio.narrating.pronunciations }),
    transcriptionRoutes(studio.transcribing),
    narrationRoutes({ ...studio, tempDir: temp.path }),
    libraryStateRoutes(library, libraryImporter),
    eventRoutes(events),
    commandLineRoutes({
      registry,
      importer: libraryImporter,
      ready: readyFor,
      transcribe: (job, signal) => app.transcribe(job, signal),
      synthesize: (job, signal) => app.synthesize(job, signal),
      speaksLocally: (model) => router.isLocal(model, "text-to-speech"),
      phonemes: local.phonemes,
    }),
  );
  const commandLineGateway = gatewayFor(ownHost);
  const handleCommandLine = (request: Request): Promise<Response> =>
    commandLineGateway.handle(request, { isTrusted: true, isCommandLine: true });
  const fileImport = createFileImport({
    transcribing: studio.transcribing,
    probe: (mediaPath, signal) => pool.job(signal).run("probe", { mediaPath }),
    options: () => preferences.read().transcribe,
  });
  // A host given at the start takes precedence over the choice in the window.
  const openServer = () =>
    server.open(settings.host === undefined && configuration.isNetworkOpen() ? "0.0.0.0" : ownHost);
  let window: WindowServer | undefined;
  let closing: Promise<void> | undefined;

  /**
   * Resolves when the model lists of all channels are loaded or have failed for now. If only this machine can serve
   * `model`, resolves at once.
   */
  async function readyFor(model?: string): Promise<void> {
    const { aliases, prefer } = configuration.routing();
    const mayUseUpstream =
      model === undefined ||
      prefer !== "listed" ||
      Object.hasOwn(aliases, model) ||
      !local.models().some(({ id }) => id === model);
    if (mayUseUpstream && channels.registered().length > 0) await channels.ready();
  }

  /** Never rejects: everything else works without the interrupted jobs. */
  async function resume(): Promise<void> {
    await studio
      .resume()
      .catch((error: unknown) =>
        libraryLog.error({ err: error }, "the work that was left could not be resumed"),
      );
    if (closing === undefined) libraryBackups.start();
  }

  async function closeAll(): Promise<void> {
    // Otherwise tasks that wait for a stuck library process would delay the shutdown.
    const closeTimer = setTimeout(() => void libraryProcess?.close(), libraryCloseTimeoutMs);
    const retired = ownership?.retire();
    // Open event streams would keep the window port open.
    channelWatch.close();
    events.close();
    await libraryBackups.close();
    await fileImport.close();
    await studio.close();
    // Usage is recorded when a request ends.
    await Promise.all([retired, window?.close(), server.close(), local.close(), channels.close()]);
    clearTimeout(closeTimer);
    await libraryProcess?.close();
    await providerKeys.close();
    database.setServing(false);
    usageDays.close();
    usage.close();
    if (library.health() === "ok") await libraryBackups.backUpAtExit();
    library.close();
    temp.remove();
    ownership?.release();
  }

  const app: App = {
    handle: handleCommandLine,
    voices: registry.voices,
    transcribe(job, signal) {
      router.check(job.model, "speech-to-text");
      return router.transcribe(job, { caller: "command-line", signal });
    },
    synthesize(job, signal) {
      router.check(job.model, "text-to-speech");
      return router.synthesize(job, { caller: "command-line", signal });
    },
    phonemes: (lines, signal) => local.phonemes(lines, signal),
    async start() {
      ownership ??= claimDataFolder(dataDir);
      if (ownership === undefined) throw new AppError("app.alreadyRunning");
      // Before the API port is opened: the window is useful without it.
      channels.start();
      usageDays.start();
      if (isLibraryUnavailable()) {
        void library.opened.then(() => {
          if (closing !== undefined) return undefined;
          // Requests the models of the channels, whose configurations are known only now.
          channels.registered();
          return resume();
        });
      } else await resume();
      database.setServing(true);
      ownership.serveApp(createNodeHandler(handleCommandLine, gatewayLog));
      const { host, port } = await openServer();
      const shownHost = host.includes(":") ? `[${host}]` : host;
      return {
        baseUrl: `http://${shownHost}:${port}/v1`,
        apiKey: keys.key,
        apiKeyFile: keys.file,
        isKeyShort: keys.isShort,
        requestedPort,
        port,
      };
    },
    baseUrl() {
      const listening = server.address();
      return listening && baseUrlOf(listening);
    },
    async setServing(isServing) {
      await (isServing ? openServer() : server.close());
    },
    preferences: preferences.read,
    onEvent: events.onEvent,
    async importFile(path) {
      checkLibrary();
      return fileImport.add(path);
    },
    itemFile: studio.transcribing.media.source,
    async startWindow(rendererDir) {
      // Same port as last time, so that a page that is still open reconnects and keeps unsaved input.
      window = await createWindowServer({
        gateway: gatewayFor(ownHost),
        installId: configuration.instanceId(),
        rendererDir,
        port: configuration.windowPort(),
        previousPath: configuration.windowPath(),
        onSession: configuration.saveWindowPath,
        log: log.child({ room: "window" }),
      });
      configuration.saveWindowPort(window.port);
      return window;
    },
    enginePids: pool.pids,
    close: () => (closing ??= closeAll()),
  };
  return app;
}

function mediaLimits({
  maxAudioHours,
  tempRatio = defaultMediaLimits.tempRatio,
  tempMb,
}: Settings): MediaLimits {
  return {
    maxDurationSec:
      maxAudioHours === undefined ? defaultMediaLimits.maxDurationSec : maxAudioHours * 3600,
    tempRatio,
    tempExtraBytes: tempMb === undefined ? defaultMediaLimits.tempExtraBytes : tempMb * 1e6,
  };
}

/** The local channel first. Returns the same array while the others are unchanged. */
function withLocal(
  localRegistration: RegisteredChannel,
  upstreamChannels: () => readonly RegisteredChannel[],
): () => readonly RegisteredChannel[] {
  let lastUpstream: readonly RegisteredChannel[] | undefined;
  let all: readonly RegisteredChannel[] = [];
  return () => {
    const now = upstreamChannels();
    if (now !== lastUpstream) all = [localRegistration, ...(lastUpstream = now)];
    return all;
  };
}

/** Also publishes usage records to the live log of windows. */
const recordAndPublish = (usage: Usage, events: StudioEvents): Pick<Usage, "add"> => ({
  add(record) {
    usage.add(record);
    events.publish(toRequestEvent(record));
  },
});

/** Publishes changes of API keys, made in a window or by a command, to all windows. */
const notifyOnKeyChange = (keys: ApiKeys, onChange: () => void): ApiKeys => ({
  ...keys,
  create(input) {
    const created = keys.create(input);
    onChange();
    return created;
  },
  revoke(idOrName) {
    const hasExisted = keys.revoke(idOrName);
    onChange();
    return hasExisted;
  },
});

/** Publishes channel changes, made in a window or by a client, to all windows. */
function notifyOnChannelChange(channels: Channels, onChange: () => void): Channels {
  const notifyAfter = async <T>(work: Promise<T>): Promise<T> => {
    const result = await work;
    onChange();
    return result;
  };
  return {
    ...channels,
    add: (input) => notifyAfter(channels.add(input)),
    change: (idOrName, patch) => notifyAfter(channels.change(idOrName, patch)),
    remove: (idOrName) => notifyAfter(channels.remove(idOrName)),
  };
}

/** Publishes changes of the API port, which menus can open and close too. */
const notifyOnServerChange = (server: ApiServer, onChange: () => void): ApiServer => ({
  ...server,
  open: (host) => server.open(host).finally(onChange),
  move: (port) => server.move(port).finally(onChange),
  close: () => server.close().finally(onChange),
});

/** The last value that could be read: settings stay available if the library is damaged later. */
function rememberLast<T>(read: () => T): () => T {
  let value = read();
  return () => {
    try {
      value = read();
    } catch {
      // The last value counts.
    }
    return value;
  };
}

/** Reads at the first call and caches the result; retries after a failure. */
function memoizeUntilFailure<T>(read: () => Promise<T>): () => Promise<T> {
  let value: Promise<T> | undefined;
  return async () => {
    try {
      return await (value ??= read());
    } catch (error) {
      value = undefined;
      throw error;
    }
  };
}

/** Entry module of engine processes. Same extension as this file: TypeScript source or compiled JavaScript. */
const engineModule = (room: "pool" | "sherpa"): string =>
  join(import.meta.dirname, "engines", room, `child${extname(import.meta.filename)}`);
