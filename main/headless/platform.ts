// Plain Node as the host: engine processes are forked.

import { fork } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { ChildPort, Platform } from '../platform.ts';

/** What a child may know of its surroundings: no keys, no options for Node, no proxies. */
const passedOn = ['PATH', 'HOME', 'USERPROFILE', 'TMPDIR', 'TEMP', 'TMP', 'SystemRoot', 'LANG', 'LC_ALL'];
const stderrTailBytes = 4096;

/** Where this system keeps what belongs to an app. */
export function defaultDataDir(env: NodeJS.ProcessEnv = process.env, system: NodeJS.Platform = process.platform): string {
  if (system === 'win32') return join(env['APPDATA'] ?? join(homedir(), 'AppData', 'Roaming'), 'Hearsay');
  if (system === 'darwin') return join(homedir(), 'Library', 'Application Support', 'Hearsay');
  return join(env['XDG_DATA_HOME'] || join(homedir(), '.local', 'share'), 'hearsay');
}

/** @throws Error where the data folder cannot be made */
export function createHeadlessPlatform(dataDir: string): Platform {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  return { dataDir, launchChild };
}

function launchChild(modulePath: string): ChildPort {
  const env: NodeJS.ProcessEnv = { ORT_DISABLE_TELEMETRY: '1' };
  for (const name of passedOn) {
    if (process.env[name] !== undefined) env[name] = process.env[name];
  }
  // In a group of its own: a terminal's Ctrl-C is for this process, which ends its children in order.
  const detached = process.platform !== 'win32';
  // No argument of ours reaches the child, and it prints nothing: only stderr is kept, for failures.
  const child = fork(modulePath, [], { env, execArgv: [], detached, serialization: 'advanced', stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
  let tail = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    tail = (tail + text).slice(-stderrTailBytes);
  });
  return {
    pid: child.pid,
    send(message) {
      // A child that is just ending is reported by its exit, not by this.
      if (child.connected) child.send(message as object, () => {});
    },
    onMessage: (listener) => child.on('message', listener),
    onExit(listener) {
      let told = false;
      const tell = (how: string): void => {
        if (!told) listener(how);
        told = true;
      };
      child.once('exit', (code, signal) => tell(signal === null ? `exited with code ${code}` : `ended by ${signal}`));
      child.on('error', (error) => tell(error.message));
    },
    stderrTail: () => tail,
    kill: () => child.kill('SIGKILL'),
  };
}
