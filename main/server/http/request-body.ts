// A request body read piece by piece within limits: on time between bytes, on size, and on what is still read of
// a body nobody wants. Never cancels the body, which would cut the connection before the answer is out.

import { statfs } from "node:fs/promises";
import { AppError, storageFailure, storageFull } from "../../contract/errors.ts";
import { openForWriting } from "../../storage/disk.ts";
import { jsonObject } from "../../contract/json.ts";

export type BodyLimits = {
  /** Told of every piece that arrives. */
  count?(bytes: number): void;
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
  const minWindowBytes = (limits.minBytesPerSec * limits.rateWindowMs) / 1000;
  const tooSlow = (message: string): AppError => {
    isTooSlow = true;
    return new AppError("request_timeout", message);
  };
  const slowRate = (): AppError =>
    tooSlow(
      `The request body arrives too slowly: less than ${limits.minBytesPerSec} bytes a second.`,
    );

  async function next(withinMs = limits.idleMs): Promise<Uint8Array | undefined> {
    reader ??= request.body?.getReader();
    const late = Promise.withResolvers<never>();
    const timers = [
      setTimeout(
        () =>
          late.reject(
            tooSlow(
              `No byte of the request body arrived for ${Math.round(withinMs / 1000)} seconds.`,
            ),
          ),
        withinMs,
      ),
      ...(arrivedBytes < minWindowBytes
        ? [setTimeout(() => late.reject(slowRate()), limits.rateWindowMs - waitedMs)]
        : []),
    ];
    const startMs = performance.now();
    try {
      const piece = await Promise.race([reader?.read(), late.promise]);
      if (piece?.done === false) countRate(performance.now() - startMs, piece.value.length);
      limits.count?.(piece?.value?.length ?? 0);
      return piece?.value;
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

  function countRate(ms: number, bytes: number): void {
    waitedMs += ms;
    arrivedBytes += bytes;
    if (waitedMs < limits.rateWindowMs) return;
    if (arrivedBytes < minWindowBytes) throw slowRate();
    waitedMs = 0;
    arrivedBytes = 0;
  }

  return {
    declaredBytes: declaredBytesOf(request),
    next: () => next(),
    async drain() {
      // Whoever was let go for sending too little is not waited for again.
      if (reader === undefined || isTooSlow) return;
      const deadline = performance.now() + limits.drainMs;
      try {
        for (let bytes = 0; bytes <= limits.drainBytes;) {
          const leftMs = deadline - performance.now();
          const piece = leftMs > 0 ? await next(Math.min(leftMs, limits.idleMs)) : undefined;
          if (piece === undefined) return;
          bytes += piece.length;
        }
      } catch {
        // Too slow or gone: there is no more to wait for.
      }
    },
  };
}

function declaredBytesOf({ headers }: Request): number | undefined {
  const declared = headers.get("content-length");
  return declared === null ? undefined : Number(declared);
}

/** A body whose size is known to be too large is refused before any of it is read. */
export function checkDeclared(
  { declaredBytes = 0 }: BodyReader,
  maxBytes: number,
  tooLarge: () => AppError,
): void {
  if (declaredBytes > maxBytes) throw tooLarge();
}

/** The same where the disk has no room for it. @param folder on that disk @throws AppError `storage_full` */
export async function checkRoom({ declaredBytes = 0 }: BodyReader, folder: string): Promise<void> {
  const { bavail, bsize } = await statfs(folder).catch(() => ({ bavail: Infinity, bsize: 1 }));
  if (declaredBytes > bavail * bsize) throw storageFull();
}

/** The whole of it. @throws AppError `body_too_large`, in these words, when it is larger than `maxBytes` */
export async function readWhole(
  body: BodyReader,
  maxBytes: number,
  tooLarge: string,
): Promise<Buffer<ArrayBuffer>> {
  const refused = (): AppError => new AppError("body_too_large", tooLarge);
  checkDeclared(body, maxBytes, refused);
  const pieces: Uint8Array[] = [];
  let sizeBytes = 0;
  for (let piece = await body.next(); piece !== undefined; piece = await body.next()) {
    sizeBytes += piece.length;
    if (sizeBytes > maxBytes) {
      await body.drain();
      throw refused();
    }
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

/** All of it as a new file. @throws AppError as `readWhole`, `storage_full` */
export async function writeBody(
  body: BodyReader,
  path: string,
  maxBytes: number,
  tooLarge: string,
): Promise<void> {
  const refused = (): AppError => new AppError("body_too_large", tooLarge);
  checkDeclared(body, maxBytes, refused);
  const file = await openForWriting(path, "wx", 0o600);
  try {
    let sizeBytes = 0;
    for (let piece = await body.next(); piece !== undefined; piece = await body.next()) {
      sizeBytes += piece.length;
      if (sizeBytes > maxBytes) throw refused();
      await file.writeFile(piece);
    }
  } catch (error) {
    await body.drain();
    throw storageFailure(error) ?? error;
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
  readWhole(
    createBodyReader(request, limits),
    maxBytes,
    `The request body is larger than ${maxBytes} bytes.`,
  );
