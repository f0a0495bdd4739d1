// Reads a feed's newest release and verifies its signature.

import type { KeyObject } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Session } from "electron";
import { z } from "zod";
import { AppError } from "../contract/errors.ts";
import {
  type Machine,
  manifestName,
  readManifest,
  readPublicKey,
  signatureName,
  type UpdateManifest,
} from "./update-manifest.ts";

const maxBytes = 100_000;
const timeoutMs = 30_000;

/** Reads a small file of a feed. */
export type ReadFeedFile = (url: string) => Promise<Buffer>;

const packageSchema = z.object({ updateKeys: z.array(z.string()).default([]) });

/**
 * The publisher's keys, which `electron-builder.yml` adds to the packed app; none in a checkout. @throws Error if a key
 * is invalid
 */
export function builtInKeys(appDir: string): KeyObject[] {
  return packageSchema
    .parse(JSON.parse(readFileSync(join(appDir, "package.json"), "utf8")))
    .updateKeys.map(readPublicKey);
}

/** @throws Error with a message for the user */
export async function readSignedManifest(
  feed: string,
  keys: readonly KeyObject[],
  machine: Machine,
  read: ReadFeedFile,
): Promise<UpdateManifest> {
  const [bytes, signature] = await Promise.all([
    read(feedFileUrl(feed, manifestName(machine))),
    read(feedFileUrl(feed, signatureName(machine))),
  ]);
  return readManifest(bytes, signature.toString("latin1"), keys, machine);
}

/** URL of a file in the feed's folder. */
function feedFileUrl(feed: string, name: string): string {
  const url = new URL(feed);
  url.pathname = `${url.pathname.replace(/\/$/, "")}/${name}`;
  return url.href;
}

/** Uses the session's proxy, as does the download of the update. */
export const createFeedReader =
  (session: Pick<Session, "fetch">): ReadFeedFile =>
  async (url) => {
    const response = await session.fetch(url, {
      signal: AbortSignal.timeout(timeoutMs),
      cache: "no-store",
    });
    const name = new URL(url).pathname.split("/").at(-1) ?? "";
    if (!response.ok || response.body === null)
      throw new AppError("update.noManifest", { file: name, status: response.status });
    const chunks: Uint8Array[] = [];
    let sizeBytes = 0;
    for await (const chunk of response.body) {
      chunks.push(chunk);
      sizeBytes += chunk.length;
      if (sizeBytes > maxBytes) throw new AppError("update.manifestTooLarge", { file: name });
    }
    return Buffer.concat(chunks);
  };
