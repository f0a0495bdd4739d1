// API keys that clients send as `Authorization: Bearer …`. The owner's key is created at the first run and kept in a
// file that only its owner can read; an external key replaces it and is never written to disk. Of all other keys the
// database has only digests. See usage/records.ts and usage/metering.ts for budgets.

import { hash, randomBytes, timingSafeEqual } from "node:crypto";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { AppError } from "../../contract/errors.ts";
import {
  type ApiKeyView,
  type NewApiKey,
  ownCallers,
  type Scope,
  scopeField,
  scopes as allScopes,
} from "../../contract/usage.ts";
import { minKeyLength } from "./settings.ts";
import type { Database } from "../database.ts";
import { chmod, link, openForWriting, rename } from "../disk.ts";

/** Holder and permissions of a key. */
export type KeyHolder = {
  /** `owner`, or a key's id. */
  readonly id: string;
  readonly name: string;
  readonly isOwner: boolean;
  readonly scopes: readonly Scope[];
  readonly monthlyBudgetUsd?: number;
  readonly budgetCountsLocal: boolean;
};

export type KeyBudget = {
  readonly keyName: string;
  readonly monthlyUsd: number;
  readonly countsLocal: boolean;
};

export interface ApiKeys {
  /** The owner's key, shown to the owner only. */
  readonly key: string;
  /** Path of the owner's key; undefined if it is external. */
  readonly file: string | undefined;
  /** True if the key is short enough to guess: acceptable only on this machine. */
  readonly isShort: boolean;
  /** Takes constant time, whatever part of the key is right. */
  verify(presented: string): KeyHolder | undefined;
  /** The secret is returned only here. @throws AppError `name_taken` */
  create(input: NewApiKey): { secret: string } & ApiKeyView;
  /** Oldest first, without revoked keys. */
  list(): ApiKeyView[];
  /** Monthly budget, also of a revoked key, whose requests may still be running. undefined: no limit. */
  budgetOf(id: string): KeyBudget | undefined;
  /** Name of a key, also of a revoked one. */
  nameOf(id: string): string | undefined;
  /** Rejects the key from now on. @returns whether the key existed */
  revoke(idOrName: string): boolean;
}

const fileName = "api-key";
/** Characters of a secret that are stored to identify it: four after the common prefix `hs-`. */
const hintLength = 7;

/** `dataDir` must exist. A non-blank `externalKey` (environment variable or flag) overrides the file. */
export async function createApiKeys({
  dataDir,
  externalKey,
  database,
  isUnavailable = () => false,
}: {
  dataDir: string;
  externalKey?: string | undefined;
  database: Database;
  /** True while the database is a placeholder for a library that cannot be opened. */ isUnavailable?(): boolean;
}): Promise<ApiKeys> {
  const path = join(dataDir, fileName);
  const trimmedKey = externalKey?.trim() ?? "";
  const file = trimmedKey === "" ? path : undefined;
  const key = file === undefined ? trimmedKey : await readOrCreateKey(path);
  const owner = {
    digest: toDigest(key),
    holder: {
      id: "owner",
      name: "owner",
      isOwner: true,
      scopes: allScopes,
      budgetCountsLocal: false,
    } satisfies KeyHolder,
  };
  const { sqlite } = database;
  const selectActive = sqlite.prepare(
    "SELECT * FROM api_keys WHERE revoked_at_ms IS NULL ORDER BY created_at_ms, rowid",
  );
  const selectByName = sqlite.prepare(
    "SELECT 1 FROM api_keys WHERE revoked_at_ms IS NULL AND name = ?",
  );
  const insertKey = sqlite.prepare(
    `INSERT INTO api_keys (id, name, digest, hint, scopes, monthly_budget_usd, budget_counts_local, created_at_ms)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const name = sqlite.prepare("SELECT name FROM api_keys WHERE id = ?");
  const budget = sqlite.prepare(
    "SELECT name, monthly_budget_usd, budget_counts_local FROM api_keys WHERE id = ? AND monthly_budget_usd IS NOT NULL",
  );
  const revokeById = sqlite.prepare(
    "UPDATE api_keys SET revoked_at_ms = ? WHERE revoked_at_ms IS NULL AND id = ?",
  );
  const revokeByName = sqlite.prepare(
    "UPDATE api_keys SET revoked_at_ms = ? WHERE revoked_at_ms IS NULL AND name = ?",
  );

  let entries: { digest: Buffer; holder: KeyHolder }[] = [owner];
  // One buffer for all calls: creating one takes four times as long as the digest.
  const digestBuffer = Buffer.alloc(digestBytes);
  let seenVersion = -1;

  function reloadIfChanged(): void {
    const version = database.version();
    if (version === seenVersion) return;
    entries = [
      owner,
      ...selectActive.all().map((row) => ({
        digest: Buffer.from(row["digest"] as Uint8Array),
        holder: toHolder(row),
      })),
    ];
    seenVersion = version;
  }

  return {
    key,
    file,
    isShort: key.length < minKeyLength,
    verify(presented) {
      let readError: unknown;
      try {
        reloadIfChanged();
      } catch (error) {
        readError = error;
      }
      digestBuffer.write(toHexDigest(presented), "hex");
      let match: KeyHolder | undefined;
      // No early exit: the time must not reveal which key matched.
      for (const entry of entries)
        if (timingSafeEqual(digestBuffer, entry.digest)) match = entry.holder;
      // The owner's key works without the library. No other key can be verified, so all are rejected.
      if (match?.isOwner !== true && (readError !== undefined || isUnavailable())) {
        throw new AppError("library.keysUnreadable", {}, { cause: readError });
      }
      return match;
    },
    create({ name: keyName, scopes = [...allScopes], monthlyBudgetUsd, budgetCountsLocal }) {
      const secret = createSecret();
      const hint = secret.slice(0, hintLength);
      const id = `key_${randomBytes(8).toString("hex")}`;
      const createdAtMs = Date.now();
      database.change(() => {
        const isTaken =
          (ownCallers as readonly string[]).includes(keyName.toLowerCase()) ||
          selectByName.get(keyName) !== undefined;
        if (isTaken) throw new AppError("key.taken", { name: keyName }, { param: "name" });
        insertKey.run(
          id,
          keyName,
          toDigest(secret),
          hint,
          JSON.stringify(scopes),
          monthlyBudgetUsd ?? null,
          Number(budgetCountsLocal),
          createdAtMs,
        );
      });
      return {
        secret,
        id,
        name: keyName,
        hint,
        scopes,
        ...(monthlyBudgetUsd === undefined ? {} : { monthlyBudgetUsd }),
        budgetCountsLocal,
        createdAtMs,
      };
    },
    list: () =>
      selectActive.all().map((row) => {
        const { isOwner: _, scopes, ...holder } = toHolder(row);
        return {
          ...holder,
          scopes: [...scopes],
          hint: String(row["hint"]),
          createdAtMs: Number(row["created_at_ms"]),
        };
      }),
    budgetOf(id) {
      const row = (ownCallers as readonly string[]).includes(id) ? undefined : budget.get(id);
      return (
        row && {
          keyName: String(row["name"]),
          monthlyUsd: Number(row["monthly_budget_usd"]),
          countsLocal: row["budget_counts_local"] === 1,
        }
      );
    },
    nameOf: (id) => name.get(id)?.["name"] as string | undefined,
    revoke: (idOrName) =>
      database.change(() =>
        [revokeById, revokeByName].some(
          (statement) => statement.run(Date.now(), idOrName).changes > 0,
        ),
      ),
  };
}

const scopeList = z.array(scopeField);

function toHolder(row: Record<string, unknown>): KeyHolder {
  const budget = row["monthly_budget_usd"];
  return {
    id: String(row["id"]),
    name: String(row["name"]),
    isOwner: false,
    // Unknown scopes, written by another version, allow nothing.
    scopes: scopeList.catch([]).parse(JSON.parse(String(row["scopes"]))),
    ...(typeof budget === "number" ? { monthlyBudgetUsd: budget } : {}),
    budgetCountsLocal: row["budget_counts_local"] === 1,
  };
}

/** One round of SHA-256 is enough, since secrets are long and random, and it is fast enough for each request. */
const toHexDigest = (secret: string): string => hash("sha256", secret, "hex");
const toDigest = (secret: string): Buffer => Buffer.from(toHexDigest(secret), "hex");
const digestBytes = 32;

const createSecret = (): string => `hs-${randomBytes(32).toString("base64url")}`;

async function readOrCreateKey(path: string): Promise<string> {
  const existing = await readKey(path);
  if (existing !== "") {
    await chmod(path, 0o600);
    return existing;
  }
  const newKey = createSecret();
  const draft = `${path}.${process.pid}.${randomBytes(4).toString("hex")}`;
  try {
    const file = await openForWriting(draft, "wx", 0o600);
    try {
      await file.writeFile(`${newKey}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    // The link fails if another process was first: then use its key. An empty file contains no key.
    try {
      await link(draft, path);
    } catch {
      const otherKey = await readKey(path);
      if (otherKey !== "") return otherKey;
      await rename(draft, path);
    }
  } finally {
    await rm(draft, { force: true });
  }
  return newKey;
}

/** The owner's key in the data folder; empty if none was created yet. */
export const readOwnerKey = (dataDir: string): Promise<string> => readKey(join(dataDir, fileName));

async function readKey(path: string): Promise<string> {
  try {
    return (await readFile(path, "utf8")).trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw error;
  }
}
