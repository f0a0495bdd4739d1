// /app/info, /app/server, /app/dictation and voice samples.

import type { Registry, RegisteredChannel } from "../../channels/registry.ts";
import type { Router } from "../../channels/router.ts";
import { isBuiltInName } from "../../contract/channels.ts";
import { AppError } from "../../contract/errors.ts";
import type { EngineMemory, VoiceInfo } from "../../contract/speech.ts";
import type { AppInfo } from "../../contract/window-api.ts";
import type { WyomingChange, WyomingState } from "../../contract/wyoming.ts";
import type { ModelNames } from "../../models/defaults.ts";
import type { ApiKeys } from "../../storage/settings/api-keys.ts";
import type { Configuration } from "../../storage/settings/configuration.ts";
import { type ApiServer, isForNetwork, type ServerAddress } from "../api-server.ts";
import { baseUrlOf, networkAddresses } from "../http/network-addresses.ts";
import type { Handlers, RawRoute } from "./handlers.ts";
import type { AppApiRoutes } from "./handlers.ts";

export type AppHandlerDeps = {
  registry: Registry;
  names: ModelNames;
  router: Router;
  keys: ApiKeys;
  configuration: Configuration;
  engineMemory(): EngineMemory;
  server: ApiServer;
  wyoming: {
    /** undefined while the port is closed. */
    address(): ServerAddress | undefined;
    state(): WyomingState;
    change(change: WyomingChange): Promise<void>;
  };
  /** The port was given at the start, and will be given again at the next one. */
  isPortGiven: boolean;
  isOffline(): boolean;
  /** Offline was given at the start. */
  isOfflineGiven: boolean;
  /** Address that the server is bound to without network access. */
  ownHost: string;
  version: string;
  dataDir: string;
  /** The system encrypts provider keys. */
  areKeysSealed: boolean;
  licences(): Promise<AppInfo["licences"]>;
  /** undefined if there is no window. */
  launchUrl(): string | undefined;
  storageProblem(): AppInfo["storageTrouble"];
  /** Same as the host's dictation key; omitted if the host has none. */
  dictate?: (() => void) | undefined;
};

type Names = "readInfo" | "newLaunchUrl" | "dictate" | "changeServer" | "changeWyoming";

export function appRoutes(deps: AppHandlerDeps): AppApiRoutes {
  return { handlers: appHandlers(deps), rawRoutes: [voiceSampleRoute(deps)] };
}

function appHandlers({
  keys,
  configuration,
  engineMemory,
  server,
  wyoming,
  isPortGiven,
  isOffline,
  isOfflineGiven,
  ownHost,
  version,
  dataDir,
  areKeysSealed,
  licences,
  launchUrl,
  storageProblem,
  dictate,
}: AppHandlerDeps): Handlers<Names> {
  async function info(): Promise<AppInfo> {
    const listening = server.address();
    const isNetworkOpen =
      listening === undefined ? configuration.isNetworkOpen() : isForNetwork(listening.host);
    const { processes, bytes: heldBytes } = engineMemory();
    const problem = storageProblem();
    const wyomingAddress = wyoming.address();
    return {
      version,
      ...(listening === undefined ? {} : { baseUrl: baseUrlOf(listening) }),
      apiKey: keys.key,
      port: server.port(),
      isPortGiven,
      isNetworkOpen,
      ...(wyomingAddress && {
        wyoming: { ...wyomingAddress, isForNetwork: isForNetwork(wyomingAddress.host) },
      }),
      wyomingSettings: wyoming.state(),
      isOffline: isOffline(),
      isOfflineGiven,
      addresses: networkAddresses(),
      dataDir,
      keysAre: areKeysSealed ? "sealed" : "in-file",
      engines: { processes, heldBytes },
      ...(problem === undefined ? {} : { storageTrouble: problem }),
      licences: await licences(),
    };
  }

  return {
    readInfo: info,
    async changeServer({ isRunning, isNetworkOpen, port }) {
      const host = isNetworkOpen ? toNetworkHost(ownHost) : ownHost;
      server.check(host);
      if (port !== undefined) {
        await server.move(port).catch((error: unknown) => Promise.reject(toMoveError(error, port)));
        configuration.setApiPort(port);
      }
      configuration.setNetworkOpen(isNetworkOpen);
      if (!isRunning) await server.close();
      else await server.open(host).catch((error: unknown) => Promise.reject(toListenError(error)));
      return info();
    },
    async changeWyoming(change) {
      const { port } = { ...wyoming.state(), ...change };
      await wyoming
        .change(change)
        .catch((error: unknown) => Promise.reject(toMoveError(error, port)));
      return info();
    },
    newLaunchUrl() {
      const url = launchUrl();
      if (url === undefined) throw new AppError("app.noWindow");
      return { url };
    },
    dictate() {
      if (dictate === undefined) throw new AppError("app.noDictation");
      dictate();
      return {};
    },
  };
}

/** Address that opens the network; a host that already does stays unchanged. */
const toNetworkHost = (host: string): string => (isForNetwork(host) ? host : "0.0.0.0");

function toListenError(error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (code === undefined) return error;
  return code === "EADDRINUSE"
    ? new AppError("app.portsTaken", {}, { cause: error })
    : new AppError("app.addressRefused", { code }, { cause: error });
}

function toMoveError(error: unknown, port: number): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (code === undefined) return error;
  return new AppError(
    code === "EADDRINUSE" ? "app.portTaken" : "app.portRefused",
    { port },
    { cause: error },
  );
}

/** Generated once per voice and model, since the result is always the same while the app runs. */
function voiceSampleRoute({ registry, router, names }: AppHandlerDeps): RawRoute {
  const samples = new Map<string, Promise<Buffer<ArrayBuffer>>>();

  /** Not cancelled with the request: the next caller uses the result. */
  async function generateSample(
    { id: voice, sample: text }: VoiceInfo,
    model: string,
  ): Promise<Buffer<ArrayBuffer>> {
    const parts: Uint8Array[] = [];
    for await (const { bytes } of router.synthesize(
      { model, text, voice, speed: 1, format: "mp3" },
      { caller: "window", signal: new AbortController().signal },
    ))
      parts.push(bytes);
    return Buffer.concat(parts);
  }

  return {
    method: "GET",
    path: "/app/voices/:id/sample",
    async respond(request, { id = "" }) {
      const name = new URL(request.url).searchParams.get("model") ?? "tts-1";
      const model = findSpeechModel(registry.channels(), names, id, name);
      const ofName = (listed: VoiceInfo): boolean => listed.id === id;
      const voice =
        registry.voices((listed) => ofName(listed) && listed.model === model)[0] ??
        registry.voices(ofName)[0];
      if (model === undefined || voice === undefined)
        throw new AppError("voice.unknown", { voice: id.slice(0, 60) }, { param: "id" });
      const key = `${model}\n${id}`;
      let sample = samples.get(key);
      if (sample === undefined) {
        sample = generateSample(voice, model);
        samples.set(key, sample);
        sample.catch(() => samples.delete(key));
      }
      const bytes = await sample;
      return new Response(bytes, {
        headers: {
          "content-type": "audio/mpeg",
          "content-length": String(bytes.length),
          "cache-control": "private, max-age=3600",
        },
      });
    },
  };
}

/**
 * A model of the channel that has the voice, under a name that only this channel serves.
 * @param name for which the model of this machine is taken
 */
function findSpeechModel(
  channels: readonly RegisteredChannel[],
  names: ModelNames,
  voice: string,
  name: string,
): string | undefined {
  const match = channels.find(({ channel }) => channel.voices().some(({ id }) => id === voice));
  if (match?.channel.isLocal === true) return names.speech(name, voice)?.model.id;
  const model = match?.channel
    .models()
    .find(
      ({ id, kind }) =>
        kind === "text-to-speech" && (match.prefix !== undefined || !isBuiltInName(id)),
    );
  return model && (match?.prefix === undefined ? model.id : `${match.prefix}/${model.id}`);
}
