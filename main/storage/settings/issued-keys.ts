// API keys that the owner created: one row each, with a digest instead of the secret.

import { randomBytes } from "node:crypto";
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
import type { Database } from "../database.ts";
import { createSecret, toDigest } from "./key-secret.ts";

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

export type IssuedKeys = {
  /** The secret is returned only here. @throws AppError `name_taken` */
  create(input: NewApiKey): { secret: string } & ApiKeyView;
  /** Oldest first, without revoked keys. */
  list(): ApiKeyView[];
  /** Digests and holders of the keys that are not revoked. */
  digests(): { digest: Buffer; holder: KeyHolder }[];
  /** Monthly budget, also of a revoked key, whose requests may still be running. undefined: no limit. */
  budgetOf(id: string): KeyBudget | undefined;
  /** Name of a key, also of a revoked one. */
  nameOf(id: string): string | undefined;
  /** Rejects the key from now on. @returns whether the key existed */
  revoke(idOrName: string): boolean;
};

/** Characters of a secret that are stored to identify it: four after the common prefix `hs-`. */
const hintLength = 7;

export function createIssuedKeys(database: Database): IssuedKeys {
  const { sqlite } = database;
  const selectActive = sqlite.prepare(
    "SELECT * FROM api_keys WHERE revoked_at_ms IS NULL ORDER BY created_at_ms, rowid",
  );
  const selectByName = sqlite.prepare(
    "SELECT 1 FROM api_keys WHERE revoked_at_ms IS NULL AND name = ?",
  );
  const insertKey = sqlite.prepare(
    `INSERT INTO api_keys
       (id, name, digest, hint, scopes, monthly_budget_usd, budget_counts_local, created_at_ms)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const selectName = sqlite.prepare("SELECT name FROM api_keys WHERE id = ?");
  const selectBudget = sqlite.prepare(
    `SELECT name, monthly_budget_usd, budget_counts_local FROM api_keys
     WHERE id = ? AND monthly_budget_usd IS NOT NULL`,
  );
  const revokeById = sqlite.prepare(
    "UPDATE api_keys SET revoked_at_ms = ? WHERE revoked_at_ms IS NULL AND id = ?",
  );
  const revokeByName = sqlite.prepare(
    "UPDATE api_keys SET revoked_at_ms = ? WHERE revoked_at_ms IS NULL AND name = ?",
  );

  return {
    create({ name, scopes = [...allScopes], monthlyBudgetUsd, budgetCountsLocal }) {
      const secret = createSecret();
      const hint = secret.slice(0, hintLength);
      const id = `key_${randomBytes(8).toString("hex")}`;
      const createdAtMs = Date.now();
      database.change(() => {
        if (isOwnCaller(name.toLowerCase()) || selectByName.get(name) !== undefined)
          throw new AppError("key.taken", { name }, { param: "name" });
        insertKey.run(
          id,
          name,
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
        name,
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
    digests: () =>
      selectActive.all().map((row) => ({
        digest: Buffer.from(row["digest"] as Uint8Array),
        holder: toHolder(row),
      })),
    budgetOf(id) {
      const row = isOwnCaller(id) ? undefined : selectBudget.get(id);
      return (
        row && {
          keyName: String(row["name"]),
          monthlyUsd: Number(row["monthly_budget_usd"]),
          countsLocal: row["budget_counts_local"] === 1,
        }
      );
    },
    nameOf: (id) => selectName.get(id)?.["name"] as string | undefined,
    revoke: (idOrName) =>
      database.change(() =>
        [revokeById, revokeByName].some(
          (statement) => statement.run(Date.now(), idOrName).changes > 0,
        ),
      ),
  };
}

const isOwnCaller = (name: string): boolean => (ownCallers as readonly string[]).includes(name);

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
