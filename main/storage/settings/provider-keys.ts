// API keys for providers, stored apart from other settings: encrypted if the platform supports it, otherwise in a file
// that only its owner can read. A key belongs to one origin and is sent to no other. Picks up changes by other
// processes.

import { hash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
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
   * The key from the environment, otherwise the stored one for this channel and origin. The first origin that uses the
   * key of a variable owns it permanently; other origins get no key until the variable has a new one, or a key is
   * stored. Cheap enough to call for every request.
   */
  get(channel: KeyedChannel): string | undefined;
  /** `stored` also if the key was encrypted elsewhere and cannot be decrypted here. */
  source(channel: KeyedChannel): "stored" | "environment" | "none";
  /** The environment variable that provides the key for both names, if it is set. */
  sharedEnvVariable(name: string, otherName: string): string | undefined;
  /** Resolves when other processes see the key. @throws AppError if the key cannot be sent in a header */
  set(channelId: string, origin: string, key: string): Promise<void>;
  remove(channelId: string): Promise<void>;
  /** Resolves when all writes are finished. */
  close(): Promise<void>;
};

export type ProviderKeysDeps = {
  dataDir: string;
  secretBox?: SecretBox | undefined;
  env: NodeJS.ProcessEnv;
  log: Log;
  /** Delay until changes by other processes become visible. */ cacheMs?: number;
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
  /** Origins that own keys of the environment; `digest` identifies the key of a variable. */
  environment: z
    .array(z.object({ variable: z.string(), digest: z.string(), origin: z.string() }))
    .default([]),
});
type KeyFile = z.infer<typeof keyFileSchema>;
type StoredKey = KeyFile["keys"][number];
type KeyOrigin = KeyFile["environment"][number];

const emptyKeyFile: KeyFile = { keys: [], environment: [] };

/** The variable whose key overrides the stored one: `My Groq` → `HEARSAY_CHANNEL_MY_GROQ_KEY`. */
export const toKeyVariable = (channelName: string): string =>
  `HEARSAY_CHANNEL_${channelName.toUpperCase().replaceAll(/[^A-Z0-9]/gu, "_")}_KEY`;

const defaultCacheMs = 10;

export async function createProviderKeys({
  dataDir,
  secretBox,
  env,
  log,
  cacheMs = defaultCacheMs,
}: ProviderKeysDeps): Promise<ProviderKeys> {
  const path = join(dataDir, "provider-keys.json");
  let file = emptyKeyFile;
  let seenFileStamp = "";
  let checkedAtMs = -Infinity;
  /** Encrypted text → key. */
  const unsealedKeys = new Map<string, string>();
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

  /** @returns whether the file changed; its encrypted keys are not decrypted yet */
  function reloadIfChanged(): boolean {
    const nowMs = performance.now();
    if (nowMs - checkedAtMs < cacheMs) return false;
    checkedAtMs = nowMs;
    const stats = statSync(path, { throwIfNoEntry: false });
    const fileStamp = stats === undefined ? "none" : `${stats.ino} ${stats.mtimeMs} ${stats.size}`;
    if (fileStamp === seenFileStamp) return false;
    const loaded = read();
    if (loaded === undefined)
      log.error("the file of provider keys makes no sense: no stored key is used");
    file = loaded ?? emptyKeyFile;
    seenFileStamp = fileStamp;
    return true;
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
    change((now) => ({ ...now, keys: now.keys.map(withResealed) })).catch((error: unknown) =>
      log.warn({ err: error }, "a key cannot be sealed anew"),
    );
  }

  /** A request that arrives before a new key is decrypted is sent without a key. */
  function reloadInBackground(): void {
    if (reloadIfChanged()) void unsealKeys();
  }

  const readVariable = (variable: string): string | undefined => env[variable]?.trim() || undefined;

  /** The variable's key and the origin that owns it, which is this one if the key is new. */
  function findEnvironmentKey({
    name,
    origin,
  }: KeyedChannel): { key: string; isNew: boolean; keyOrigin: KeyOrigin } | undefined {
    const variable = toKeyVariable(name);
    const key = readVariable(variable);
    if (key === undefined) return undefined;
    reloadInBackground();
    const digest = hash("sha256", key);
    const existing = file.environment.find(
      (one) => one.variable === variable && one.digest === digest,
    );
    if (existing === undefined || existing.origin === origin)
      return { key, isNew: existing === undefined, keyOrigin: { variable, digest, origin } };
    if (!warnedOrigins.has(`${variable} ${origin}`)) {
      log.warn(
        { variable, belongsTo: existing.origin, origin },
        "the key in the environment was first used for another address and is not sent to this one: give the channel a key of its own",
      );
    }
    warnedOrigins.add(`${variable} ${origin}`);
    return undefined;
  }

  /** Takes effect here at once. If another process stored an owner first, that one counts from then on. */
  function saveKeyOrigin(keyOrigin: KeyOrigin): void {
    const addKeyOrigin = (target: KeyFile): KeyFile =>
      target.environment.some(
        ({ variable, digest }) => variable === keyOrigin.variable && digest === keyOrigin.digest,
      )
        ? target
        : { ...target, environment: [...target.environment, keyOrigin] };
    file = addKeyOrigin(file);
    change(addKeyOrigin).catch((error: unknown) =>
      log.warn(
        { err: error, variable: keyOrigin.variable },
        "where a key of the environment belongs cannot be kept",
      ),
    );
  }

  function findStoredKey({ id, origin }: KeyedChannel): StoredKey | undefined {
    reloadInBackground();
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
    checkedAtMs = -Infinity;
    reloadIfChanged();
    await unsealKeys();
  }

  await removeDrafts(dataDir, `${path}.lock`);
  reloadIfChanged();
  await unsealKeys();

  return {
    get(channel) {
      const given = findEnvironmentKey(channel);
      if (given?.isNew === true) saveKeyOrigin(given.keyOrigin);
      if (given !== undefined) return given.key;
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
      await change(({ keys, ...rest }) => ({
        ...rest,
        keys: [...keys.filter((other) => other.channelId !== channelId), entry],
      }));
      await pause(cacheMs);
    },
    async remove(channelId) {
      if (read()?.keys.some((entry) => entry.channelId === channelId) === true)
        await change(({ keys, ...rest }) => ({
          ...rest,
          keys: keys.filter((entry) => entry.channelId !== channelId),
        }));
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
