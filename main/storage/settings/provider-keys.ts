// API keys for providers, stored apart from other settings: encrypted if the platform supports it, otherwise in a file
// that only its owner can read. A key belongs to one origin and is sent to no other.

import { readFileSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { z } from "zod";
import { AppError } from "../../contract/errors.ts";
import { acquireProcessLock } from "../process-lock.ts";
import type { Log } from "../../log.ts";
import type { SecretBox } from "../../platform.ts";
import { openForWriting, rename } from "../disk.ts";

/** `origin`, for example `https://api.openai.com`. */
export type KeyedChannel = { id: string; name: string; origin: string };

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

const keyFileSchema = z.object({
  keys: z.array(
    z.object({
      channelId: z.string(),
      origin: z.string(),
      key: z.string().optional(),
      sealed: z.string().optional(),
    }),
  ),
});
type KeyFile = z.infer<typeof keyFileSchema>;
type StoredKey = KeyFile["keys"][number];

const emptyKeyFile: KeyFile = { keys: [] };

/** The variable whose key overrides the stored one: `My Groq` → `HEARSAY_CHANNEL_MY_GROQ_KEY`. */
export const toKeyVariable = (channelName: string): string =>
  `HEARSAY_CHANNEL_${channelName.toUpperCase().replaceAll(/[^A-Z0-9]/gu, "_")}_KEY`;

export const isKeyVariable = (variable: string): boolean =>
  /^HEARSAY_CHANNEL_\w+_KEY$/.test(variable);

export async function createProviderKeys({
  dataDir,
  secretBox,
  env,
  log,
}: ProviderKeysDeps): Promise<ProviderKeys> {
  const path = join(dataDir, "provider-keys.json");
  let file = emptyKeyFile;
  /** Encrypted text → key. */
  const unsealedKeys = new Map<string, string>();
  /** Variable → its key, and the origin that used it first. */
  const environmentKeys = new Map<string, { key: string; origin: string }>();
  const warnedOrigins = new Set<string>();
  /** All changes started so far, including those that no caller awaits. */
  let changes: Promise<unknown> = Promise.resolve();

  /** @returns undefined if the file is invalid */
  function read(): KeyFile | undefined {
    try {
      return keyFileSchema.parse(JSON.parse(readFileSync(path, "utf8")));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return emptyKeyFile;
      if (error instanceof SyntaxError || error instanceof z.ZodError) return undefined;
      throw error;
    }
  }

  async function load(): Promise<void> {
    const loaded = read();
    if (loaded === undefined)
      log.error("the file of provider keys makes no sense: no stored key is used");
    file = loaded ?? emptyKeyFile;
    await unsealKeys();
  }

  async function unsealKeys(): Promise<void> {
    for (const { channelId, sealed } of file.keys) {
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
    change(({ keys }) => ({ keys: keys.map(withResealed) })).catch((error: unknown) =>
      log.warn({ err: error }, "a key cannot be sealed anew"),
    );
  }

  const readVariable = (variable: string): string | undefined => env[variable]?.trim() || undefined;

  /** The key of the channel's variable, unless it belongs to another origin. */
  function findEnvironmentKey({
    name,
    origin,
  }: KeyedChannel): { variable: string; key: string } | undefined {
    const variable = toKeyVariable(name);
    const key = readVariable(variable);
    if (key === undefined) return undefined;
    const first = environmentKeys.get(variable);
    if (first === undefined || first.key !== key || first.origin === origin)
      return { variable, key };
    if (!warnedOrigins.has(`${variable} ${origin}`)) {
      log.warn(
        { variable, belongsTo: first.origin, origin },
        "the key in the environment was first used for another address and is not sent to this one: give the channel a key of its own",
      );
    }
    warnedOrigins.add(`${variable} ${origin}`);
    return undefined;
  }

  function findStoredKey({ id, origin }: KeyedChannel): StoredKey | undefined {
    return file.keys.find((entry) => entry.channelId === id && entry.origin === origin);
  }

  function change(edit: (file: KeyFile) => KeyFile): Promise<void> {
    const pendingWrite = applyChange(edit);
    changes = Promise.allSettled([changes, pendingWrite]);
    return pendingWrite;
  }

  async function applyChange(edit: (file: KeyFile) => KeyFile): Promise<void> {
    await withLock(`${path}.lock`, async () => {
      const current = read();
      // Keep the invalid file, so that the user can repair it.
      if (current === undefined) await rename(path, `${path}.broken`);
      await replaceFile(path, `${JSON.stringify(edit(current ?? emptyKeyFile), null, 2)}\n`);
    });
    await load();
  }

  await removeDrafts(dataDir, `${path}.lock`);
  await load();

  return {
    get(channel) {
      const given = findEnvironmentKey(channel);
      if (given !== undefined) {
        environmentKeys.set(given.variable, { key: given.key, origin: channel.origin });
        return given.key;
      }
      const entry = findStoredKey(channel);
      return (
        entry?.key ?? (entry?.sealed === undefined ? undefined : unsealedKeys.get(entry.sealed))
      );
    },
    source: (channel) =>
      findEnvironmentKey(channel) !== undefined
        ? "environment"
        : findStoredKey(channel) !== undefined
          ? "stored"
          : "none",
    sharedEnvVariable(name, otherName) {
      const variable = toKeyVariable(name);
      return variable === toKeyVariable(otherName) && readVariable(variable) !== undefined
        ? variable
        : undefined;
    },
    async set(channelId, origin, given) {
      const key = given.trim();
      if (!/^[\x21-\x7E]+$/.test(key)) throw new AppError("key.unprintable", {}, { param: "key" });
      const entry: StoredKey = {
        channelId,
        origin,
        ...(secretBox === undefined ? { key } : { sealed: await secretBox.seal(key) }),
      };
      await change(({ keys }) => ({
        keys: [
          ...keys.filter((other) => other.channelId !== channelId || other.origin !== origin),
          entry,
        ],
      }));
    },
    async remove(channelId, keptOrigin) {
      const isRemoved = (entry: StoredKey): boolean =>
        entry.channelId === channelId && entry.origin !== keptOrigin;
      if (read()?.keys.some(isRemoved) === true)
        await change(({ keys }) => ({ keys: keys.filter((entry) => !isRemoved(entry)) }));
    },
    async close() {
      await changes;
    },
  };
}

/** A process killed while writing leaves a draft, whose keys may have been removed since. */
async function removeDrafts(dataDir: string, lockPath: string): Promise<void> {
  const names = (await readdir(dataDir)).filter((name) =>
    /^provider-keys\.json\.(draft|\d+\.[0-9a-f]+)$/.test(name),
  );
  if (names.length > 0)
    await withLock(
      lockPath,
      async () =>
        void (await Promise.all(names.map((name) => rm(join(dataDir, name), { force: true })))),
    );
}

const lockPollMs = 10;

/** Lock between processes. */
async function withLock(lockPath: string, work: () => Promise<void>): Promise<void> {
  let release = acquireProcessLock(lockPath);
  for (; release === undefined; release = acquireProcessLock(lockPath)) await pause(lockPollMs);
  try {
    await work();
  } finally {
    release();
  }
}

/** Replaces the file atomically, readable by its owner only. Not for concurrent use. */
async function replaceFile(path: string, text: string): Promise<void> {
  const draft = `${path}.draft`;
  try {
    await rm(draft, { force: true });
    const file = await openForWriting(draft, "wx", 0o600);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, path);
  } finally {
    await rm(draft, { force: true });
  }
}
