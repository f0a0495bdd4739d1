// The keys this gateway shows to providers: apart from all other settings, sealed where the platform can, else in a
// file only its owner can read. A key belongs to one origin and is given for no other. Follows what other processes set.

import { hash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { z } from "zod";
import { AppError } from "../../contract/errors.ts";
import { claimSoleUse } from "../process-lock.ts";
import type { Log } from "../../log.ts";
import type { SecretBox } from "../../platform.ts";
import { openForWriting, rename } from "../disk.ts";

/** `origin` as in `https://api.openai.com`. */
export type KeyedChannel = { id: string; name: string; origin: string };

export type ProviderKeys = {
  /**
   * That of the environment, else the one stored for this channel and origin. The origin a variable's key is first asked
   * for is the one it belongs to, for good; another gets none until the variable has another key, or one is stored.
   * Cheap enough for every request.
   */
  get(channel: KeyedChannel): string | undefined;
  /** `stored` also where the key was sealed elsewhere and cannot be opened here. */
  source(channel: KeyedChannel): "stored" | "environment" | "none";
  /** The variable of the environment that gives both of these names their key, where it is set. */
  sharedVariable(name: string, otherName: string): string | undefined;
  /** Resolves when other processes see it, too. @throws AppError where the key cannot be sent in a header */
  set(channelId: string, origin: string, key: string): Promise<void>;
  remove(channelId: string): Promise<void>;
  /** Resolves when nothing is being written any more. */
  close(): Promise<void>;
};

export type ProviderKeysDeps = {
  dataDir: string;
  secretBox?: SecretBox | undefined;
  env: NodeJS.ProcessEnv;
  log: Log;
  /** What another process did may show so much later. */ freshMs?: number;
};

const keyFile = z.object({
  keys: z.array(
    z.object({
      channelId: z.string(),
      origin: z.string(),
      key: z.string().optional(),
      sealed: z.string().optional(),
    }),
  ),
  /** Where the keys of the environment belong; `digest` tells one key of a variable from another. */
  environment: z
    .array(z.object({ variable: z.string(), digest: z.string(), origin: z.string() }))
    .default([]),
});
type KeyFile = z.infer<typeof keyFile>;
type StoredKey = KeyFile["keys"][number];
type Belonging = KeyFile["environment"][number];

const noKeys: KeyFile = { keys: [], environment: [] };

/** The variable whose key wins over the stored one: `My Groq` → `HEARSAY_CHANNEL_MY_GROQ_KEY`. */
export const keyVariable = (channelName: string): string =>
  `HEARSAY_CHANNEL_${channelName.toUpperCase().replaceAll(/[^A-Z0-9]/gu, "_")}_KEY`;

const defaultFreshMs = 10;

export async function createProviderKeys({
  dataDir,
  secretBox,
  env,
  log,
  freshMs = defaultFreshMs,
}: ProviderKeysDeps): Promise<ProviderKeys> {
  const path = join(dataDir, "provider-keys.json");
  let file = noKeys;
  let seen = "";
  let lookedAtMs = -Infinity;
  /** Sealed text → key. */
  const opened = new Map<string, string>();
  const warned = new Set<string>();
  /** Every change that was begun: nobody who asked may wait for it. */
  let changes: Promise<unknown> = Promise.resolve();

  /** @returns undefined where the file makes no sense */
  function read(): KeyFile | undefined {
    try {
      return keyFile.parse(JSON.parse(readFileSync(path, "utf8")));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return noKeys;
      if (error instanceof SyntaxError || error instanceof z.ZodError) return undefined;
      throw error;
    }
  }

  /** @returns whether the file is another than the last time; what is sealed in it is still to be opened */
  function follow(): boolean {
    const nowMs = performance.now();
    if (nowMs - lookedAtMs < freshMs) return false;
    lookedAtMs = nowMs;
    const stats = statSync(path, { throwIfNoEntry: false });
    const now = stats === undefined ? "none" : `${stats.ino} ${stats.mtimeMs} ${stats.size}`;
    if (now === seen) return false;
    const found = read();
    if (found === undefined)
      log.error("the file of provider keys makes no sense: no stored key is used");
    file = found ?? noKeys;
    seen = now;
    return true;
  }

  async function openSealed(): Promise<void> {
    for (const { channelId, sealed } of file.keys) {
      if (secretBox === undefined || sealed === undefined || opened.has(sealed)) continue;
      try {
        let renewed = sealed;
        const key = await secretBox.open(sealed, (again) => (renewed = again));
        for (const each of [sealed, renewed]) opened.set(each, key);
        if (renewed !== sealed) replaceSealed(sealed, renewed);
      } catch (error) {
        log.warn(
          { channelId, reason: (error as Error).message },
          "the key of a channel cannot be opened",
        );
      }
    }
  }

  /** The system has another key to seal with by now. */
  function replaceSealed(sealed: string, renewed: string): void {
    const replaced = (entry: StoredKey): StoredKey =>
      entry.sealed === sealed ? { ...entry, sealed: renewed } : entry;
    change((now) => ({ ...now, keys: now.keys.map(replaced) })).catch((error: unknown) =>
      log.warn({ err: error }, "a key cannot be sealed anew"),
    );
  }

  /** A request that comes while a new key is still sealed goes without one. */
  function followQuickly(): void {
    if (follow()) void openSealed();
  }

  const inEnvironment = (variable: string): string | undefined =>
    env[variable]?.trim() || undefined;

  /** The variable's key, and where it belongs: here, where it was not asked for yet. */
  function fromEnvironment({
    name,
    origin,
  }: KeyedChannel): { key: string; isNew: boolean; belonging: Belonging } | undefined {
    const variable = keyVariable(name);
    const key = inEnvironment(variable);
    if (key === undefined) return undefined;
    followQuickly();
    const digest = hash("sha256", key);
    const known = file.environment.find(
      (one) => one.variable === variable && one.digest === digest,
    );
    if (known === undefined || known.origin === origin)
      return { key, isNew: known === undefined, belonging: { variable, digest, origin } };
    if (!warned.has(`${variable} ${origin}`)) {
      log.warn(
        { variable, belongsTo: known.origin, origin },
        "the key in the environment was first used for another address and is not sent to this one: give the channel a key of its own",
      );
    }
    warned.add(`${variable} ${origin}`);
    return undefined;
  }

  /** At once here; what another process wrote first counts from then on. */
  function keep(belonging: Belonging): void {
    const added = (to: KeyFile): KeyFile =>
      to.environment.some(
        ({ variable, digest }) => variable === belonging.variable && digest === belonging.digest,
      )
        ? to
        : { ...to, environment: [...to.environment, belonging] };
    file = added(file);
    change(added).catch((error: unknown) =>
      log.warn(
        { err: error, variable: belonging.variable },
        "where a key of the environment belongs cannot be kept",
      ),
    );
  }

  function stored({ id, origin }: KeyedChannel): StoredKey | undefined {
    followQuickly();
    return file.keys.find((entry) => entry.channelId === id && entry.origin === origin);
  }

  function change(edit: (file: KeyFile) => KeyFile): Promise<void> {
    const changed = write(edit);
    changes = Promise.allSettled([changes, changed]);
    return changed;
  }

  async function write(edit: (file: KeyFile) => KeyFile): Promise<void> {
    await oneAtATime(`${path}.lock`, async () => {
      const before = read();
      // A person may want to mend it.
      if (before === undefined) await rename(path, `${path}.broken`);
      await replace(path, `${JSON.stringify(edit(before ?? noKeys), null, 2)}\n`);
    });
    lookedAtMs = -Infinity;
    follow();
    await openSealed();
  }

  await removeDrafts(dataDir, `${path}.lock`);
  follow();
  await openSealed();

  return {
    get(channel) {
      const given = fromEnvironment(channel);
      if (given?.isNew === true) keep(given.belonging);
      if (given !== undefined) return given.key;
      const entry = stored(channel);
      return entry?.key ?? (entry?.sealed === undefined ? undefined : opened.get(entry.sealed));
    },
    source: (channel) =>
      fromEnvironment(channel) !== undefined
        ? "environment"
        : stored(channel) !== undefined
          ? "stored"
          : "none",
    sharedVariable(name, otherName) {
      const variable = keyVariable(name);
      return variable === keyVariable(otherName) && inEnvironment(variable) !== undefined
        ? variable
        : undefined;
    },
    async set(channelId, origin, given) {
      const key = given.trim();
      if (!/^[\x21-\x7E]+$/.test(key))
        throw new AppError("invalid_value", "A key must be printable characters without spaces.", {
          param: "key",
        });
      const entry: StoredKey = {
        channelId,
        origin,
        ...(secretBox === undefined ? { key } : { sealed: await secretBox.seal(key) }),
      };
      await change(({ keys, ...rest }) => ({
        ...rest,
        keys: [...keys.filter((other) => other.channelId !== channelId), entry],
      }));
      await pause(freshMs);
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

/** A process that was killed while it wrote leaves the keys of that moment behind, which may have been removed since. */
async function removeDrafts(dataDir: string, lockPath: string): Promise<void> {
  const names = (await readdir(dataDir)).filter((name) =>
    /^provider-keys\.json\.(draft|\d+\.[0-9a-f]+)$/.test(name),
  );
  if (names.length > 0)
    await oneAtATime(
      lockPath,
      async () =>
        void (await Promise.all(names.map((name) => rm(join(dataDir, name), { force: true })))),
    );
}

const lockPollMs = 10;

/** Across processes. */
async function oneAtATime(lockPath: string, work: () => Promise<void>): Promise<void> {
  let release = claimSoleUse(lockPath);
  for (; release === undefined; release = claimSoleUse(lockPath)) await pause(lockPollMs);
  try {
    await work();
  } finally {
    release();
  }
}

/** The file is the old one or the new one at any moment, and nobody else's to read. For one process at a time. */
async function replace(path: string, text: string): Promise<void> {
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
