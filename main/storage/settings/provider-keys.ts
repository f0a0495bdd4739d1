// API keys for providers, stored apart from other settings: encrypted if the platform supports it, otherwise in a file
// that only its owner can read. A key belongs to one origin and is sent to no other.

import { AppError } from "../../contract/errors.ts";
import type { Log } from "../../log.ts";
import type { SecretBox } from "../../platform.ts";
import { createEnvironmentKeys, type KeyedChannel } from "./environment-keys.ts";
import { openProviderKeyFile, type StoredKey } from "./provider-key-file.ts";

export type ProviderKeys = {
  /**
   * The key from the environment, otherwise the stored one for this channel and origin. The key of a variable belongs
   * to the first origin that uses it, until the process ends. Cheap enough to call for every request.
   */
  get(channel: KeyedChannel): string | undefined;
  /** `stored` also if the key was encrypted elsewhere and cannot be decrypted here. */
  source(channel: KeyedChannel): "stored" | "environment" | "none";
  /** The environment variable that provides the key for both names, if it is set. */
  sharedEnvVariable(name: string, otherName: string): string | undefined;
  /**
   * Keeps the keys of other origins. Resolves when the key is stored.
   * @throws AppError if the key cannot be sent in a header
   */
  set(channelId: string, origin: string, key: string): Promise<void>;
  /** @param keptOrigin whose key stays */
  remove(channelId: string, keptOrigin?: string): Promise<void>;
  /** Resolves when all writes are finished. */
  close(): Promise<void>;
};

export type ProviderKeysDeps = {
  dataDir: string;
  secretBox?: SecretBox | undefined;
  env: NodeJS.ProcessEnv;
  log: Log;
};

export async function createProviderKeys({
  dataDir,
  secretBox,
  env,
  log,
}: ProviderKeysDeps): Promise<ProviderKeys> {
  const environment = createEnvironmentKeys(env, log);
  const file = await openProviderKeyFile(dataDir);
  let storedKeys: readonly StoredKey[] = [];
  /** Encrypted text → key. */
  const unsealedKeys = new Map<string, string>();
  /** All changes started so far, including those that no caller awaits. */
  let changes: Promise<unknown> = Promise.resolve();

  async function load(): Promise<void> {
    const loaded = file.read();
    if (loaded === undefined)
      log.error("the file of provider keys is invalid: no stored key is used");
    storedKeys = loaded ?? [];
    await unsealKeys();
  }

  async function unsealKeys(): Promise<void> {
    for (const { channelId, sealed } of storedKeys) {
      if (secretBox === undefined || sealed === undefined || unsealedKeys.has(sealed)) continue;
      try {
        let renewed = sealed;
        const key = await secretBox.open(sealed, (resealed) => (renewed = resealed));
        for (const sealedText of [sealed, renewed]) unsealedKeys.set(sealedText, key);
        if (renewed !== sealed) saveResealed(sealed, renewed);
      } catch (error) {
        log.warn(
          { channelId, reason: (error as Error).message },
          "the key of a channel cannot be opened",
        );
      }
    }
  }

  /** Stores a key that was encrypted again because the system's encryption key changed. */
  function saveResealed(sealed: string, renewed: string): void {
    const withResealed = (entry: StoredKey): StoredKey =>
      entry.sealed === sealed ? { ...entry, sealed: renewed } : entry;
    change((keys) => keys.map(withResealed)).catch((error: unknown) =>
      log.warn({ err: error }, "a re-encrypted key could not be stored"),
    );
  }

  const findStoredKey = ({ id, origin }: KeyedChannel): StoredKey | undefined =>
    storedKeys.find((entry) => entry.channelId === id && entry.origin === origin);

  function change(edit: (keys: StoredKey[]) => StoredKey[]): Promise<void> {
    const pendingChange = file.change(edit).then(load);
    changes = Promise.allSettled([changes, pendingChange]);
    return pendingChange;
  }

  await load();

  return {
    get(channel) {
      const environmentKey = environment.use(channel);
      if (environmentKey !== undefined) return environmentKey;
      const { key, sealed } = findStoredKey(channel) ?? {};
      return key ?? (sealed === undefined ? undefined : unsealedKeys.get(sealed));
    },
    source: (channel) =>
      environment.has(channel)
        ? "environment"
        : findStoredKey(channel) !== undefined
          ? "stored"
          : "none",
    sharedEnvVariable: environment.sharedVariable,
    async set(channelId, origin, given) {
      const key = given.trim();
      if (!/^[\x21-\x7E]+$/.test(key)) throw new AppError("key.unprintable", {}, { param: "key" });
      const entry: StoredKey = {
        channelId,
        origin,
        ...(secretBox === undefined ? { key } : { sealed: await secretBox.seal(key) }),
      };
      await change((keys) => [
        ...keys.filter((other) => other.channelId !== channelId || other.origin !== origin),
        entry,
      ]);
    },
    async remove(channelId, keptOrigin) {
      const isRemoved = (entry: StoredKey): boolean =>
        entry.channelId === channelId && entry.origin !== keptOrigin;
      if (file.read()?.some(isRemoved) === true)
        await change((keys) => keys.filter((entry) => !isRemoved(entry)));
    },
    async close() {
      await changes;
    },
  };
}
