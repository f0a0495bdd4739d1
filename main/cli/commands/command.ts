// Types of a command and its context.

import type { ParseArgsOptionsConfig } from "node:util";
import { parseDecimal } from "../../contract/decimal.ts";
import { AppError } from "../../contract/errors.ts";
import type { App } from "../../app.ts";
import type { Ownership } from "../../instance/ownership.ts";
import type { SettingName, Settings } from "../../storage/settings/settings.ts";
import type { AppClient } from "../app-client.ts";
import type { Progress } from "./progress.ts";

export type Command = {
  /** Synopsis after `hearsay`. */
  readonly usage: string;
  readonly summary: string;
  readonly options: ParseArgsOptionsConfig;
  /** Settings that it accepts as flags, besides its own options. */
  readonly settings: readonly SettingName[];
  /** Option → description, for the help. */
  readonly help: Readonly<Record<string, string>>;
  /** Resolves to the exit code. @throws AppError, UsageError */
  run(context: CommandContext): Promise<number>;
};

/** For commands that use the engines. */
export const engineSettings = [
  "dataDir",
  "workers",
  "idleSec",
  "memoryMb",
] as const satisfies readonly SettingName[];

export type CommandContext = {
  readonly positionals: readonly string[];
  readonly values: Readonly<Record<string, string | boolean | (string | boolean)[] | undefined>>;
  readonly settings: Settings;
  /**
   * The app that runs on the data folder, or one in this process, which main.ts closes. Opened at first use. With
   * `changesNothing`, for the rest of the command, nobody waits for it; see open-client.ts.
   */
  client(use?: { changesNothing: boolean }): Promise<AppClient>;
  /** For `serve`: the app itself, which main.ts closes. */
  openApp(ownership: Ownership): Promise<App>;
  /** Aborted by Ctrl-C, SIGTERM, SIGHUP, or the end of the parent process. */
  readonly signal: AbortSignal;
  readonly progress: Progress;
  print(text: string | Uint8Array): Promise<void>;
  warn(text: string): void;
};

/** A failure of a command in plain words; texts of the command line are not translated. */
export const commandError = (sentence: string, cause?: unknown): AppError =>
  new AppError("verbatim", { text: sentence }, { key: "invalid_request", cause });

/** Invalid arguments: shown with the synopsis, exit code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** A string option, or undefined. */
export function text(context: CommandContext, name: string): string | undefined {
  const value = context.values[name];
  return typeof value === "string" ? value : undefined;
}

/** @throws UsageError if the option is no number in the range */
export function numberOption(
  context: CommandContext,
  name: string,
  min: number,
  max: number,
): number | undefined {
  const rawValue = text(context, name);
  if (rawValue === undefined) return undefined;
  const value = parseDecimal(rawValue);
  if (!(value >= min && value <= max))
    throw new UsageError(`--${name} must be a number from ${min} to ${max}, not '${rawValue}'`);
  return value;
}

/** @throws UsageError if the option is none of the choices */
export function choiceOption<Choice extends string>(
  context: CommandContext,
  name: string,
  choices: readonly Choice[],
): Choice | undefined {
  const rawValue = text(context, name);
  const match = choices.find((choice) => choice === rawValue);
  if (rawValue !== undefined && match === undefined)
    throw new UsageError(`--${name} must be one of ${choices.join(", ")}, not '${rawValue}'`);
  return match;
}
