// /app/models: the models of all channels, those set aside here, and those that could be installed here.

import { totalmem } from "node:os";
import type { Offer, Registry } from "../../channels/registry.ts";
import { localChannelName, type Price } from "../../contract/channels.ts";
import { type CatalogEntry, type InstalledModel, isAuxiliary } from "../../contract/models.ts";
import type { EngineMemory } from "../../contract/speech.ts";
import type { ListedModel, ModelDefaults } from "../../contract/window-api.ts";
import { catalog } from "../../models/catalog.ts";
import { isCpuOnly } from "../../engines/model-runtime.ts";
import type { ClipMeasurements } from "../../models/clip-measurements.ts";
import { type ModelNames, otherLanguages } from "../../models/defaults.ts";
import { memoryNeedBytes, sizeOfFiles } from "../../contract/model-size.ts";
import type { ModelStore } from "../../models/model-store.ts";
import type { Configuration } from "../../storage/settings/configuration.ts";
import { diskReserveBytes, freeBytesSync } from "../../storage/disk.ts";
import type { Handlers, AppApiRoutes } from "./handlers.ts";

export type ModelHandlerDeps = {
  registry: Registry;
  models: ModelStore;
  names: ModelNames;
  measurements: Pick<ClipMeasurements, "errorRatesOf">;
  engineMemory(): EngineMemory;
  configuration: Pick<Configuration, "prices">;
  dataDir: string;
};

/** The rest is left to the system and other programs. */
const maxMemoryShare = 0.75;

export function modelRoutes(deps: ModelHandlerDeps): AppApiRoutes {
  const { registry, models, names } = deps;
  const handlers: Handlers<"listModels" | "removeModel"> = {
    listModels() {
      const memory = deps.engineMemory().models;
      const known = { ...deps, memory, freeBytes: freeBytesIn(deps.dataDir) };
      const onThisMachine = models.list().filter(({ kind }) => !isAuxiliary(kind));
      const installedIds = new Set(models.list().map(({ id }) => id));
      return {
        models: [
          ...registry
            .models()
            .flatMap(({ id }) => registry.offers(id))
            .map((offer) => toOffered(offer, deps, memory)),
          ...onThisMachine
            .filter(({ damaged }) => damaged !== undefined)
            .map((model) => toListedHere("damaged", model, known)),
          ...catalog
            .filter(({ id }) => !installedIds.has(id))
            .map((entry) => toListedHere("available", entry, known)),
        ],
        defaults: defaultsOf(names),
        tellsSpeakersApart: models
          .list()
          .some(({ kind, damaged }) => kind === "diarization" && damaged === undefined),
      };
    },
    async removeModel(_, id) {
      await models.remove(id);
      return { removed: true };
    },
  };
  return { handlers, rawRoutes: [] };
}

function toOffered(
  { registered, channelModel, info }: Offer,
  { names, configuration, measurements }: ModelHandlerDeps,
  memory: EngineMemory["models"],
): ListedModel {
  const models = registered.channel.isLocal ? names.behind(channelModel) : [];
  const [first] = models;
  // A name that stands for models has no more to tell than their sum.
  const model = first?.id === channelModel ? first : undefined;
  return {
    id: info.id,
    state: "ready",
    kind: info.kind,
    ownedBy: info.ownedBy,
    channel: registered.channel.isLocal ? localChannelName : registered.channel.name,
    ...(registered.prefix === undefined ? {} : { prefix: registered.prefix }),
    ...(model === undefined ? {} : describe(model, memory)),
    ...measuredRatesOf(info.id, measurements),
    ...(first === undefined
      ? {}
      : {
          sizeBytes: models.reduce((sum, { files }) => sum + sizeOfFiles(files), 0),
          licence: first.licence.name,
          languages: [
            ...new Set(models.flatMap(({ languages }) => languages.map(({ code }) => code))),
          ],
          memory: models.map(({ id }) => ({
            model: id,
            ...(memory.get(id) ?? { isLoaded: false }),
          })),
        }),
    ...(registered.isPaid === true ? priceOf([info.id, channelModel], configuration) : {}),
  };
}

function toListedHere(
  state: "damaged" | "available",
  model: CatalogEntry,
  {
    measurements,
    memory,
    freeBytes,
  }: Pick<ModelHandlerDeps, "measurements"> & {
    memory: EngineMemory["models"];
    freeBytes: number;
  },
): ListedModel {
  const described = describe(model, memory);
  const isDiskFull = freeBytes - diskReserveBytes < sizeOfFiles(model.files);
  const lacks = described.lacks ?? (isDiskFull ? "disk" : undefined);
  return {
    id: model.id,
    state,
    kind: isAuxiliary(model.kind) ? "unknown" : model.kind,
    ownedBy: model.ownedBy,
    channel: localChannelName,
    ...described,
    ...measuredRatesOf(model.id, measurements),
    ...(lacks === undefined ? {} : { lacks }),
  };
}

function measuredRatesOf(
  id: string,
  measurements: ModelHandlerDeps["measurements"],
): Pick<ListedModel, "measuredErrorRates"> {
  const measuredErrorRates = measurements.errorRatesOf(id);
  return Object.keys(measuredErrorRates).length === 0 ? {} : { measuredErrorRates };
}

/** What the catalog or this machine knows about a model. */
function describe(
  model: CatalogEntry & Partial<Pick<InstalledModel, "origin" | "damaged" | "measured">>,
  memory: EngineMemory["models"],
): Omit<ListedModel, "id" | "state" | "kind" | "ownedBy" | "channel"> {
  const { licence, languages, capabilities, voices, origin, damaged, measured } = model;
  const memoryBytes = memory.get(model.id)?.bytes ?? measured?.memoryBytes;
  const needBytes = memoryNeedBytes({
    ...model,
    ...(memoryBytes !== undefined && { measured: { memoryBytes, measuredAt: 0 } }),
  });
  return {
    name: model.name,
    family: model.family,
    sizeBytes: sizeOfFiles(model.files),
    licence: licence.name,
    ...(licence.url === undefined ? {} : { licenceUrl: licence.url }),
    ...(licence.mustBeAccepted === true ? { mustAcceptLicence: true } : {}),
    languages: languages.map(({ code }) => code),
    errorRates: Object.fromEntries(
      languages.flatMap(({ code, errorRate }) =>
        errorRate === undefined ? [] : [[code, errorRate]],
      ),
    ),
    capabilities: { ...capabilities, translatesTo: [...capabilities.translatesTo] },
    memoryNeedBytes: needBytes,
    ...(voices === undefined ? {} : { voices: [...voices] }),
    isCpuOnly: isCpuOnly(model),
    isDownloadable: model.sources.length > 0,
    ...(origin === undefined ? {} : { origin }),
    ...(damaged === undefined ? {} : { damaged: structuredClone(damaged) }),
    ...(measured === undefined ? {} : { measured: structuredClone(measured) }),
    ...(needBytes > maxMemoryShare * totalmem() ? { lacks: "memory" as const } : {}),
  };
}

/** Infinity if the system does not tell. */
function freeBytesIn(dataDir: string): number {
  try {
    return freeBytesSync(dataDir);
  } catch {
    return Infinity;
  }
}

function priceOf(names: readonly string[], configuration: Pick<Configuration, "prices">): Price {
  const prices = configuration.prices();
  const name = names.find((modelName) => Object.hasOwn(prices, modelName));
  return (name !== undefined && prices[name]) || {};
}

function defaultsOf(names: ModelNames): ModelDefaults {
  const transcribers = (task: "transcribe" | "translate"): Record<string, string> => {
    const found = names.transcription("whisper-1", task);
    if (found === undefined) return {};
    return {
      ...Object.fromEntries(found.languages.map((code) => [code, found.modelFor(code).id])),
      [otherLanguages]: found.modelFor(undefined).id,
    };
  };
  const speakers = (name: "tts-1" | "tts-1-hd"): Record<string, string> => {
    const spoken = new Set(
      names.behind(name).flatMap(({ languages }) => languages.map(({ code }) => code)),
    );
    return Object.fromEntries(
      [...spoken, otherLanguages].flatMap((code) => {
        const found = names.speech(name, undefined, code);
        return found === undefined ? [] : [[code, found.model.id]];
      }),
    );
  };
  return {
    transcribe: transcribers("transcribe"),
    translate: transcribers("translate"),
    speak: speakers("tts-1"),
    speakHd: speakers("tts-1-hd"),
  };
}
