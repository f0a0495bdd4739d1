// Provider keys from environment variables. A variable's key belongs to the first origin that uses it, until the
// process ends.

import type { Log } from "../../log.ts";

/** `origin`, for example `https://api.openai.com`; `keyVariable` instead of the one of the name. */
export type KeyedChannel = { id: string; name: string; origin: string; keyVariable?: string };

export type EnvironmentKeys = {
  /** The key of the channel's variable, unless it belongs to another origin. From now on, it belongs to this one. */
  use(channel: KeyedChannel): string | undefined;
  /** Whether `use` would return a key. */
  has(channel: KeyedChannel): boolean;
  /** The variable that provides the key for both names, if it is set. */
  sharedVariable(name: string, otherName: string): string | undefined;
};

/** The variable whose key overrides the stored one: `My Groq` → `HEARSAY_CHANNEL_MY_GROQ_KEY`. */
export const toKeyVariable = (channelName: string): string =>
  `HEARSAY_CHANNEL_${channelName.toUpperCase().replaceAll(/[^A-Z0-9]/gu, "_")}_KEY`;

export const isKeyVariable = (variable: string): boolean =>
  /^HEARSAY_CHANNEL_\w+_KEY$/.test(variable);

export function createEnvironmentKeys(env: NodeJS.ProcessEnv, log: Log): EnvironmentKeys {
  /** Variable → its key, and the origin that used it first. */
  const used = new Map<string, { key: string; origin: string }>();
  const warnedOrigins = new Set<string>();

  const readVariable = (variable: string): string | undefined => env[variable]?.trim() || undefined;

  function find({
    name,
    origin,
    keyVariable: variable = toKeyVariable(name),
  }: KeyedChannel): { variable: string; key: string } | undefined {
    const key = readVariable(variable);
    if (key === undefined) return undefined;
    const first = used.get(variable);
    if (first === undefined || first.key !== key || first.origin === origin)
      return { variable, key };
    if (!warnedOrigins.has(`${variable} ${origin}`)) {
      log.warn(
        { variable, belongsTo: first.origin, origin },
        "the key in the environment was first used for another address and is not sent to this one: " +
          "give the channel a key of its own",
      );
    }
    warnedOrigins.add(`${variable} ${origin}`);
    return undefined;
  }

  return {
    use(channel) {
      const found = find(channel);
      if (found === undefined) return undefined;
      used.set(found.variable, { key: found.key, origin: channel.origin });
      return found.key;
    },
    has: (channel) => find(channel) !== undefined,
    sharedVariable(name, otherName) {
      const variable = toKeyVariable(name);
      return variable === toKeyVariable(otherName) && readVariable(variable) !== undefined
        ? variable
        : undefined;
    },
  };
}
