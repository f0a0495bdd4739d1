// Wires the ports: the API's, the window's, and the command line's way to both.

import { createModelRecognizer } from "../jobs/transcription/live/model-recognizer.ts";
import { createAdmission, defaultMaxRequests } from "../server/http/admission.ts";
import { createApiServer, isForNetwork, type ApiServer } from "../server/api-server.ts";
import { createGateway, type Gateway } from "../server/gateway.ts";
import { createReadiness } from "../server/readiness.ts";
import { createWindowServer, type WindowServer } from "../server/window/window-server.ts";
import { defaultPort } from "../storage/settings/settings.ts";
import packageJson from "../../package.json" with { type: "json" };
import { publishServerChanges } from "./event-publishing.ts";
import { wirePodcastFeed } from "./podcast-feed.ts";
import { wireRoutes } from "./routes.ts";
import type { Services } from "./services.ts";
import { wireWyoming, type WiredWyoming } from "./wyoming.ts";

export type WiredPorts = ReturnType<typeof wirePorts>;

export function wirePorts(services: Services) {
  const { settings, temp, events, log, library, stored, serving, jobs, engines } = services;
  const { configuration, keys } = stored;
  const { registry, router, metering, usage, channels } = serving;
  const serverLog = log.child({ room: "server" });
  const ownHost = settings.host ?? "127.0.0.1";
  const admission = createAdmission(settings.maxRequests ?? defaultMaxRequests);
  const readiness = createReadiness({ tempDir: temp.path, libraryHealth: library.health });
  const { feed, episodes } = wirePodcastFeed(services);
  const gatewayFor = (host: string): Gateway =>
    createGateway({
      ...(isForNetwork(host) ? { respondToFeed: feed.respond } : {}),
      registry,
      router,
      metering,
      usage,
      channels,
      admission,
      keys,
      configuration,
      tempDir: temp.path,
      moreFormats: settings.moreFormats,
      version: packageJson.version,
      log: serverLog,
      appApiRoutes: routes,
      onItemSent: jobs.recordSentTo,
      vocabulary: jobs.vocabulary.list,
      readiness,
      openLiveRecognizer: (options) =>
        createModelRecognizer(
          {
            router,
            pool: engines.pool,
            tempDir: temp.path,
            vad: engines.vad,
            // As in other requests to /v1, only the window's own have it.
            vocabulary: () => (options.caller === "window" ? jobs.vocabulary.list() : []),
          },
          options,
        ),
      isLibraryUnavailable: library.isUnavailable,
      flushLibrary: library.database.flush,
      host,
    });
  const requestedPort = settings.port ?? configuration.apiPort() ?? defaultPort;
  const wyoming = wireWyoming(services, admission);
  const server = publishServerChanges(
    withWyoming(
      createApiServer({
        gatewayFor,
        isKeyShort: keys.isShort,
        port: requestedPort,
        ...(settings.port === undefined ? { fallbackPort: defaultPort } : {}),
        log: serverLog,
      }),
      wyoming,
    ),
    events,
  );
  let window: WindowServer | undefined;
  const routes = wireRoutes(services, server, wyoming, feed, ownHost, () => window?.launchUrl());
  const commandLineGateway = gatewayFor(ownHost);
  return {
    requestedPort,
    server,
    // A host given at the start takes precedence over the choice in the window.
    openServer: () =>
      server.open(
        settings.host === undefined && configuration.isNetworkOpen() ? "0.0.0.0" : ownHost,
      ),
    handleCommandLine: (request: Request): Promise<Response> =>
      commandLineGateway.handle(request, { isTrusted: true, isCommandLine: true }),
    async openWindow(rendererDir: string): Promise<WindowServer> {
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
    close: async () => {
      await Promise.all([window?.close(), server.close(), episodes.close()]);
    },
  };
}

/** The server's switch also opens and closes the port for Home Assistant. */
const withWyoming = (server: ApiServer, wyoming: WiredWyoming): ApiServer => ({
  ...server,
  async open(host) {
    const address = await server.open(host);
    await wyoming.open();
    return address;
  },
  async close() {
    await Promise.all([server.close(), wyoming.close()]);
  },
});
