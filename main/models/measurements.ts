// What was measured of the models on this machine, in one file. It outlives a model that is removed and installed
// again.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { type ModelMeasurement, modelMeasurement } from "../contract/measurements.ts";
import type { Log } from "../log.ts";
import { mkdirSync, renameSync, writeFileSync } from "../storage/disk.ts";

export type Measurements = {
  of(modelId: string): ModelMeasurement | undefined;
  /** A write error is only logged. */
  record(modelId: string, measurement: ModelMeasurement): void;
};

const storedMeasurements = z.record(z.string(), modelMeasurement);

export function createMeasurements(modelsDir: string, log: Log): Measurements {
  const path = join(modelsDir, "measured.json");
  const measured = read();

  function read(): Record<string, ModelMeasurement> {
    try {
      return storedMeasurements.parse(JSON.parse(readFileSync(path, "utf8")));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT")
        log.warn({ err: error }, "what was measured of the models cannot be read");
      return {};
    }
  }

  return {
    of: (modelId) => (Object.hasOwn(measured, modelId) ? measured[modelId] : undefined),
    record(modelId, measurement) {
      measured[modelId] = measurement;
      try {
        mkdirSync(modelsDir, { recursive: true, mode: 0o700 });
        writeFileSync(`${path}.new`, JSON.stringify(measured));
        renameSync(`${path}.new`, path);
      } catch (error) {
        log.warn({ err: error }, "what was measured of a model cannot be stored");
      }
    },
  };
}
