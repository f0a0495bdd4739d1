// Wires the routes of /app: what the window's pages and the command line call.

import { modelListsReady } from "../channels/model-lists.ts";
import { createDictationHistory } from "../library/dictations.ts";
import { createLibraryImporter } from "../library/archive/library-importer.ts";
import { shippedLicences } from "../licences/shipped-licences.ts";
import type { ApiServer } from "../server/api-server.ts";
import { appRoutes } from "../server/app-api/app.ts";
import { commandLineRoutes } from "../server/app-api/command-line.ts";
import { dictationRoutes } from "../server/app-api/dictations.ts";
import { eventRoutes } from "../server/app-api/events.ts";
import { joinRoutes, type AppApiRoutes } from "../server/app-api/handlers.ts";
import { itemRoutes } from "../server/app-api/items.ts";
import { libraryStateRoutes } from "../server/app-api/library-state.ts";
import { importUpdates, modelFileRoutes, pullUpdates } from "../server/app-api/model-files.ts";
import { measurementRoutes } from "../server/app-api/measurements.ts";
import { modelRoutes } from "../server/app-api/models.ts";
import { networkRoutes } from "../server/app-api/network.ts";
import { podcastFeedRoutes } from "../server/app-api/podcast-feed.ts";
import type { FeedServing } from "../server/feed/podcast-feed.ts";
import { peopleRoutes } from "../server/app-api/people.ts";
import { noteRoutes } from "../server/app-api/notes.ts";
import { narrationRoutes } from "../server/app-api/narrations.ts";
import { vocabularyRoutes } from "../server/app-api/vocabulary.ts";
import { transcriptionRoutes } from "../server/app-api/transcription.ts";
import packageJson from "../../package.json" with { type: "json" };
import type { Services } from "./services.ts";
import type { WiredWyoming } from "./wyoming.ts";

export function wireRoutes(
  { platform, settings, temp, events, library, stored, network, ...services }: Services,
  server: ApiServer,
  wyoming: WiredWyoming,
  feed: FeedServing,
  ownHost: string,
  launchUrl: () => string | undefined,
): AppApiRoutes {
  const { models, engines, trials, serving, jobs, watchFolder, forgetting } = services;
  const { configuration, keys } = stored;
  const { database, tasks, preferences } = library;
  const { channels, registry, router, commandLine } = serving;
  const { items, transcriptionJobs } = jobs;
  const importer = createLibraryImporter({
    database,
    items,
    tasks,
    vocabulary: jobs.vocabulary,
    people: jobs.people,
    launchChild: platform.launchChild,
    tempDir: temp.path,
    onProgress: (progress) => events.publish({ type: "library-import", ...progress }),
  });
  return joinRoutes(
    appRoutes({
      registry,
      names: models.names,
      router,
      keys,
      configuration,
      engineMemory: engines.pool.memory,
      server,
      wyoming: {
        ...wyoming,
        change: (change) =>
          wyoming.change(change).finally(() => events.publish({ type: "server" })),
      },
      isPortGiven: settings.port !== undefined,
      isOffline: network.outbound.isOffline,
      isOfflineGiven: network.isOfflineGiven,
      ownHost,
      version: packageJson.version,
      dataDir: platform.dataDir,
      areKeysSealed: platform.secretBox !== undefined,
      licences: shippedLicences,
      launchUrl,
      storageProblem: jobs.storageProblem,
      dictate: platform.dictate,
    }),
    modelRoutes({
      registry,
      models: models.store,
      names: models.names,
      measurements: models.measurements,
      engineMemory: engines.pool.memory,
      configuration,
      dataDir: platform.dataDir,
    }),
    measurementRoutes({
      measurements: models.measurements,
      names: models.names,
      engineMemory: engines.pool.memory,
      tryModel: trials.run,
    }),
    itemRoutes({
      ...jobs,
      tasks,
      media: transcriptionJobs.media,
      preferences,
      vocabulary: jobs.vocabulary.list,
    }),
    transcriptionRoutes(transcriptionJobs),
    noteRoutes(jobs.documents),
    dictationRoutes(createDictationHistory(database, preferences)),
    { handlers: { readWatch: watchFolder.status }, rawRoutes: [] },
    peopleRoutes({ ...jobs, forget: forgetting.forget }),
    narrationRoutes({
      ...jobs,
      tempDir: temp.path,
      unknownWords: engines.local.unknownWords,
    }),
    vocabularyRoutes({ ...jobs, unknownWords: engines.local.unknownWords }),
    libraryStateRoutes(library, importer),
    networkRoutes(network),
    podcastFeedRoutes(feed),
    eventRoutes(events),
    modelFileRoutes(models),
    commandLineRoutes({
      registry,
      pull: (request, signal) =>
        pullUpdates({ downloads: models.downloads, onEvent: events.onEvent }, request, signal),
      importModel: (request, signal) => importUpdates(models.importer, request, signal),
      importer,
      documentImport: jobs.documentImport,
      tempDir: temp.path,
      ready: (model) =>
        modelListsReady({ local: engines.local, channels, routing: configuration.routing }, model),
      ...commandLine,
      speaksLocally: (model) => router.isLocal(model, "text-to-speech"),
      phonemes: engines.local.phonemes,
    }),
  );
}
