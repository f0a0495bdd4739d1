// Signs a release with the publisher's private key; the app checks it with the public key that electron-builder.yml
// adds. Without a key no feed is written, since no app would accept it.

import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
} from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import {
  describeFile,
  type Machine,
  manifestName,
  readManifest,
  readPublicKey,
  signatureName,
  signManifest,
  updateManifest,
  writePublicKey,
} from "../main/electron/update-manifest.ts";

/** Its message says what to do so that the feed can be signed. */
export class SigningKeyError extends Error {}

/** Packages that electron-updater installs or offers. */
const packageFilePattern = /\.(AppImage|deb|exe|zip|dmg)$/;

/** Writes a new private key to a file. @returns what to do with the public key @throws Error if the file exists */
export async function createSigningKey(path: string): Promise<string> {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  await writeFile(path, privateKey.export({ format: "pem", type: "pkcs8" }), {
    flag: "wx",
    mode: 0o600,
  });
  return `The private key is in ${path}: keep it secret, and keep a copy.\nIts public half belongs into electron-builder.yml, below extraMetadata:\n  updateKeys:\n    - ${writePublicKey(publicKey)}\n`;
}

/**
 * @param file from the option; otherwise the key is read from the environment
 * @param builtInKeys public keys that are packed with the app
 * @throws SigningKeyError if there is no key, or the app would not accept its signature
 */
export async function readSigningKey(
  file: string | undefined,
  env: NodeJS.ProcessEnv,
  builtInKeys: readonly string[],
): Promise<KeyObject> {
  const pem = file === undefined ? env["HEARSAY_SIGNING_KEY"] : await readFile(file, "utf8");
  if (pem === undefined || pem === "")
    throw new SigningKeyError(
      "a feed is signed: give the private key with --signing-key FILE or in HEARSAY_SIGNING_KEY. --new-signing-key FILE makes one.",
    );
  const key = parseKey(pem);
  if (!builtInKeys.includes(writePublicKey(createPublicKey(key))))
    throw new SigningKeyError(
      "the public half of the signing key is not among updateKeys in electron-builder.yml: the packed app would refuse every update signed with it.",
    );
  return key;
}

function parseKey(pem: string): KeyObject {
  try {
    const key = createPrivateKey(pem);
    if (key.asymmetricKeyType === "ed25519") return key;
  } catch {
    // The error may contain parts of the key, so it is not shown.
  }
  throw new SigningKeyError(
    "the signing key is no private Ed25519 key in PEM without a passphrase.",
  );
}

/**
 * Writes manifest and signature next to the packages.
 * @param outputPaths packages, all in one folder
 * @returns the names of the two files
 */
export async function signFeed(
  outputPaths: readonly string[],
  version: string,
  privateKey: KeyObject,
  machine: Machine,
): Promise<string[]> {
  const paths = outputPaths.filter((path) => packageFilePattern.test(path));
  const [first] = paths;
  if (first === undefined) throw new Error("there is no package to sign");
  const files = await Promise.all(paths.map(async (path) => describeFile(path, basename(path))));
  const { bytes, signature } = signManifest(
    { kind: "hearsay-update", version, date: new Date().toISOString(), ...machine, files },
    privateKey,
  );
  readManifest(bytes, signature, [createPublicKey(privateKey)], machine);
  const names = [manifestName(machine), signatureName(machine)];
  await Promise.all(
    [bytes, signature].map((content, index) =>
      writeFile(join(dirname(first), names[index] ?? ""), content),
    ),
  );
  return names;
}

/** @throws SigningKeyError: an app packed with an invalid key would not start */
export function checkBuiltInKeys(keys: readonly string[]): void {
  for (const key of keys) {
    try {
      readPublicKey(key);
    } catch {
      throw new SigningKeyError(
        `updateKeys in electron-builder.yml: '${key}' is no public Ed25519 key, as --new-signing-key prints it.`,
      );
    }
  }
}

/** @throws SigningKeyError for previews: the app cannot compare them with each other */
export function checkVersion(version: string): void {
  if (!updateManifest.shape.version.safeParse(version).success)
    throw new SigningKeyError(
      `an update has a version of three numbers, as 1.2.0, and not '${version}'.`,
    );
}
