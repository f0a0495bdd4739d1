// What a publisher states about a release, and signs: TLS only proves which server sent a file, the signature proves
// who made it. `npm run package -- --feed …` writes manifest and signature (build/sign-feed.ts); the public key is
// part of the app.

import { createHash, createPublicKey, type KeyObject, sign, verify } from "node:crypto";
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { z } from "zod";

const manifestFile = z.strictObject({
  /** A plain name: it becomes part of a path, and on Linux of a command line. */
  name: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/)
    .max(200),
  sizeBytes: z.int().positive(),
  /** Base64, as electron-updater has it. */
  sha512: z.string().length(88),
});

export const updateManifest = z.strictObject({
  /** So that no other file signed with this key can be taken for one. */
  kind: z.literal("hearsay-update"),
  version: z.string().regex(/^\d{1,6}\.\d{1,6}\.\d{1,6}$/),
  /** When it was signed. */
  date: z.iso.datetime(),
  system: z.string(),
  arch: z.string(),
  files: z.array(manifestFile).min(1).max(20),
});
export type UpdateManifest = z.infer<typeof updateManifest>;
export type ManifestFile = z.infer<typeof manifestFile>;

export type Machine = { readonly system: NodeJS.Platform; readonly arch: string };

/** A feed may serve several systems. */
export const manifestName = ({ system, arch }: Machine): string => `update-${system}-${arch}.json`;
export const signatureName = (machine: Machine): string => `${manifestName(machine)}.sig`;

const rejectionMessages = {
  unsigned: "This update is not signed by the publisher of this Hearsay. It was not installed.",
  changed: "This update differs from what its publisher signed. It was not installed.",
  otherMachine: "This update is for another kind of computer. It was not installed.",
} as const;
export const changedUpdateError = (): Error => new Error(rejectionMessages.changed);

/** @param spki Ed25519, DER in base64: the middle line of its PEM file @throws Error where it is none */
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
 * @param keys any of them may have signed it: a new one is built in one release before it is used
 * @throws Error with a sentence for the person where it is not to be trusted
 */
export function readManifest(
  bytes: Buffer,
  signature: string,
  keys: readonly KeyObject[],
  machine: Machine,
): UpdateManifest {
  const signatureBytes = Buffer.from(signature.trim(), "base64");
  // Nothing is read of what is not signed.
  if (!keys.some((key) => verify(null, bytes, key, signatureBytes)))
    throw new Error(rejectionMessages.unsigned);
  const manifest = updateManifest.parse(JSON.parse(bytes.toString("utf8")));
  if (manifest.system !== machine.system || manifest.arch !== machine.arch)
    throw new Error(rejectionMessages.otherMachine);
  return manifest;
}

/** An old release is properly signed too, and may have a hole that is known by now. */
export function isNewer(version: string, current: string): boolean {
  const [newNumbers, currentNumbers] = [versionNumbers(version), versionNumbers(current)];
  const differingIndex = newNumbers.findIndex((value, index) => value !== currentNumbers[index]);
  // A release follows its own previews: 1.2.0 is newer than 1.2.0-beta.1.
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

/** @throws Error where the file is not, byte for byte, the one that was signed */
export async function checkFile(
  path: string,
  { name, sizeBytes, sha512 }: ManifestFile,
): Promise<void> {
  const actual = await describeFile(path, name);
  if (actual.sizeBytes !== sizeBytes || actual.sha512 !== sha512) throw changedUpdateError();
}
