// Multipart form with a recording (RFC 7578; names are escaped as browsers do). Unless the recording is small and in
// memory, it is read from disk while sending, at each attempt, so the same form can be sent again.

import { randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { Readable } from "node:stream";
import { sniffBytes, sniffContainer } from "../../audio/codec/formats.ts";
import type { Container } from "../../audio/codec/formats.ts";
import type { UpstreamBody } from "./client.ts";

export type FormField = readonly [name: string, value: string];

/**
 * `media` is the recording or its path; it comes last, as field `file`. The exact size is known, since some servers
 * require Content-Length.
 */
export async function uploadForm(
  fields: readonly FormField[],
  media: Uint8Array | string,
): Promise<UpstreamBody> {
  const boundary = `hearsay-${randomUUID()}`;
  const { sizeBytes, container } =
    typeof media === "string"
      ? await inspectRecording(media)
      : { sizeBytes: media.length, container: sniffContainer(media) };
  const { extension, type } = container === undefined ? unknownFileType : fileTypes[container];
  const text = fields
    .map(
      ([name, value]) =>
        `--${boundary}\r\ncontent-disposition: form-data; name="${escapeFieldName(name)}"\r\n\r\n${value}\r\n`,
    )
    .join("");
  const disposition = `content-disposition: form-data; name="file"; filename="audio.${extension}"`;
  const header = Buffer.from(
    `${text}--${boundary}\r\n${disposition}\r\ncontent-type: ${type}\r\n\r\n`,
  );
  const footer = Buffer.from(`\r\n--${boundary}--\r\n`);

  async function* parts(mediaPath: string): AsyncGenerator<Buffer, void, undefined> {
    yield header;
    // Sends at most the announced size, even if the file is still growing.
    if (sizeBytes > 0) yield* createReadStream(mediaPath, { end: sizeBytes - 1 });
    yield footer;
  }

  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    sizeBytes: header.length + sizeBytes + footer.length,
    open: () =>
      typeof media === "string"
        ? Readable.from(parts(media))
        : Buffer.concat([header, media, footer]),
  };
}

const escapeFieldName = (name: string) =>
  name.replaceAll('"', "%22").replaceAll("\r", "%0D").replaceAll("\n", "%0A");

async function inspectRecording(
  path: string,
): Promise<{ sizeBytes: number; container: Container | undefined }> {
  const file = await open(path);
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(sniffBytes), 0, sniffBytes, 0);
    return {
      sizeBytes: (await file.stat()).size,
      container: sniffContainer(buffer.subarray(0, bytesRead)),
    };
  } finally {
    await file.close();
  }
}

/** Providers check the file name before the content, and reject unknown extensions such as `.opus`. */
const fileTypes: Record<Container, { extension: string; type: string }> = {
  mp3: { extension: "mp3", type: "audio/mpeg" },
  mpga: { extension: "mpga", type: "audio/mpeg" },
  mpeg: { extension: "mpeg", type: "video/mpeg" },
  mp4: { extension: "mp4", type: "video/mp4" },
  m4a: { extension: "m4a", type: "audio/mp4" },
  wav: { extension: "wav", type: "audio/wav" },
  webm: { extension: "webm", type: "audio/webm" },
  flac: { extension: "flac", type: "audio/flac" },
  ogg: { extension: "ogg", type: "audio/ogg" },
  opus: { extension: "ogg", type: "audio/ogg" },
};
const unknownFileType = { extension: "bin", type: "application/octet-stream" };
