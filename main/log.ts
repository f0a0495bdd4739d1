// The one logger. Each room takes a child of it, each request a child with its id. Writes JSON lines to stderr,
// where they never mix with what a command prints; quiet unless something deserves a look.

import { pino } from 'pino';
import type { DestinationStream, Logger } from 'pino';

export type Log = Logger;

const levels: readonly string[] = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];
const secrets = ['authorization', 'headers.authorization', '*.authorization', 'key', 'apiKey', '*.apiKey', 'cookie', '*.cookie'];

/** `level` is usually HEARSAY_LOG; anything that is no level means `warn`. */
export function createLog(level: string | undefined, destination?: DestinationStream): Log {
  return pino(
    {
      level: level !== undefined && levels.includes(level) ? level : 'warn',
      base: null,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: secrets, censor: '[secret]' },
    },
    destination ?? process.stderr,
  );
}
