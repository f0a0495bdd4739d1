// Settings from command-line flags, which override environment variables, which override defaults. All are validated
// here.

import { parseDecimal } from "../../contract/decimal.ts";
import { AppError } from "../../contract/errors.ts";
import { maxMemoryMb } from "../../contract/preferences.ts";

export type Settings = {
  /** Address the server listens on; default loopback, or the network if it was opened in the window. */
  host?: string;
  /** Preferred port; the next free one is used if it is taken. 0: any. Default from the window, or `defaultPort`. */
  port?: number;
  dataDir: string;
  /** External owner key; default the one created at the first run. */
  apiKey?: string;
  /** Also accept ogg, opus and flac. */
  moreFormats: boolean;
  /** Voice name that a client uses → voice of this app. */
  voiceAliases: ReadonlyMap<string, string>;
  /** Maximum number of engine processes; default from the window, or the number of cores. */
  workers?: number;
  /** Idle engine processes stop after this time; default from the window, or five minutes. */
  idleSec?: number;
  /** Memory limit of all engine processes together, in MB; 0: no limit. Default from the window, or no limit. */
  memoryMb?: number;
  /** Longer audio is rejected; default 24 hours. */
  maxAudioHours?: number;
  /** Temporary disk space per request: this multiple of its file size, plus `tempMb` MB; default 16 and 1000. */
  tempRatio?: number;
  tempMb?: number;
  /** Base URL of the model hub; default huggingface.co. */
  modelHub?: string;
  /** Base URLs that are asked in this order where the hub fails. */
  modelMirrors?: readonly string[];
  /** Maximum number of `/v1` requests that run or wait on this machine; default 64. */
  maxRequests?: number;
  /** Open no connection to another machine; default from the window. */
  isOffline?: boolean;
  /** Port of the Wyoming protocol; default: not served. */
  wyomingPort?: number;
  /** Address that it listens on; default loopback. */
  wyomingHost?: string;
  /** Announce it on the network, if it listens on all addresses; default: yes. */
  isWyomingAnnounced?: boolean;
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
    what: "1: also accept ogg, opus and flac",
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
    what: "seconds before idle engines are unloaded (300)",
  },
  memoryMb: {
    flag: "memory-mb",
    variable: "HEARSAY_MEMORY_MB",
    what: "memory limit of all engines, in MB (no limit)",
  },
  maxAudioHours: {
    flag: "max-audio-hours",
    variable: "HEARSAY_MAX_AUDIO_HOURS",
    what: "maximum length of audio, in hours (24)",
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
  modelHub: {
    flag: "model-hub",
    variable: "HF_ENDPOINT",
    what: "where models are downloaded (https://huggingface.co)",
  },
  modelMirrors: {
    flag: "model-mirrors",
    variable: "HEARSAY_MODEL_MIRRORS",
    what: "mirrors tried in this order if the hub fails: https://hf-mirror.com,https://…",
  },
  isOffline: {
    flag: "offline",
    variable: "HEARSAY_OFFLINE",
    what: "open no connection to another machine; the variable: 1 or 0",
    isSwitch: true,
  },
  wyomingPort: {
    flag: "wyoming-port",
    variable: "HEARSAY_WYOMING_PORT",
    what: "port for Home Assistant's Wyoming protocol, usually 10300 (off)",
  },
  wyomingHost: {
    flag: "wyoming-host",
    variable: "HEARSAY_WYOMING_HOST",
    what: "address that it listens on, without any key (127.0.0.1)",
  },
  isWyomingAnnounced: {
    flag: "wyoming-announce",
    variable: "HEARSAY_WYOMING_ANNOUNCE",
    what: "0: do not announce it on the network (1, if it listens on 0.0.0.0)",
  },
} as const;
export type SettingName = keyof typeof settingSources;

/** For `parseArgs`. */
export const settingFlags = (names: readonly SettingName[]) =>
  Object.fromEntries(
    names.map((name) => [
      settingSources[name].flag,
      { type: "isSwitch" in settingSources[name] ? ("boolean" as const) : ("string" as const) },
    ]),
  );

export const maxWorkers = 64;

/** Minimum length of the owner's key, in characters, if the API is open to the network. */
export const minKeyLength = 16;

/**
 * @param flags flag name → value
 * @throws AppError naming the invalid setting
 */
export function readSettings(
  flags: Readonly<Record<string, unknown>>,
  env: NodeJS.ProcessEnv,
  defaults: { dataDir: string },
): Settings {
  const readText = (name: SettingName): string | undefined => {
    const { flag, variable } = settingSources[name];
    const value = flags[flag] === true ? "1" : (flags[flag] ?? env[variable]);
    return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
  };
  const readSwitch = (name: SettingName): boolean | undefined => {
    const value = readText(name);
    return value === undefined ? undefined : parseBoolean(name, value);
  };
  const readInteger = (name: SettingName, min: number, max: number): number | undefined => {
    const text = readText(name);
    if (text === undefined) return undefined;
    const value = parseDecimal(text);
    if (Number.isInteger(value) && value >= min && value <= max) return value;
    const { flag, variable } = settingSources[name];
    throw new AppError("setting.notInteger", { flag, variable, min, max, value: text });
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
  const readUrls = (name: SettingName): string[] =>
    (readText(name) ?? "")
      .split(",")
      .map((text) => text.trim().replace(/\/+$/, ""))
      .filter((text) => text !== "")
      .map((text) => {
        if (/^https?:$/.test(URL.parse(text)?.protocol ?? "")) return text;
        const { flag, variable } = settingSources[name];
        throw new AppError("setting.notAddress", { flag, variable, value: text });
      });
  const [modelHub] = readUrls("modelHub");
  const modelMirrors = readUrls("modelMirrors");
  const isOffline = readSwitch("isOffline");
  const wyomingPort = readInteger("wyomingPort", 1, 65_535);
  const wyomingHost = readText("wyomingHost");
  const isWyomingAnnounced = readSwitch("isWyomingAnnounced");
  return {
    ...(host === undefined ? {} : { host }),
    ...(port === undefined ? {} : { port }),
    dataDir: readText("dataDir") ?? defaults.dataDir,
    ...(apiKey === undefined ? {} : { apiKey }),
    moreFormats: readSwitch("moreFormats") ?? false,
    voiceAliases: voiceAliases(readText("voiceAliases") ?? ""),
    ...(workers === undefined ? {} : { workers }),
    ...(idleSec === undefined ? {} : { idleSec }),
    ...(memoryMb === undefined ? {} : { memoryMb }),
    ...(maxAudioHours === undefined ? {} : { maxAudioHours }),
    ...(tempRatio === undefined ? {} : { tempRatio }),
    ...(tempMb === undefined ? {} : { tempMb }),
    ...(maxRequests === undefined ? {} : { maxRequests }),
    ...(modelHub === undefined ? {} : { modelHub }),
    ...(modelMirrors.length === 0 ? {} : { modelMirrors }),
    ...(isOffline === undefined ? {} : { isOffline }),
    ...(wyomingPort === undefined ? {} : { wyomingPort }),
    ...(wyomingHost === undefined ? {} : { wyomingHost }),
    ...(isWyomingAnnounced === undefined ? {} : { isWyomingAnnounced }),
  };
}

function parseBoolean(name: SettingName, text: string): boolean {
  if (/^(1|true|yes|on)$/i.test(text)) return true;
  if (/^(0|false|no|off)$/i.test(text)) return false;
  const { flag, variable } = settingSources[name];
  throw new AppError("setting.notSwitch", { flag, variable, value: text });
}

/** Parses `marin:nova,cedar:onyx`. */
function voiceAliases(text: string): Map<string, string> {
  const aliases = new Map<string, string>();
  for (const pair of text.split(",").filter((part) => part.trim() !== "")) {
    const [alias = "", voice = "", ...rest] = pair.split(":").map((part) => part.trim());
    if (alias === "" || voice === "" || rest.length > 0) {
      throw new AppError("setting.notAliases", {
        variable: settingSources.voiceAliases.variable,
        value: pair.trim(),
      });
    }
    aliases.set(alias, voice);
  }
  return aliases;
}
