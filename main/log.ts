// The only logger: one child logger per module, and one per request with its id. Writes JSON lines to stderr, separate
// from command output; the default level is quiet.

import { pino, stdSerializers } from "pino";
import type { DestinationStream, Logger } from "pino";

export type Log = Logger;

const levels: readonly string[] = ["trace", "debug", "info", "warn", "error", "fatal", "silent"];
const secrets = [
  "authorization",
  "headers.authorization",
  "*.authorization",
  "key",
  "apiKey",
  "*.apiKey",
  "cookie",
  "*.cookie",
];

/** The message of an AppError (contract/errors.ts) is complete; its stack is not useful. */
const isExpected = (error: Error): boolean => error instanceof Error && error.name === "AppError";

/** `level` is usually HEARSAY_LOG; an invalid level means `warn`. */
export function createLog(level: string | undefined, destination?: DestinationStream): Log {
  return pino(
    {
      level: level !== undefined && levels.includes(level) ? level : "warn",
      base: null,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      serializers: {
        err: (error: Error) =>
          isExpected(error)
            ? { type: error.name, message: error.message }
            : stdSerializers.err(error),
      },
      redact: { paths: secrets, censor: "[secret]" },
    },
    destination ?? process.stderr,
  );
}
