// Streams a file from disk, whole or a range (RFC 9110, 14; players seek by ranges), with backpressure.

import { type FileHandle, open } from "node:fs/promises";

const chunkBytes = 256 * 1024;

/** @param path must exist @param type media type @param signal breaks the response off */
export async function fileResponse(
  request: Request,
  path: string,
  type: string,
  signal?: AbortSignal,
): Promise<Response> {
  const file = await open(path);
  try {
    const { size, mtimeMs } = await file.stat();
    const etag = `"${size.toString(36)}-${Math.trunc(mtimeMs).toString(36)}"`;
    const headers = {
      "content-type": type,
      "accept-ranges": "bytes",
      etag,
      "cache-control": "private, no-cache",
      "x-content-type-options": "nosniff",
    };
    if (request.headers.get("if-none-match") === etag) {
      await file.close();
      return new Response(null, { status: 304, headers });
    }
    const range = parseRange(request, size, etag);
    if (range === "outside") {
      await file.close();
      return new Response(null, {
        status: 416,
        headers: { ...headers, "content-range": `bytes */${size}` },
      });
    }
    const { from, to } = range ?? { from: 0, to: size };
    const part = range === undefined ? {} : { "content-range": `bytes ${from}-${to - 1}/${size}` };
    return new Response(createByteStream(file, from, to, signal), {
      status: range === undefined ? 200 : 206,
      headers: { ...headers, ...part, "content-length": String(to - from) },
    });
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** `to` is exclusive; undefined if the whole file is to be sent: no range, several, or a range of another version. */
function parseRange(
  request: Request,
  size: number,
  etag: string,
): { from: number; to: number } | "outside" | undefined {
  const version = request.headers.get("if-range");
  const [, first = "", last = ""] =
    /^bytes=(\d*)-(\d*)$/.exec(request.headers.get("range")?.trim() ?? "") ?? [];
  if ((first === "" && last === "") || (version !== null && version !== etag)) return undefined;
  const from = first === "" ? Math.max(0, size - Number(last)) : Number(first);
  const to = first === "" || last === "" ? size : Math.min(size, Number(last) + 1);
  return from < to ? { from, to } : "outside";
}

function createByteStream(
  file: FileHandle,
  from: number,
  to: number,
  signal?: AbortSignal,
): ReadableStream<Uint8Array> {
  let position = from;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (signal?.aborted) {
          await file.close();
          signal.throwIfAborted();
        }
        const chunkSizeBytes = Math.min(chunkBytes, to - position);
        const { bytesRead, buffer } = await file.read(
          new Uint8Array(chunkSizeBytes),
          0,
          chunkSizeBytes,
          position,
        );
        position += bytesRead;
        if (bytesRead > 0) controller.enqueue(buffer.subarray(0, bytesRead));
        if (position < to && bytesRead > 0) return;
        await file.close();
        controller.close();
      },
      cancel: () => file.close(),
    },
    { highWaterMark: 0 },
  );
}
