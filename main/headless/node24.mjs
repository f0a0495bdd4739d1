// Runs a module under Node 24, whichever Node started this file: plain JavaScript that Node 20 understands.
// As a command: node node24.mjs MODULE [ARGUMENT...]

import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const wantedMajor = 24;

/**
 * For glibc, which reads them when a process starts: memory of buffers goes back to the system when they are freed. By
 * default it stays with the process, in pieces, and an app that serves files for hours grows to twice its size.
 */
export const allocatorEnvironment = process.platform === 'linux' ? { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '65536' } : {};

/** @param {string} modulePath @param {string[]} args */
export async function runUnderNode24(modulePath, args) {
  if (Number.parseInt(process.versions.node, 10) >= wantedMajor) {
    restartWith(allocatorEnvironment);
    process.argv.splice(1, Infinity, modulePath, ...args);
    await import(pathToFileURL(modulePath).href);
    return;
  }
  const node = installedNode();
  if (node === undefined) {
    process.stderr.write(`Hearsay needs Node ${wantedMajor} and found ${process.versions.node}. "npm install" brings the right one along: run it first.\n`);
    process.exit(1);
  }
  // The extra channel tells the child when this process is gone, however it ended.
  const child = spawn(node, [modulePath, ...args], { env: { ...process.env, ...allocatorEnvironment }, stdio: ['inherit', 'inherit', 'inherit', 'ipc'] });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => process.exit(code ?? (signal === 'SIGINT' ? 130 : 1)));
}

/**
 * The same process begins again with variables that have to be there at its start. Does nothing where they are, or where
 * this Node or system cannot, or where another process speaks to this one by a channel, which would be lost.
 * @param {Record<string, string>} variables
 */
function restartWith(variables) {
  const isSet = Object.keys(variables).every((name) => process.env[name] !== undefined);
  if (isSet || process.execve === undefined || process.channel !== undefined) return;
  process.execve(process.execPath, [process.execPath, ...process.execArgv, ...process.argv.slice(1)], { ...process.env, ...variables });
}

/** The Node that came with `npm install`: a package for each kind of machine. */
function installedNode() {
  const kind = `${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
  try {
    const packageFile = createRequire(import.meta.url).resolve(`${kind === 'darwin-arm64' ? 'node-bin' : 'node'}-${kind}/package.json`);
    const path = join(dirname(packageFile), 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
    return existsSync(path) ? path : undefined;
  } catch {
    return undefined;
  }
}

if (process.argv[1] === import.meta.filename && process.argv[2] !== undefined) {
  await runUnderNode24(resolve(process.argv[2]), process.argv.slice(3));
}
