// Channel configuration and state: the only source of validation, storage and /app's types. See channels/ for how a
// channel talks to its provider.

import { z } from "zod";
import { fieldFault } from "./field-fault.ts";
import { messageReference } from "./messages/sent-message.ts";

/** Model names that are hard-coded in OpenAI clients, and that models of this machine have. */
export const builtInNames = ["whisper-1", "tts-1", "tts-1-hd"] as const;
export const isBuiltInName = (name: string): boolean =>
  builtInNames.some((builtIn) => builtIn === name);
/** Each can be an alias for any models of any channels. */
export const aliasNames = [...builtInNames, "gpt-4o-transcribe-diarize"] as const;
export type AliasName = (typeof aliasNames)[number];
export const isAliasName = (name: string): name is AliasName =>
  aliasNames.some((alias) => alias === name);
/** The name that serves another one that no channel has: with `diarized_json`, every model tells speakers apart. */
export const nameFallbacks: ReadonlyMap<string, AliasName> = new Map([
  ["gpt-4o-transcribe-diarize", "whisper-1"],
]);

/** The channel of the built-in engines. Its models have no prefix. */
export const localChannelName = "local";

/** Sent in a header. */
export const providerKey = z
  .string()
  .trim()
  .min(1)
  .max(1000)
  .regex(/^[\x21-\x7e]+$/, fieldFault("fault.notAscii"));

const millisecondsSchema = (max: number) => z.int().min(100).max(max);

const limitSchemas = {
  connectMs: millisecondsSchema(120_000),
  /** From the end of the request to the first byte of the response. Must cover the transcription of a long file. */
  headersMs: millisecondsSchema(3_600_000),
  /** Between two chunks of the response. */
  bodyMs: millisecondsSchema(600_000),
  totalMs: millisecondsSchema(7_200_000),
};
export const channelLimits = z.object({
  connectMs: limitSchemas.connectMs.default(5_000),
  headersMs: limitSchemas.headersMs.default(300_000),
  bodyMs: limitSchemas.bodyMs.default(60_000),
  totalMs: limitSchemas.totalMs.default(900_000),
});
export type ChannelLimits = z.infer<typeof channelLimits>;

const addressFaults = {
  unusable: fieldFault("fault.noAddress"),
  withUser: fieldFault("fault.addressWithUser"),
  withQuery: fieldFault("fault.addressWithQuery"),
};

const baseUrl = z
  .string()
  .trim()
  .max(500)
  .transform((text, context) => {
    const url = URL.parse(text);
    const problem =
      url === null || !["http:", "https:"].includes(url.protocol)
        ? addressFaults.unusable
        : url.username !== "" || url.password !== ""
          ? addressFaults.withUser
          : url.search !== "" || url.hash !== ""
            ? addressFaults.withQuery
            : undefined;
    if (url === null || problem !== undefined) {
      context.addIssue({ code: "custom", message: problem ?? addressFaults.unusable });
      return z.NEVER;
    }
    return url.href.replace(/\/+$/, "");
  });

const nameMapSchema = z.record(z.string().min(1).max(200), z.string().min(1).max(200));

const channelFieldSchemas = {
  name: z
    .string()
    .trim()
    .min(1, fieldFault("fault.empty"))
    .max(60)
    .refine(
      (name) => name.toLowerCase() !== localChannelName,
      fieldFault("fault.ownName", { name: localChannelName }),
    ),
  /** Includes the version segment: `https://api.openai.com/v1`. */
  baseUrl,
  /** The ids of its models begin with `<prefix>/`. Channels with the same prefix share the load of common models. */
  prefix: z
    .string()
    .regex(/^[a-z0-9][a-z0-9._-]{0,39}$/, fieldFault("fault.prefix"))
    .refine(
      (prefix) => prefix !== localChannelName,
      fieldFault("fault.reserved", { name: localChannelName }),
    ),
  /** Patterns with `*`. Empty: all models. */
  modelFilter: z.array(z.string().min(1).max(200)).max(100),
  /** Channels with a lower number are tried first. */
  priority: z.int().min(0).max(1000),
  /** Share of the requests among channels of equal priority. */
  weight: z.int().min(1).max(1000),
  limits: z.object(limitSchemas).partial(),
  /** Model id after the prefix → id at the provider. */
  modelNames: nameMapSchema,
  /** Requested voice → the provider's voice. */
  voiceNames: nameMapSchema,
  /** The provider charges for requests; false for a self-hosted server. */
  paid: z.boolean(),
  enabled: z.boolean(),
};

/** What a person fills in; other fields have defaults. */
export const channelFields = z.object({
  ...channelFieldSchemas,
  modelFilter: channelFieldSchemas.modelFilter.default([]),
  priority: channelFieldSchemas.priority.default(10),
  weight: channelFieldSchemas.weight.default(1),
  limits: channelLimits.prefault({}),
  modelNames: nameMapSchema.default({}),
  voiceNames: nameMapSchema.default({}),
  paid: z.boolean().default(true),
  enabled: z.boolean().default(true),
});
export type ChannelFields = z.infer<typeof channelFields>;
export type ChannelInput = z.input<typeof channelFields>;

/** A change: omitted fields keep their value. */
export const channelPatch = z.object(channelFieldSchemas).partial();

export type ChannelConfig = ChannelFields & {
  /** Generated once, from the first name: `my-groq`. */
  readonly id: string;
};

export const breakerStates = ["closed", "open", "half-open"] as const;

export const channelHealth = z.object({
  /** State of the circuit breaker: closed lets requests through, open none, half-open one as a probe. */
  state: z.enum(breakerStates),
  successes: z.int(),
  failures: z.int(),
  /** Milliseconds to the first byte of the response, over the latest requests. */
  p50Ms: z.number().optional(),
  p95Ms: z.number().optional(),
  lastError: z.object({ atMs: z.number(), message: z.string(), ...messageReference }).optional(),
});
export type ChannelHealth = z.infer<typeof channelHealth>;

export const channelView = z.object({
  ...channelFields.shape,
  baseUrl: z.string(),
  id: z.string(),
  /** Source of the provider's key; never the key itself. */
  key: z.enum(["stored", "environment", "none"]),
  /** Number of models after the filter. */
  models: z.int(),
  /** Time of the last successful model list; omitted if there was none. */
  listedAtMs: z.number().optional(),
  /** Why the last refresh of the model list failed. */
  listError: z.string().optional(),
  listErrorReference: z.object(messageReference).optional(),
  /** On another machine, which is not contacted while Offline is switched on. */
  isBlocked: z.boolean().optional(),
  /** `listError` is about a rejected key. */
  isKeyRefused: z.boolean().optional(),
  health: channelHealth,
});
export type ChannelView = z.infer<typeof channelView>;

/** Result of a channel test. `untested` is not `failed`: a provider may have no model to test with. */
export const channelTest = z.object({
  ok: z.boolean(),
  steps: z.array(
    z.object({
      step: z.enum(["reach", "key", "models", "hear", "speak"]),
      outcome: z.enum(["passed", "failed", "untested"]),
      message: z.string(),
      ...messageReference,
      tookMs: z.number().optional(),
    }),
  ),
});
export type ChannelTest = z.infer<typeof channelTest>;

/** Which channels serve an alias such as `whisper-1`. */
export const routing = z.object({
  /**
   * Models to try in order; the next is the fallback of the one before. In a list, the alias's own name means the
   * built-in model. Empty: only the built-in model.
   */
  aliases: z
    .object({
      "whisper-1": z.array(z.string()),
      "tts-1": z.array(z.string()),
      "tts-1-hd": z.array(z.string()),
      "gpt-4o-transcribe-diarize": z.array(z.string()),
    })
    .partial()
    .default({}),
  /**
   * `listed`: as the lists above say. `local`: this machine first, cloud if it is busy or fails. `cloud`: cloud first,
   * this machine as the fallback. If a list names no model of the other side, the router picks one.
   */
  prefer: z.enum(["listed", "local", "cloud"]).default("listed"),
});
export type Routing = z.infer<typeof routing>;

/** US dollars. */
export const price = z.object({
  perMinuteUsd: z.number().min(0).optional(),
  perThousandCharactersUsd: z.number().min(0).optional(),
});
export type Price = z.infer<typeof price>;
/** By model id, with or without its prefix. */
export const priceTable = z.record(z.string(), price);
export type PriceTable = z.infer<typeof priceTable>;

export const defaultPrices: PriceTable = {
  "whisper-1": { perMinuteUsd: 0.006 },
  "tts-1": { perThousandCharactersUsd: 0.015 },
  "tts-1-hd": { perThousandCharactersUsd: 0.03 },
};

export type ChannelPreset = Pick<
  ChannelInput,
  "name" | "baseUrl" | "prefix" | "modelFilter" | "modelNames" | "voiceNames" | "paid"
> & {
  readonly id: string;
  readonly needsKey: boolean;
  readonly note: string;
};
