import { expect, it } from "vitest";
import { readSettings, settingFlags } from "../../../../main/storage/settings/settings.ts";

const defaults = { dataDir: "/home/someone/hearsay" };
const read = (flags: Record<string, unknown> = {}, env: NodeJS.ProcessEnv = {}) =>
  readSettings(flags, env, defaults);

it("leaves unset values to the preferences of the window", () => {
  expect(read()).toEqual({
    dataDir: "/home/someone/hearsay",
    moreFormats: false,
    voiceAliases: new Map(),
  });
});

it("reads every setting from the environment", () => {
  const env = {
    HEARSAY_HOST: "::1",
    HEARSAY_PORT: "0",
    HEARSAY_DATA_DIR: "/data é ש 日本",
    HEARSAY_API_KEY: " hs-given ",
    HEARSAY_MORE_FORMATS: "yes",
    HEARSAY_VOICE_ALIASES: "marin:nova, cedar : onyx,",
    HEARSAY_WORKERS: "2",
    HEARSAY_IDLE_SEC: "10",
    HEARSAY_MEMORY_MB: "1500",
    HEARSAY_MAX_AUDIO_HOURS: "48",
    HEARSAY_TEMP_RATIO: "20",
    HEARSAY_TEMP_MB: "500",
    HEARSAY_MAX_REQUESTS: "8",
    HF_ENDPOINT: "https://hub.example.org/",
    HEARSAY_MODEL_MIRRORS: "https://a.example.org, http://127.0.0.1:8080/hf/",
    HEARSAY_OFFLINE: "1",
    HEARSAY_WYOMING_PORT: "10300",
    HEARSAY_WYOMING_HOST: "0.0.0.0",
    HEARSAY_WYOMING_ANNOUNCE: "0",
  };
  expect(read({}, env)).toEqual({
    host: "::1",
    port: 0,
    dataDir: "/data é ש 日本",
    apiKey: "hs-given",
    moreFormats: true,
    voiceAliases: new Map([
      ["marin", "nova"],
      ["cedar", "onyx"],
    ]),
    workers: 2,
    idleSec: 10,
    memoryMb: 1500,
    maxAudioHours: 48,
    tempRatio: 20,
    tempMb: 500,
    maxRequests: 8,
    modelHub: "https://hub.example.org",
    modelMirrors: ["https://a.example.org", "http://127.0.0.1:8080/hf"],
    isOffline: true,
    wyomingPort: 10_300,
    wyomingHost: "0.0.0.0",
    isWyomingAnnounced: false,
  });
});

it("prefers flags to the environment", () => {
  const { port, host, apiKey } = read(
    { port: "5000", "api-key": "flag" },
    { HEARSAY_PORT: "6000", HEARSAY_HOST: "0.0.0.0", HEARSAY_API_KEY: "variable" },
  );
  expect({ port, host, apiKey }).toEqual({ port: 5000, host: "0.0.0.0", apiKey: "flag" });
});

it("has flags without a value for switches, which a variable can set either way", () => {
  expect(settingFlags(["port", "isOffline"])).toEqual({
    port: { type: "string" },
    offline: { type: "boolean" },
  });
  expect(read({ offline: true }, { HEARSAY_OFFLINE: "0" }).isOffline).toBe(true);
  expect(read({}, { HEARSAY_OFFLINE: "0" }).isOffline).toBe(false);
});

it("treats an empty value as unset", () => {
  const settings = read({}, { HEARSAY_PORT: "", HEARSAY_API_KEY: "  " });
  expect(settings).not.toHaveProperty("port");
  expect(settings).not.toHaveProperty("apiKey");
});

it.each([
  [{ HEARSAY_PORT: "http" }, "--port (HEARSAY_PORT)"],
  [{ HEARSAY_PORT: "65536" }, "--port (HEARSAY_PORT)"],
  [{ HEARSAY_PORT: "80.5" }, "--port (HEARSAY_PORT)"],
  [{ HEARSAY_WORKERS: "0" }, "--workers (HEARSAY_WORKERS)"],
  [{ HEARSAY_IDLE_SEC: "-1" }, "--idle-sec (HEARSAY_IDLE_SEC)"],
  [{ HEARSAY_MEMORY_MB: "half" }, "--memory-mb (HEARSAY_MEMORY_MB)"],
  [{ HEARSAY_OFFLINE: "perhaps" }, "--offline (HEARSAY_OFFLINE)"],
  [{ HEARSAY_WYOMING_PORT: "0" }, "--wyoming-port (HEARSAY_WYOMING_PORT)"],
  [{ HEARSAY_MORE_FORMATS: "perhaps" }, "--more-formats (HEARSAY_MORE_FORMATS)"],
  [{ HF_ENDPOINT: "hub.example.org" }, "--model-hub (HF_ENDPOINT)"],
  [{ HEARSAY_MODEL_MIRRORS: "https://a.example.org,file:///b" }, "HEARSAY_MODEL_MIRRORS"],
  [{ HEARSAY_VOICE_ALIASES: "marin" }, "HEARSAY_VOICE_ALIASES"],
  [{ HEARSAY_VOICE_ALIASES: "a:b:c" }, "HEARSAY_VOICE_ALIASES"],
])("rejects %j and names the setting", (env, name) => {
  expect(() => read({}, env)).toThrow(
    expect.objectContaining({
      key: "invalid_value",
      message: expect.stringContaining(name) as string,
    }),
  );
});
