// The file of a job's recording. A small upload stays in memory, and is written when something first needs a file.

import { unlink } from "node:fs/promises";
import type { TranscriptionJob } from "../contract/speech.ts";
import { writeFile } from "./disk.ts";

type Media = Pick<TranscriptionJob, "mediaPath" | "mediaBytes">;

/** Content in memory → the writing of its file. */
const writes = new WeakMap<Uint8Array, Promise<void>>();

/** Path of the recording's file, which exists from then on. */
export async function mediaFile({ mediaPath, mediaBytes }: Media): Promise<string> {
  if (mediaBytes === undefined) return mediaPath;
  const written =
    writes.get(mediaBytes) ?? writeFile(mediaPath, mediaBytes, { flag: "wx", mode: 0o600 });
  writes.set(mediaBytes, written);
  await written;
  return mediaPath;
}

/** Removes the file if it was written. Never rejects. */
export async function removeMediaFile({ mediaPath, mediaBytes }: Media): Promise<void> {
  const written = mediaBytes === undefined ? Promise.resolve() : writes.get(mediaBytes);
  await written?.then(() => unlink(mediaPath)).catch(() => {});
}
