// Short-lived keys for browsers: each opens realtime sessions in the name of the key that created it, and nothing else.
// They are kept in memory as digests, so a restart ends them.

import { hash, randomBytes } from "node:crypto";
import type { ApiKeys } from "../../../storage/settings/api-keys.ts";
import type { KeyHolder } from "../../../storage/settings/issued-keys.ts";

export type ClientSecrets = {
  /** @returns undefined if too many are valid */
  create(
    holder: KeyHolder,
    lifetimeSec: number,
    session: Record<string, unknown>,
  ): { value: string; expiresAtSec: number } | undefined;
  /** The holder, with the scope of realtime sessions alone, and the session that the secret is for. */
  verify(secret: string): { holder: KeyHolder; session: Record<string, unknown> } | undefined;
};

export const secretPrefix = "ek_";
const maxSecrets = 1000;
const maxSecretsPerKey = 200;
const digestOf = (secret: string): string => hash("sha256", secret, "hex");

export function createClientSecrets(
  keys: Pick<ApiKeys, "list">,
  now: () => number = Date.now,
): ClientSecrets {
  const secrets = new Map<
    string,
    { holder: KeyHolder; session: Record<string, unknown>; expiresAtMs: number }
  >();
  return {
    create(holder, lifetimeSec, session) {
      for (const [digest, { expiresAtMs }] of secrets)
        if (expiresAtMs <= now()) secrets.delete(digest);
      const ofKey = [...secrets.values()].filter((secret) => secret.holder.id === holder.id);
      if (secrets.size >= maxSecrets || ofKey.length >= maxSecretsPerKey) return undefined;
      const value = secretPrefix + randomBytes(32).toString("base64url");
      const expiresAtMs = now() + lifetimeSec * 1000;
      secrets.set(digestOf(value), { holder, session, expiresAtMs });
      return { value, expiresAtSec: Math.floor(expiresAtMs / 1000) };
    },
    verify(secret) {
      const found = secrets.get(digestOf(secret));
      if (found === undefined || found.expiresAtMs <= now()) return undefined;
      const { holder, session } = found;
      // The key may have been revoked since.
      if (!holder.isOwner && !keys.list().some(({ id }) => id === holder.id)) return undefined;
      return { holder: { ...holder, isOwner: false, scopes: ["transcribe"] }, session };
    },
  };
}
