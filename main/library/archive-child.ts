// The child process that unpacks an archive of the library: what comes in an archive is nobody's to trust. Writes only
// files whose names an archive of ours has, below its own folder and within limits that hold while it inflates.

import { createWriteStream, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { crc32 } from 'node:zlib';
import { type Entry, openPromise } from 'yauzl';
import { serveTask } from '../child-task-end.ts';
import { AppError } from '../contract/errors.ts';

export type UnpackTask = { archivePath: string; toDir: string; /** Of all files together. */ maxBytes: number };
export type UnpackProgress = { done: number; total: number };

const maxEntries = 2_000_000;
/** Of a transcript or a script: a recording of a day has about 40 MB. */
const maxJsonBytes = 64 * 2 ** 20;

const jsonNames: ReadonlySet<string> = new Set(['item.json', 'document.json', 'narration.json']);
const plainName = /^[\w-][\w.-]{0,99}$/;

serveTask<UnpackTask>(async ({ archivePath, toDir, maxBytes }, onProgress: (progress: UnpackProgress) => void) => {
  let leftBytes = maxBytes;
  const zip = await openPromise(archivePath, { lazyEntries: true, strictFileNames: true }).catch((error: unknown) => Promise.reject(broken(error)));
  try {
    if (zip.entryCount > maxEntries) throw new AppError('invalid_request', 'The archive holds too many files.');
    let done = 0;
    for await (const entry of zip.eachEntry()) {
      const path = targetOf(entry.fileName);
      if (path !== undefined) leftBytes -= await unpack(entry, join(toDir, ...path), Math.min(leftBytes, path.at(-1)?.endsWith('.json') === true ? maxJsonBytes : Infinity));
      done += 1;
      if (done % 20 === 0 || done === zip.entryCount) onProgress({ done, total: zip.entryCount });
    }
  } catch (error) {
    throw broken(error);
  } finally {
    zip.close();
  }

  async function unpack(entry: Entry, path: string, limitBytes: number): Promise<number> {
    if (entry.uncompressedSize > limitBytes) throw tooLarge(limitBytes);
    mkdirSync(join(path, '..'), { recursive: true, mode: 0o700 });
    let sizeBytes = 0;
    let crc = 0;
    const count = new Transform({
      transform(chunk: Buffer, _, next) {
        sizeBytes += chunk.length;
        crc = crc32(chunk, crc);
        next(sizeBytes > limitBytes ? tooLarge(limitBytes) : null, chunk);
      },
    });
    await pipeline(await zip.openReadStreamPromise(entry), count, createWriteStream(path, { flags: 'wx', mode: 0o600 }));
    if (crc !== entry.crc32) throw new AppError('invalid_request', 'The archive is damaged: a file in it has another checksum than it should.');
    return sizeBytes;
  }

  function tooLarge(limitBytes: number): AppError {
    return limitBytes < leftBytes ? new AppError('invalid_request', 'A transcript or script in the archive is too large.') : new AppError('storage_full', 'There is no room on the disk for what the archive holds.');
  }
});

/** `<title> <id>/item.json`, `<title> <id>/files/source.mp3` → where it goes; undefined for what is not needed. */
function targetOf(name: string): string[] | undefined {
  if (name === 'library.json') return [name];
  const [folder = '', ...rest] = name.split('/');
  const id = /(?:^| )([0-9a-f]{16})$/.exec(folder)?.[1];
  if (id === undefined || rest.length === 0 || !rest.every((part) => plainName.test(part))) return undefined;
  const [first = '', ...deeper] = rest;
  if (first === 'files') return deeper.length === 0 || deeper.length > 3 ? undefined : [id, 'files', ...deeper];
  return deeper.length === 0 && jsonNames.has(first) ? [id, first] : undefined;
}

function broken(error: unknown): unknown {
  if (error instanceof AppError || (error instanceof Error && 'code' in error && typeof error.code === 'string' && error.code.startsWith('E'))) return error;
  return new AppError('invalid_request', `The file is not a readable ZIP archive: ${error instanceof Error ? error.message : String(error)}.`);
}
