// Reads a request body within limits: time between bytes, rate, size, and the rest of a rejected body. Never cancels
// the body, which would close the connection before the response is sent.

import { setImmediate as nextTurn } from "node:timers/promises";
import { AppError, toStorageError, storageFullError } from "../../contract/errors.ts";
import { freeBytes, openForWriting } from "../../storage/disk.ts";
import { parseJsonObject } from "../../contract/json.ts";

export type BodyLimits = {
  /** Called for every chunk. */
  onBytes?(bytes: number): void;
  /** A sender that sends no byte for this long gets a 408. */
  idleMs: number;
  /** Minimum rate of the sender, over `rateWindowMs` of time spent waiting for it. */
  minBytesPerSec: number;
  rateWindowMs: number;
  /**
   * How much of a rejected body is still read: clients that write before they read would miss the response otherwise.
   */
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
  /** Content-Length; undefined if missing. */
  readonly declaredBytes: number | undefined;
  /** The next bytes; `undefined` at the end. @throws AppError if the sender is too slow or disconnected */
  next(): Promise<Uint8Array | undefined>;
  /**
   * Reads and discards the rest within the limits; never throws. If nothing was read yet, listen.ts does this after the
   * response.
   */
  drain(): Promise<void>;
}

export function createBodyReader(request: Request, limits: BodyLimits): BodyReader {
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  let isTooSlow = false;
  /** Of the current window: time spent waiting for the sender, and bytes received. */
  let waitedMs = 0;
  let arrivedBytes = 0;
  const minBytesPerWindow = (limits.minBytesPerSec * limits.rateWindowMs) / 1000;
  const markTooSlow = (error: AppError): AppError => {
    isTooSlow = true;
    return error;
  };
  const slowRateError = (): AppError =>
    markTooSlow(new AppError("request.tooSlow", { bytes: limits.minBytesPerSec }));

  async function next(timeoutMs = limits.idleMs): Promise<Uint8Array | undefined> {
    reader ??= request.body?.getReader();
    const timeout = Promise.withResolvers<never>();
    const timers = [
      setTimeout(
        () =>
          timeout.reject(
            markTooSlow(new AppError("request.stalled", { seconds: Math.round(timeoutMs / 1000) })),
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
      throw new AppError("request.brokenOff", {}, { cause: error });
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
      // Do not wait again for a sender that was rejected as too slow.
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
        // Too slow or disconnected.
      }
    },
  };
}

function parseContentLength({ headers }: Request): number | undefined {
  const declaredLength = headers.get("content-length");
  return declaredLength === null ? undefined : Number(declaredLength);
}

/** Rejects a body by its declared size, before any of it is read. */
export function checkDeclaredSize(
  { declaredBytes = 0 }: BodyReader,
  maxBytes: number,
  tooLarge: () => AppError,
): void {
  if (declaredBytes > maxBytes) throw tooLarge();
}

/** Rejects a body that does not fit on the disk. @param folder on that disk @throws AppError `storage_full` */
export async function checkDiskSpace(
  { declaredBytes = 0 }: BodyReader,
  folder: string,
): Promise<void> {
  if (declaredBytes > (await freeBytes(folder).catch(() => Infinity))) throw storageFullError();
}

/** The whole body. @throws the error `tooLargeError` creates if it is larger than `maxBytes` */
export async function readBody(
  body: BodyReader,
  maxBytes: number,
  tooLargeError: () => AppError,
): Promise<Buffer<ArrayBuffer>> {
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

/** Writes the whole body to a new file. @throws AppError as `readBody`, `storage_full` */
export async function saveBody(
  body: BodyReader,
  path: string,
  maxBytes: number,
  tooLargeError: () => AppError,
): Promise<void> {
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

/** Parsing a larger body takes milliseconds: it gets a turn of the event loop to itself. */
const largeJsonBytes = 2 ** 18;

/** The body as JSON, whatever its declared type. @throws AppError if it is larger than `maxBytes` or no JSON object */
export async function readJsonObject(
  request: Request,
  maxBytes: number,
  limits: BodyLimits,
): Promise<Record<string, unknown>> {
  const bytes = await readJsonBytes(request, maxBytes, limits);
  if (bytes.length < largeJsonBytes) return parseJsonObject(bytes);
  await nextTurn();
  const fields = parseJsonObject(bytes);
  await nextTurn();
  return fields;
}

/** The same, not yet parsed. */
export const readJsonBytes = (
  request: Request,
  maxBytes: number,
  limits: BodyLimits,
): Promise<Buffer<ArrayBuffer>> =>
  readBody(
    createBodyReader(request, limits),
    maxBytes,
    () => new AppError("request.bodyTooLarge", { bytes: maxBytes }),
  );
