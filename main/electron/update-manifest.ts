// The publisher's signed description of a release: TLS only proves which server sent a file, the signature proves who
// made it. `npm run package -- --feed …` writes manifest and signature (build/sign-feed.ts); the app contains the
// public key.

import { createHash, createPublicKey, type KeyObject, sign, verify } from "node:crypto";
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { z } from "zod";
import { AppError } from "../contract/errors.ts";

const manifestFile = z.strictObject({
  /** Restricted, since it becomes part of a path, and on Linux of a shell command. */
  name: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/)
    .max(200),
  sizeBytes: z.int().positive(),
  /** Base64, as in electron-updater. */
  sha512: z.string().length(88),
});

export const updateManifest = z.strictObject({
  /** Distinguishes it from other files signed with the same key. */
  kind: z.literal("hearsay-update"),
  version: z.string().regex(/^\d{1,6}\.\d{1,6}\.\d{1,6}$/),
  /** Time of signing. */
  date: z.iso.datetime(),
  system: z.string(),
  arch: z.string(),
  files: z.array(manifestFile).min(1).max(20),
});
export type UpdateManifest = z.infer<typeof updateManifest>;
export type ManifestFile = z.infer<typeof manifestFile>;

export type Machine = { readonly system: NodeJS.Platform; readonly arch: string };

/** One feed may serve several systems. */
export const manifestName = ({ system, arch }: Machine): string => `update-${system}-${arch}.json`;
export const signatureName = (machine: Machine): string => `${manifestName(machine)}.sig`;

export const changedUpdateError = (): AppError => new AppError("update.changed");

/** @param spki Ed25519, DER in base64: the middle line of its PEM file @throws Error if it is invalid */
export function readPublicKey(spki: string): KeyObject {
  const key = createPublicKey({ key: Buffer.from(spki, "base64"), format: "der", type: "spki" });
  if (key.asymmetricKeyType !== "ed25519")
    throw new Error(`An update key is an Ed25519 key, not ${key.asymmetricKeyType}.`);
  return key;
}

export const writePublicKey = (key: KeyObject): string =>
  key.export({ format: "der", type: "spki" }).toString("base64");

export function signManifest(
  manifest: UpdateManifest,
  privateKey: KeyObject,
): { bytes: Buffer; signature: string } {
  const bytes = Buffer.from(`${JSON.stringify(updateManifest.parse(manifest), null, 2)}\n`);
  return { bytes, signature: `${sign(null, bytes, privateKey).toString("base64")}\n` };
}

/**
 * @param keys any of them may have signed it: a new key is included one release before it is used
 * @throws Error with a message for the user if it is not trusted
 */
export function readManifest(
  bytes: Buffer,
  signature: string,
  keys: readonly KeyObject[],
  machine: Machine,
): UpdateManifest {
  const signatureBytes = Buffer.from(signature.trim(), "base64");
  // Verify before parsing.
  if (!keys.some((key) => verify(null, bytes, key, signatureBytes)))
    throw new AppError("update.unsigned");
  const manifest = updateManifest.parse(JSON.parse(bytes.toString("utf8")));
  if (manifest.system !== machine.system || manifest.arch !== machine.arch)
    throw new AppError("update.otherMachine");
  return manifest;
}

/** Prevents downgrades: an old release is also signed, but may have known vulnerabilities. */
export function isNewer(version: string, current: string): boolean {
  const [newNumbers, currentNumbers] = [versionNumbers(version), versionNumbers(current)];
  const differingIndex = newNumbers.findIndex((value, index) => value !== currentNumbers[index]);
  // A release is newer than its own previews: 1.2.0 is newer than 1.2.0-beta.1.
  return differingIndex === -1
    ? current.includes("-")
    : (newNumbers[differingIndex] ?? 0) > (currentNumbers[differingIndex] ?? 0);
}

const versionNumbers = (version: string): number[] =>
  (version.split(/[-+]/)[0] ?? "").split(".").map(Number);

export async function describeFile(path: string, name: string): Promise<ManifestFile> {
  const hash = createHash("sha512");
  await pipeline(createReadStream(path), hash);
  return { name, sizeBytes: (await stat(path)).size, sha512: hash.digest("base64") };
}

/** @throws Error if the file differs from the signed one */
export async function checkFile(
  path: string,
  { name, sizeBytes, sha512 }: ManifestFile,
): Promise<void> {
  const actual = await describeFile(path, name);
  if (actual.sizeBytes !== sizeBytes || actual.sha512 !== sha512) throw changedUpdateError();
}
