// How much the engines may take: settings of this start, else preferences.

import { availableParallelism } from "node:os";
import type { PreferenceStore } from "../library/preferences.ts";
import { maxWorkers, type Settings } from "../storage/settings/settings.ts";

export type EngineLimits = { workers: number; idleMs: number; memoryMb: number };

/** Settings of this start take precedence over preferences, which apply from the next start on. */
export function readEngineLimits(preferences: PreferenceStore, settings: Settings): EngineLimits {
  const {
    workers = Math.min(availableParallelism(), maxWorkers),
    idleSec = 300,
    memoryMb = 0,
  } = { ...preferences.read(), ...settings };
  return { workers, idleMs: idleSec * 1000, memoryMb };
}
