// Secrets of API keys, and their digests.

import { hash, randomBytes } from "node:crypto";

export const createSecret = (): string => `hs-${randomBytes(32).toString("base64url")}`;

/** One round of SHA-256 is enough, since secrets are long and random, and it is fast enough for each request. */
export const toHexDigest = (secret: string): string => hash("sha256", secret, "hex");
export const toDigest = (secret: string): Buffer => Buffer.from(toHexDigest(secret), "hex");
export const digestBytes = 32;
