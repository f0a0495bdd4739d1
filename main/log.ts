// The one logger. Each room takes a child of it, each request a child with its id. Writes JSON lines to stderr,
// where they never mix with what a command prints; quiet unless something deserves a look.

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

/** An AppError (contract/errors.ts) says all there is to know: where it was made is of no use to who reads it. */
const isExpected = (error: Error): boolean => error instanceof Error && error.name === "AppError";

/** `level` is usually HEARSAY_LOG; anything that is no level means `warn`. */
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
