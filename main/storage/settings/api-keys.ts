// API keys that clients send as `Authorization: Bearer …`: the owner's key (owner-key.ts), or an external one that
// replaces it and is never written to disk, and the keys that the owner created (issued-keys.ts). See usage/records.ts
// and usage/metering.ts for budgets.

import { timingSafeEqual } from "node:crypto";
import { AppError } from "../../contract/errors.ts";
import { scopes as allScopes } from "../../contract/usage.ts";
import type { Database } from "../database.ts";
import { createIssuedKeys, type IssuedKeys, type KeyHolder } from "./issued-keys.ts";
import { digestBytes, toDigest, toHexDigest } from "./key-secret.ts";
import { ownerKeyPath, readOrCreateOwnerKey } from "./owner-key.ts";
import { minKeyLength } from "./settings.ts";

export type ApiKeys = Omit<IssuedKeys, "digests"> & {
  /** The owner's key, shown to the owner only. */
  readonly key: string;
  /** Path of the owner's key; undefined if it is external. */
  readonly file: string | undefined;
  /** True if the key is short enough to guess: acceptable only on this machine. */
  readonly isShort: boolean;
  /** Takes constant time, whatever part of the key is right. */
  verify(presented: string): KeyHolder | undefined;
};

export type ApiKeysDeps = {
  dataDir: string;
  externalKey?: string | undefined;
  database: Database;
  /** True while the database is a placeholder for a library that cannot be opened. */
  isUnavailable?(): boolean;
};

/** `dataDir` must exist. A non-blank `externalKey` (environment variable or flag) overrides the file. */
export async function createApiKeys({
  dataDir,
  externalKey = "",
  database,
  isUnavailable = () => false,
}: ApiKeysDeps): Promise<ApiKeys> {
  const key = externalKey.trim() || (await readOrCreateOwnerKey(dataDir));
  const { digests, ...issuedKeys } = createIssuedKeys(database);
  const owner: KeyHolder = {
    id: "owner",
    name: "owner",
    isOwner: true,
    scopes: allScopes,
    budgetCountsLocal: false,
  };
  const ownerEntry = { digest: toDigest(key), holder: owner };
  let entries = [ownerEntry];
  // One buffer for all calls: creating one takes four times as long as the digest.
  const digestBuffer = Buffer.alloc(digestBytes);
  let seenVersion = -1;

  function reloadIfChanged(): void {
    const version = database.version();
    if (version === seenVersion) return;
    entries = [ownerEntry, ...digests()];
    seenVersion = version;
  }

  return {
    ...issuedKeys,
    key,
    file: externalKey.trim() === "" ? ownerKeyPath(dataDir) : undefined,
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
  };
}
