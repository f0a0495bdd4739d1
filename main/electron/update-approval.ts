// Compares what electron-updater is going to install with what the publisher signed.

import type { KeyObject } from "node:crypto";
import { rm } from "node:fs/promises";
import type { UpdateInfo } from "electron-updater";
import { AppError } from "../contract/errors.ts";
import { type ReadFeedFile, readSignedManifest } from "./update-feed.ts";
import {
  changedUpdateError,
  describeFile,
  isNewer,
  type Machine,
  type ManifestFile,
  type UpdateManifest,
} from "./update-manifest.ts";

export type ApprovalDeps = {
  /** The running version. */
  version: string;
  /** The publisher's public keys. */
  keys: readonly KeyObject[];
  machine: Machine;
  readFeedFile: ReadFeedFile;
};

/** A downloaded file and its signed description. */
export type SignedFile = { readonly path: string; readonly file: ManifestFile };

/**
 * @param url of the feed
 * @returns the signed description of the offered release
 * @throws AppError if it is not signed, not newer, or differs
 */
export async function approveUpdate(
  url: string,
  offered: UpdateInfo,
  { version: runningVersion, keys, machine, readFeedFile }: ApprovalDeps,
): Promise<UpdateManifest> {
  const manifest = await readSignedManifest(url, keys, machine, readFeedFile);
  if (!isNewer(manifest.version, runningVersion))
    throw new AppError("update.older", { version: manifest.version });
  if (
    offered.version !== manifest.version ||
    offered.files.length === 0 ||
    !offered.files.every((file) => isInManifest(manifest, file))
  )
    throw changedUpdateError();
  return manifest;
}

/** True if the manifest contains the offered file with the same content. */
function isInManifest({ files }: UpdateManifest, offered: UpdateInfo["files"][number]): boolean {
  return files.some(
    ({ name, sizeBytes, sha512 }) =>
      name === offered.url &&
      sha512 === offered.sha512 &&
      (offered.size === undefined || offered.size === sizeBytes),
  );
}

/**
 * @param paths of the downloaded files
 * @returns the single downloaded file
 * @throws Error if it does not match a signed one; it is deleted then
 */
export async function approveDownload(
  paths: readonly string[],
  approved: UpdateManifest | undefined,
): Promise<SignedFile> {
  const [path, ...more] = paths;
  if (path === undefined || more.length > 0 || approved === undefined) throw changedUpdateError();
  const { sizeBytes, sha512 } = await describeFile(path, "");
  // Compare content only: the updater chose one of the release's files and may have renamed it.
  const file = approved.files.find((one) => one.sizeBytes === sizeBytes && one.sha512 === sha512);
  if (file !== undefined) return { path, file };
  await rm(path, { force: true });
  throw changedUpdateError();
}
