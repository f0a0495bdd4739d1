// What a person can set from outside: flags of the command line win over environment variables, those over
// defaults. Everything is checked here, once.

import { parseDecimal } from "../../contract/decimal.ts";
import { AppError } from "../../contract/errors.ts";
import { maxMemoryMb } from "../../contract/studio-api.ts";

export type Settings = {
  /** Address the gateway listens on; default loopback, or the network where the window says so. */
  host?: string;
  /** First choice; the next free one is taken when it is in use. 0: any; default as the window says, or the usual one. */
  port?: number;
  dataDir: string;
  /** A key given from outside; default the one made on first run. */
  apiKey?: string;
  /** Also take ogg, opus and flac. */
  moreFormats: boolean;
  /** Voice a client is hard-wired to → voice of ours. */
  voiceAliases: ReadonlyMap<string, string>;
  /** Engine processes at most; default as the window says, or as many as there are cores. */
  workers?: number;
  /** An unused engine process is ended after so long; default as the window says, or five minutes. */
  idleSec?: number;
  /** What all engine processes may hold together, in MB; 0: no limit; default as the window says, or no limit. */
  memoryMb?: number;
  /** Longer sound is refused; default a day. */
  maxAudioHours?: number;
  /** Temporary space of a request: so many times its file, and so many MB beside; default 16 and 1000. */
  tempRatio?: number;
  tempMb?: number;
  /** Requests to `/v1` that this machine works on or that wait for it, at most; default 64. */
  maxRequests?: number;
};

export const defaultPort = 4343;

/** Setting → flag and environment variable. */
export const settingSources = {
  host: { flag: "host", variable: "HEARSAY_HOST", what: "address to listen on (127.0.0.1)" },
  port: {
    flag: "port",
    variable: "HEARSAY_PORT",
    what: `port to listen on (${defaultPort}, or the next free one)`,
  },
  dataDir: { flag: "data-dir", variable: "HEARSAY_DATA_DIR", what: "folder for keys and data" },
  apiKey: {
    flag: "api-key",
    variable: "HEARSAY_API_KEY",
    what: "API key to use instead of the stored one",
  },
  moreFormats: {
    flag: "more-formats",
    variable: "HEARSAY_MORE_FORMATS",
    what: "1: also take ogg, opus and flac",
  },
  voiceAliases: {
    flag: "voice-aliases",
    variable: "HEARSAY_VOICE_ALIASES",
    what: "other names for voices: marin:nova,cedar:onyx",
  },
  workers: {
    flag: "workers",
    variable: "HEARSAY_WORKERS",
    what: "engine processes (as many as there are cores)",
  },
  idleSec: {
    flag: "idle-sec",
    variable: "HEARSAY_IDLE_SEC",
    what: "seconds until unused engines are let go (300)",
  },
  memoryMb: {
    flag: "memory-mb",
    variable: "HEARSAY_MEMORY_MB",
    what: "memory of all engines, in MB at most (no limit)",
  },
  maxAudioHours: {
    flag: "max-audio-hours",
    variable: "HEARSAY_MAX_AUDIO_HOURS",
    what: "longest sound that is taken, in hours (24)",
  },
  tempRatio: {
    flag: "temp-ratio",
    variable: "HEARSAY_TEMP_RATIO",
    what: "temporary space of a request, as a multiple of its file (16) …",
  },
  tempMb: { flag: "temp-mb", variable: "HEARSAY_TEMP_MB", what: "… plus so many MB (1000)" },
  maxRequests: {
    flag: "max-requests",
    variable: "HEARSAY_MAX_REQUESTS",
    what: "requests to /v1 at once, waiting ones included (64)",
  },
} as const;
export type SettingName = keyof typeof settingSources;

export const maxWorkers = 64;

/** Of the owner's key, in characters, where more than this machine is served. */
export const minKeyLength = 16;

/**
 * @param flags flag name → value
 * @throws AppError naming the setting that makes no sense
 */
export function readSettings(
  flags: Readonly<Record<string, unknown>>,
  env: NodeJS.ProcessEnv,
  defaults: { dataDir: string },
): Settings {
  const readText = (name: SettingName): string | undefined => {
    const { flag, variable } = settingSources[name];
    const value = flags[flag] ?? env[variable];
    return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
  };
  const readInteger = (name: SettingName, min: number, max: number): number | undefined => {
    const text = readText(name);
    if (text === undefined) return undefined;
    const value = parseDecimal(text);
    if (Number.isInteger(value) && value >= min && value <= max) return value;
    const { flag, variable } = settingSources[name];
    throw new AppError(
      "invalid_value",
      `--${flag} (${variable}) must be a whole number from ${min} to ${max}, not '${text}'.`,
    );
  };
  const apiKey = readText("apiKey");
  const host = readText("host");
  const port = readInteger("port", 0, 65_535);
  const workers = readInteger("workers", 1, maxWorkers);
  const idleSec = readInteger("idleSec", 1, 86_400);
  const memoryMb = readInteger("memoryMb", 0, maxMemoryMb);
  const maxAudioHours = readInteger("maxAudioHours", 1, 1000);
  const tempRatio = readInteger("tempRatio", 0, 10_000);
  const tempMb = readInteger("tempMb", 0, 10_000_000);
  const maxRequests = readInteger("maxRequests", 1, 100_000);
  return {
    ...(host === undefined ? {} : { host }),
    ...(port === undefined ? {} : { port }),
    dataDir: readText("dataDir") ?? defaults.dataDir,
    ...(apiKey === undefined ? {} : { apiKey }),
    moreFormats: parseBoolean(readText("moreFormats") ?? "0"),
    voiceAliases: voiceAliases(readText("voiceAliases") ?? ""),
    ...(workers === undefined ? {} : { workers }),
    ...(idleSec === undefined ? {} : { idleSec }),
    ...(memoryMb === undefined ? {} : { memoryMb }),
    ...(maxAudioHours === undefined ? {} : { maxAudioHours }),
    ...(tempRatio === undefined ? {} : { tempRatio }),
    ...(tempMb === undefined ? {} : { tempMb }),
    ...(maxRequests === undefined ? {} : { maxRequests }),
  };
}

function parseBoolean(text: string): boolean {
  if (/^(1|true|yes|on)$/i.test(text)) return true;
  if (/^(0|false|no|off)$/i.test(text)) return false;
  throw new AppError(
    "invalid_value",
    `--${settingSources.moreFormats.flag} (${settingSources.moreFormats.variable}) must be 1 or 0, not '${text}'.`,
  );
}

/** `marin:nova,cedar:onyx` */
function voiceAliases(text: string): Map<string, string> {
  const aliases = new Map<string, string>();
  for (const pair of text.split(",").filter((part) => part.trim() !== "")) {
    const [alias = "", voice = "", ...rest] = pair.split(":").map((part) => part.trim());
    if (alias === "" || voice === "" || rest.length > 0) {
      throw new AppError(
        "invalid_value",
        `${settingSources.voiceAliases.variable} must look like marin:nova,cedar:onyx; '${pair.trim()}' does not.`,
      );
    }
    aliases.set(alias, voice);
  }
  return aliases;
}
