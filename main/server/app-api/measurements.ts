// /app/models/measurements: error rates that the person measured, the clips for it, and votes on voices.

import type { Measurement, ModelMeasurement, VoiceTally } from "../../contract/measurements.ts";
import type { EngineMemory } from "../../contract/speech.ts";
import type { ModelNames } from "../../models/defaults.ts";
import type { ClipMeasurements } from "../../models/clip-measurements.ts";
import { clipMimeType, measuringClips, readMeasuringClip } from "../../models/measuring-clips.ts";
import { findTextErrors } from "../../transcript/word-errors.ts";
import { attachmentHeader } from "../http/attachment.ts";
import type { AppApiRoutes, Handlers } from "./handlers.ts";

export type MeasurementRouteDeps = {
  measurements: ClipMeasurements;
  names: Pick<ModelNames, "behind">;
  engineMemory(): EngineMemory;
  /** Tries a model of this machine. */
  tryModel(id: string, signal: AbortSignal): Promise<ModelMeasurement>;
};

type Names =
  | "tryModel"
  | "listMeasurements"
  | "addMeasurement"
  | "removeMeasurement"
  | "voteOnVoices";

export function measurementRoutes(deps: MeasurementRouteDeps): AppApiRoutes {
  const { measurements } = deps;
  const handlers: Handlers<Names> = {
    tryModel: (_, id, signal) => deps.tryModel(id, signal),
    listMeasurements: () => ({
      measurements: [...measurements.list()],
      voices: [...measurements.tallies()],
      clips: [...measuringClips],
    }),
    async addMeasurement({ expected, text, durationSec, tookSec, ...subject }) {
      const { parts, ...errors } = await findTextErrors(expected, text, subject.language);
      const memoryBytes = memoryOf(subject.model, deps);
      const added = measurements.add({
        ...subject,
        ...errors,
        ...(durationSec === undefined ? {} : { speed: durationSec / tookSec }),
        ...(memoryBytes === 0 ? {} : { memoryBytes }),
        measuredAt: Math.floor(Date.now() / 1000),
      });
      return { ...added, parts };
    },
    removeMeasurement(_, id) {
      measurements.remove(id);
      return { removed: true };
    },
    voteOnVoices(vote) {
      measurements.vote(vote);
      return { voices: [...measurements.tallies()] };
    },
  };
  return {
    handlers,
    rawRoutes: [
      {
        method: "GET",
        path: "/app/models/clips/:id",
        respond: async (_, { id = "" }) =>
          new Response(await readMeasuringClip(id), { headers: { "content-type": clipMimeType } }),
      },
      csvRoute("measurements", () => measurementTable(measurements.list())),
      csvRoute("votes", () => voiceTable(measurements.tallies())),
    ],
  };
}

function memoryOf(name: string, { names, engineMemory }: MeasurementRouteDeps): number {
  const { models } = engineMemory();
  return names.behind(name).reduce((sum, { id }) => sum + (models.get(id)?.bytes ?? 0), 0);
}

type Table = readonly (readonly (string | number | undefined)[])[];

const csvRoute = (name: string, table: () => Table): AppApiRoutes["rawRoutes"][number] => ({
  method: "GET",
  path: `/app/models/${name}.csv`,
  respond: () =>
    new Response(toCsv(table()), {
      headers: {
        "content-type": "text/csv; charset=utf-8",
        "cache-control": "no-store",
        ...attachmentHeader(`hearsay-${name}.csv`),
      },
    }),
});

const measurementTable = (rows: readonly Measurement[]): Table => [
  [
    "measured",
    "model",
    "clip",
    "language",
    "error rate",
    "unit",
    "length",
    "substituted",
    "deleted",
    "inserted",
    "speed",
    "memory bytes",
  ],
  ...rows.map((row) => [
    new Date(row.measuredAt * 1000).toISOString(),
    row.model,
    row.clip,
    row.language,
    row.rate.toFixed(4),
    row.unit,
    row.length,
    row.substituted,
    row.deleted,
    row.inserted,
    row.speed?.toFixed(2),
    row.memoryBytes,
  ]),
];

const voiceTable = (tallies: readonly VoiceTally[]): Table => [
  ["model", "voice", "won", "lost", "tied"],
  ...tallies.map(({ model, voice, won, lost, tied }) => [model, voice, won, lost, tied]),
];

/** RFC 4180. A program that opens it must not take a name for a formula. */
const toCsv = (table: Table): string =>
  table.map((row) => `${row.map((cell = "") => csvCell(String(cell))).join(",")}\r\n`).join("");

function csvCell(value: string): string {
  const harmless = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
