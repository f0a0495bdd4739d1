#!/usr/bin/env node
// Starts Hearsay under Node 24, whichever Node started this file: plain JavaScript that Node 20 understands.

import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const main = join(import.meta.dirname, 'main.ts');
const wantedMajor = 24;

if (Number.parseInt(process.versions.node, 10) >= wantedMajor) {
  await import('./main.ts');
} else {
  const node = installedNode();
  if (node === undefined) {
    process.stderr.write(`Hearsay needs Node ${wantedMajor} and found ${process.versions.node}. "npm install" brings the right one along: run it first.\n`);
    process.exit(1);
  }
  // The extra channel tells the child when this process is gone, however it ended.
  const child = spawn(node, [main, ...process.argv.slice(2)], { stdio: ['inherit', 'inherit', 'inherit', 'ipc'] });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => process.exit(code ?? (signal === 'SIGINT' ? 130 : 1)));
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
