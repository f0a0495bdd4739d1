// A request body read piece by piece within limits: on time between bytes, on size, and on what is still read of
// a body nobody wants. Never cancels the body, which would cut the connection before the answer is out.

import { statfs } from "node:fs/promises";
import { AppError, toStorageError, storageFullError } from "../../contract/errors.ts";
import { openForWriting } from "../../storage/disk.ts";
import { jsonObject } from "../../contract/json.ts";

export type BodyLimits = {
  /** Told of every piece that arrives. */
  onBytes?(bytes: number): void;
  /** A sender that gives no byte for so long is answered 408. */
  idleMs: number;
  /** Nor may it be slower than this, over as much time spent waiting for it. */
  minBytesPerSec: number;
  rateWindowMs: number;
  /** How much of a refused body is read on, so that clients that write before they read see the refusal. */
  drainBytes: number;
  drainMs: number;
};

export const defaultBodyLimits: BodyLimits = {
  idleMs: 60_000,
  minBytesPerSec: 1024,
  rateWindowMs: 60_000,
  drainBytes: 256 * 2 ** 20,
  drainMs: 30_000,
};

export interface BodyReader {
  /** What the sender says its size is; undefined where it says nothing. */
  readonly declaredBytes: number | undefined;
  /** The next bytes; `undefined` at the end. @throws AppError when the sender is too slow or gone. */
  next(): Promise<Uint8Array | undefined>;
  /** Reads on within the limits and forgets; never throws. What was not begun is left to listen.ts, after the answer. */
  drain(): Promise<void>;
}

export function createBodyReader(request: Request, limits: BodyLimits): BodyReader {
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  let isTooSlow = false;
  /** Of the window that is being looked at: time in which this side waited, and what came meanwhile. */
  let waitedMs = 0;
  let arrivedBytes = 0;
  const minBytesPerWindow = (limits.minBytesPerSec * limits.rateWindowMs) / 1000;
  const createTimeoutError = (message: string): AppError => {
    isTooSlow = true;
    return new AppError("request_timeout", message);
  };
  const slowRateError = (): AppError =>
    createTimeoutError(
      `The request body arrives too slowly: less than ${limits.minBytesPerSec} bytes a second.`,
    );

  async function next(timeoutMs = limits.idleMs): Promise<Uint8Array | undefined> {
    reader ??= request.body?.getReader();
    const timeout = Promise.withResolvers<never>();
    const timers = [
      setTimeout(
        () =>
          timeout.reject(
            createTimeoutError(
              `No byte of the request body arrived for ${Math.round(timeoutMs / 1000)} seconds.`,
            ),
          ),
        timeoutMs,
      ),
      ...(arrivedBytes < minBytesPerWindow
        ? [setTimeout(() => timeout.reject(slowRateError()), limits.rateWindowMs - waitedMs)]
        : []),
    ];
    const startMs = performance.now();
    try {
      const chunk = await Promise.race([reader?.read(), timeout.promise]);
      if (chunk?.done === false) updateRate(performance.now() - startMs, chunk.value.length);
      limits.onBytes?.(chunk?.value?.length ?? 0);
      return chunk?.value;
    } catch (error) {
      if (error instanceof AppError) throw error;
      throw new AppError(
        "invalid_request",
        "The connection ended before the whole request body had arrived.",
        { cause: error },
      );
    } finally {
      for (const timer of timers) clearTimeout(timer);
    }
  }

  function updateRate(ms: number, bytes: number): void {
    waitedMs += ms;
    arrivedBytes += bytes;
    if (waitedMs < limits.rateWindowMs) return;
    if (arrivedBytes < minBytesPerWindow) throw slowRateError();
    waitedMs = 0;
    arrivedBytes = 0;
  }

  return {
    declaredBytes: parseContentLength(request),
    next: () => next(),
    async drain() {
      // Whoever was let go for sending too little is not waited for again.
      if (reader === undefined || isTooSlow) return;
      const deadline = performance.now() + limits.drainMs;
      try {
        for (let bytes = 0; bytes <= limits.drainBytes;) {
          const remainingMs = deadline - performance.now();
          const chunk =
            remainingMs > 0 ? await next(Math.min(remainingMs, limits.idleMs)) : undefined;
          if (chunk === undefined) return;
          bytes += chunk.length;
        }
      } catch {
        // Too slow or gone: there is no more to wait for.
      }
    },
  };
}

function parseContentLength({ headers }: Request): number | undefined {
  const declaredLength = headers.get("content-length");
  return declaredLength === null ? undefined : Number(declaredLength);
}

/** A body whose size is known to be too large is refused before any of it is read. */
export function checkDeclaredSize(
  { declaredBytes = 0 }: BodyReader,
  maxBytes: number,
  tooLarge: () => AppError,
): void {
  if (declaredBytes > maxBytes) throw tooLarge();
}

/** The same where the disk has no room for it. @param folder on that disk @throws AppError `storage_full` */
export async function checkDiskSpace(
  { declaredBytes = 0 }: BodyReader,
  folder: string,
): Promise<void> {
  const { bavail, bsize } = await statfs(folder).catch(() => ({ bavail: Infinity, bsize: 1 }));
  if (declaredBytes > bavail * bsize) throw storageFullError();
}

/** The whole of it. @throws AppError `body_too_large`, in these words, when it is larger than `maxBytes` */
export async function readBody(
  body: BodyReader,
  maxBytes: number,
  tooLarge: string,
): Promise<Buffer<ArrayBuffer>> {
  const tooLargeError = (): AppError => new AppError("body_too_large", tooLarge);
  checkDeclaredSize(body, maxBytes, tooLargeError);
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  for (let chunk = await body.next(); chunk !== undefined; chunk = await body.next()) {
    sizeBytes += chunk.length;
    if (sizeBytes > maxBytes) {
      await body.drain();
      throw tooLargeError();
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** All of it as a new file. @throws AppError as `readBody`, `storage_full` */
export async function saveBody(
  body: BodyReader,
  path: string,
  maxBytes: number,
  tooLarge: string,
): Promise<void> {
  const tooLargeError = (): AppError => new AppError("body_too_large", tooLarge);
  checkDeclaredSize(body, maxBytes, tooLargeError);
  const file = await openForWriting(path, "wx", 0o600);
  try {
    let sizeBytes = 0;
    for (let chunk = await body.next(); chunk !== undefined; chunk = await body.next()) {
      sizeBytes += chunk.length;
      if (sizeBytes > maxBytes) throw tooLargeError();
      await file.writeFile(chunk);
    }
  } catch (error) {
    await body.drain();
    throw toStorageError(error) ?? error;
  } finally {
    await file.close();
  }
}

/** The body as JSON, whatever its declared type. @throws AppError when it is larger than `maxBytes` or no JSON object. */
export async function readJsonObject(
  request: Request,
  maxBytes: number,
  limits: BodyLimits,
): Promise<Record<string, unknown>> {
  return jsonObject(await readJsonBytes(request, maxBytes, limits));
}

/** The same, still to be parsed. */
export const readJsonBytes = (
  request: Request,
  maxBytes: number,
  limits: BodyLimits,
): Promise<Buffer<ArrayBuffer>> =>
  readBody(
    createBodyReader(request, limits),
    maxBytes,
    `The request body is larger than ${maxBytes} bytes.`,
  );
