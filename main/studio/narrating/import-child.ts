// The module of the process that reads one document and ends. The document is untrusted: whatever it makes the
// parsers do ends with this process, at the latest by the limits document-import.ts sets.

import { readFile, writeFile } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import { AppError, storageFailure } from '../../contract/errors.ts';
import { connectToParent } from '../../engines/pool/child-port.ts';
import { importScript } from './import-script.ts';
import type { FromImportChild, ToImportChild } from './import-protocol.ts';

/** The heap is limited by V8; what lies outside of it (buffers, inflated files) by this. */
const maxRssBytes = 2 ** 30;

/** The app has a shorter limit; this one is for a child whose app is gone. */
const maxLifeMs = 60_000;

/** In a thread of its own, since a parser that is busy lets nothing else run, the end of the app included. */
const watchdog = `
const { ppid } = process;
const startMs = performance.now();
setInterval(() => {
  const isOver = process.memoryUsage.rss() > ${maxRssBytes} || process.ppid !== ppid || performance.now() - startMs > ${maxLifeMs};
  if (isOver) process.kill(process.pid, 'SIGKILL');
}, 50);`;

new Worker(watchdog, { eval: true }).unref();
const parent = connectToParent();
const answer = (message: FromImportChild): void => parent.send(message);

parent.onMessage((message) => {
  // The app sends what import-protocol.ts says; both ends are one version of one program.
  const { name, inputPath, outputPath } = message as ToImportChild;
  importDocument(name, inputPath, outputPath).then(() => answer({ type: 'done' }), (error: unknown) => answer(failure(error)));
});

async function importDocument(name: string, inputPath: string, outputPath: string): Promise<void> {
  await writeFile(outputPath, JSON.stringify(await importScript(name, await readFile(inputPath))), { mode: 0o600, flag: 'wx' });
}

function failure(error: unknown): FromImportChild {
  const known = error instanceof AppError ? error : storageFailure(error);
  if (known === undefined) throw error;
  return { type: 'failed', key: known.key, message: known.message, ...(known.param === undefined ? {} : { param: known.param }) };
}
