// What a command of the command line is, and what each is given.

import type { ParseArgsOptionsConfig } from "node:util";
import { parseDecimal } from "../../contract/decimal.ts";
import type { App } from "../../app.ts";
import type { Ownership } from "../../instance/ownership.ts";
import type { SettingName } from "../../storage/settings/settings.ts";
import type { Progress } from "./progress.ts";

export type Command = {
  /** After `hearsay`: the synopsis. */
  readonly usage: string;
  readonly summary: string;
  readonly options: ParseArgsOptionsConfig;
  /** What it can be told by flags beside its own options. */
  readonly settings: readonly SettingName[];
  /** Option → what it does, for the help. */
  readonly help: Readonly<Record<string, string>>;
  /** Resolves to the exit code. Throws AppError or UsageError. */
  run(context: CommandContext): Promise<number>;
};

/** Of commands that have engines work for them. */
export const engineSettings = [
  "dataDir",
  "workers",
  "idleSec",
  "memoryMb",
] as const satisfies readonly SettingName[];

export type CommandContext = {
  readonly positionals: readonly string[];
  readonly values: Readonly<Record<string, string | boolean | (string | boolean)[] | undefined>>;
  readonly dataDir: string;
  /** The services, without HTTP; made on first use, closed by whoever runs the command. An app that serves is given its ownership of the data folder. */
  app(ownership?: Ownership): Promise<App>;
  /** Aborted by Ctrl-C, SIGTERM and the parent's end. */
  readonly signal: AbortSignal;
  readonly progress: Progress;
  print(text: string | Uint8Array): Promise<void>;
  warn(text: string): void;
};

/** The command was called wrongly: shown with the synopsis, exit code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** A string option, or undefined. */
export function text(context: CommandContext, name: string): string | undefined {
  const value = context.values[name];
  return typeof value === "string" ? value : undefined;
}

/** @throws UsageError where the option is no number in the range */
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

/** @throws UsageError where the option is none of the choices */
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
