// A request body read piece by piece within limits: on time between bytes, on size, and on what is still read of
// a body nobody wants. Never cancels the body, which would cut the connection before the answer is out.

import { open } from 'node:fs/promises';
import { AppError, storageFull } from '../contract/errors.ts';

export type BodyLimits = {
  /** Told of every piece that arrives. */
  count?(bytes: number): void;
  /** A sender that gives no byte for so long is answered 408. */
  idleMs: number;
  /** How much of a refused body is read on, so that clients that write before they read see the refusal. */
  drainBytes: number;
  drainMs: number;
};

export const defaultBodyLimits: BodyLimits = { idleMs: 60_000, drainBytes: 256 * 2 ** 20, drainMs: 30_000 };

export interface BodyReader {
  /** The next bytes; `undefined` at the end. @throws AppError when the sender is too slow or gone. */
  next(): Promise<Uint8Array | undefined>;
  /** Reads on within the limits and forgets; never throws. */
  drain(): Promise<void>;
}

export function createBodyReader(request: Request, limits: BodyLimits): BodyReader {
  const reader = request.body?.getReader();

  async function next(withinMs = limits.idleMs): Promise<Uint8Array | undefined> {
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      late.reject(new AppError('request_timeout', `No byte of the request body arrived for ${Math.round(withinMs / 1000)} seconds.`));
    }, withinMs);
    try {
      const piece = await Promise.race([reader?.read(), late.promise]);
      limits.count?.(piece?.value?.length ?? 0);
      return piece?.value;
    } catch (error) {
      if (error instanceof AppError) throw error;
      throw new AppError('invalid_request', 'The connection ended before the whole request body had arrived.', { cause: error });
    } finally {
      clearTimeout(timer);
    }
  }

  return {
    next: () => next(),
    async drain() {
      const deadline = performance.now() + limits.drainMs;
      try {
        for (let bytes = 0; bytes <= limits.drainBytes; ) {
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

/** The whole of it. @throws AppError `body_too_large`, in these words, when it is larger than `maxBytes` */
export async function readWhole(body: BodyReader, maxBytes: number, tooLarge: string): Promise<Buffer<ArrayBuffer>> {
  const pieces: Uint8Array[] = [];
  let sizeBytes = 0;
  for (let piece = await body.next(); piece !== undefined; piece = await body.next()) {
    sizeBytes += piece.length;
    if (sizeBytes > maxBytes) {
      await body.drain();
      throw new AppError('body_too_large', tooLarge);
    }
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

/** All of it as a new file. @throws AppError as `readWhole`, `storage_full` */
export async function writeBody(body: BodyReader, path: string, maxBytes: number, tooLarge: string): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    let sizeBytes = 0;
    for (let piece = await body.next(); piece !== undefined; piece = await body.next()) {
      sizeBytes += piece.length;
      if (sizeBytes > maxBytes) throw new AppError('body_too_large', tooLarge);
      await file.writeFile(piece);
    }
  } catch (error) {
    await body.drain();
    throw storageFull(error) ?? error;
  } finally {
    await file.close();
  }
}

/** The body as JSON, whatever its declared type. @throws AppError when it is larger than `maxBytes` or no JSON object. */
export async function readJsonObject(request: Request, maxBytes: number, limits: BodyLimits): Promise<Record<string, unknown>> {
  const bytes = await readWhole(createBodyReader(request, limits), maxBytes, `The request body is larger than ${maxBytes} bytes.`);
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString('utf8'));
  } catch {
    throw new AppError('invalid_request', 'Could not parse the request body: it must be JSON.');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new AppError('invalid_request', 'The request body must be a JSON object.');
  }
  return value as Record<string, unknown>;
}
