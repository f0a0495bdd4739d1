// Parses the command line, runs the command and sets the exit code. See commands/ for the commands.

import { parseArgs } from "node:util";
import type { App } from "../app.ts";
import { AppError } from "../contract/errors.ts";
import { removalNote } from "../contract/removed-settings.ts";
import type { VoiceInfo } from "../contract/speech.ts";
import {
  defaultDataDir,
  limitYoungGeneration,
  logUnhandledRejections,
} from "../processes/host-common.ts";
import type { Ownership } from "../instance/ownership.ts";
import { AnswerError, type AppClient } from "./app-client.ts";
import { openClient, type OpenedClient } from "./open-client.ts";
import { createLog } from "../log.ts";
import {
  readSettings,
  type SettingName,
  type Settings,
  settingFlags,
  settingSources,
} from "../storage/settings/settings.ts";
import { isKeyVariable } from "../storage/settings/environment-keys.ts";
import { channels } from "./commands/channels.ts";
import { type Command, engineSettings, UsageError } from "./commands/command.ts";
import { dictate } from "./commands/dictate.ts";
import { keys } from "./commands/keys.ts";
import { library } from "./commands/library.ts";
import { models } from "./commands/models.ts";
import { phonemes } from "./commands/phonemes.ts";
import { createProgress } from "./commands/progress.ts";
import { serve } from "./commands/serve.ts";
import { speak } from "./commands/speak.ts";
import { fileError } from "./commands/system-error.ts";
import { transcribe, translate } from "./commands/transcribe.ts";
import { usage } from "./commands/usage.ts";
import { window } from "./commands/window.ts";
import packageJson from "../../package.json" with { type: "json" };
import { createNodePlatform } from "./platform.ts";

const commands: Readonly<Record<string, Command>> = {
  serve,
  window,
  dictate,
  transcribe,
  translate,
  speak,
  phonemes,
  models,
  channels,
  keys,
  usage,
  library,
};
const channelCommands: ReadonlySet<Command> = new Set([
  transcribe,
  translate,
  speak,
  models,
  channels,
]);
const allSettings = Object.keys(settingSources) as SettingName[];

limitYoungGeneration();
// Write errors such as EPIPE are handled by print().
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
process.exitCode = await main(process.argv.slice(2));
// Exit explicitly, since an open handle would keep the process alive.
process.exit();

async function main([name = "help", ...args]: string[]): Promise<number> {
  if (name === "--version") {
    process.stdout.write(`${packageJson.version}\n`);
    return 0;
  }
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined) {
    const isHelpRequested = ["help", "--help", "-h"].includes(name);
    (isHelpRequested ? process.stdout : process.stderr).write(
      isHelpRequested ? help() : `hearsay: unknown command '${name}'\n\n${help()}`,
    );
    return isHelpRequested ? 0 : 2;
  }
  const abortSignal = stopSignal();
  let app: Promise<App> | undefined;
  let opened: Promise<OpenedClient> | undefined;
  try {
    const { values, positionals } = parse(command, args);
    if (values["help"] === true) {
      process.stdout.write(commandHelp(command));
      return 0;
    }
    for (const option of Object.keys(values)) {
      const note = removalNote(option);
      if (note !== undefined) warn(note);
    }
    const settings = settingsFrom(values);
    const { flag, variable } = settingSources.apiKey;
    if (values[flag] !== undefined)
      warn(
        `--${flag} is visible to every user of this machine in the process list: ` +
          `use ${variable} instead, or the key that Hearsay creates`,
      );
    let client: Promise<AppClient> | undefined;
    return await command.run({
      positionals,
      values,
      settings,
      async client({ changesNothing } = { changesNothing: false }) {
        opened ??= openClient({
          dataDir: settings.dataDir,
          changesNothing,
          openApp: () => openApp(settings),
          signal: abortSignal,
        });
        client ??= opened.then((found) => checkedClient(found, command, values, settings));
        const checked = await client;
        if (changesNothing) (await opened).release();
        return checked;
      },
      async openApp(ownership) {
        app = openApp(settings, ownership);
        checkAliases(settings, (await app).voices());
        return app;
      },
      signal: abortSignal,
      progress: createProgress(process.stderr),
      print,
      warn,
    });
  } catch (error) {
    return reportFailure(error, command, abortSignal);
  } finally {
    for (const closable of [opened, app])
      await closable?.then(
        ({ close }) => close(),
        () => {},
      );
  }
}

/** Aborted by Ctrl-C, SIGTERM, SIGHUP, or the end of the parent process. */
function stopSignal(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    process.on(signal, () => controller.abort());
  process.on("disconnect", () => controller.abort());
  process.channel?.unref();
  return controller.signal;
}

function parse(command: Command, args: string[]): ReturnType<typeof parseArgs> {
  const settings = settingFlags(command.settings);
  try {
    return parseArgs({
      args,
      options: { ...settings, ...command.options, help: { type: "boolean", short: "h" } },
      allowPositionals: true,
    });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    // The removed part of the message explains file names that begin with a dash.
    throw new UsageError(
      code === "ERR_PARSE_ARGS_UNKNOWN_OPTION"
        ? message.replace(/\. To specify .*$/s, "")
        : message,
    );
  }
}

function settingsFrom(values: Readonly<Record<string, unknown>>): Settings {
  try {
    return readSettings(values, process.env, { dataDir: defaultDataDir() });
  } catch (error) {
    throw error instanceof AppError ? new UsageError(error.message) : error;
  }
}

async function openApp(settings: Settings, ownership?: Ownership): Promise<App> {
  const level = process.env["HEARSAY_LOG"];
  const log = createLog(level);
  logUnhandledRejections(log);
  const levels = [...Object.keys(log.levels.values), "silent"].join(", ");
  if (level && level !== log.level)
    warn(`HEARSAY_LOG=${level} is not a log level (${levels}): using '${log.level}'`);
  // Most of the program; commands without it start in a third of the time.
  const { createApp } = await import("../app.ts");
  return createApp(createNodePlatform(settings.dataDir), settings, log, { ownership });
}

/** Checks settings that need an app, and warns of those that a running one ignores. @throws UsageError */
async function checkedClient(
  { client, isRunning }: OpenedClient,
  command: Command,
  values: Readonly<Record<string, unknown>>,
  settings: Settings,
): Promise<AppClient> {
  const ignored = isRunning ? engineSettingsFrom(command, values) : [];
  if (ignored.length > 0)
    warn(`${ignored.join(", ")}: ignored, because the Hearsay that is running does the work`);
  if (command.settings.includes("voiceAliases") && settings.voiceAliases.size > 0)
    checkAliases(settings, (await client.call("listModelsAndVoices")).voices);
  return client;
}

/** Flags and variables that were given for the engines and channels of this process. */
function engineSettingsFrom(command: Command, values: Readonly<Record<string, unknown>>): string[] {
  const { env } = process;
  const settings = engineSettings
    .filter((name) => name !== "dataDir" && command.settings.includes(name))
    .map((name) => settingSources[name])
    .flatMap(({ flag, variable }) =>
      values[flag] !== undefined ? [`--${flag}`] : env[variable] ? [variable] : [],
    );
  const keyVariables = channelCommands.has(command)
    ? Object.keys(env).filter(
        (name) =>
          (isKeyVariable(name) || name === settingSources.isOffline.variable) && env[name]?.trim(),
      )
    : [];
  return [...settings, ...keyVariables];
}

function checkAliases({ voiceAliases }: Settings, offered: readonly Pick<VoiceInfo, "id">[]): void {
  const voices = offered.map(({ id }) => id);
  for (const [alias, voice] of voiceAliases) {
    const { flag, variable } = settingSources.voiceAliases;
    if (!voices.includes(voice))
      throw new UsageError(
        `--${flag} (${variable}) gives '${alias}' the voice '${voice}', which must be one of ${voices.join(", ")}`,
      );
  }
}

function warn(text: string): void {
  process.stderr.write(`hearsay: ${text}\n`);
}

function print(text: string | Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(text, (error) => (error == null ? resolve() : reject(error)));
  });
}

function reportFailure(error: unknown, command: Command, abortSignal: AbortSignal): number {
  if (abortSignal.aborted) return 130;
  const code = (error as NodeJS.ErrnoException).code;
  // The reader closed the pipe, as `head` does: no failure.
  if (code === "EPIPE") return 0;
  if (error instanceof UsageError) {
    process.stderr.write(`hearsay: ${error.message}\nusage: hearsay ${command.usage}\n`);
    return 2;
  }
  const { path } = error as NodeJS.ErrnoException;
  const displayError = path === undefined ? error : fileError(error, path, "write");
  const isExpected =
    displayError instanceof AppError || displayError instanceof AnswerError || code !== undefined;
  warn(
    String(
      isExpected || !(displayError instanceof Error)
        ? (displayError as Error).message
        : displayError.stack,
    ),
  );
  return 1;
}

function help(): string {
  const list = Object.values(commands).map(
    (command) => `  hearsay ${command.usage}\n      ${command.summary}\n`,
  );
  return `Speech to text and text to speech on your own machine.

${list.join("")}
Settings:
${settingsHelp(allSettings)}
  Run 'hearsay COMMAND --help' for its options and the settings it takes as flags.
`;
}

function commandHelp(command: Command): string {
  const lines = Object.entries(command.help).map(([name, what]) =>
    optionLine(name, what, command.options[name]?.short),
  );
  return `hearsay ${command.usage}
  ${command.summary}

${lines.join("")}
Settings:
${settingsHelp(command.settings)}`;
}

function optionLine(name: string, what: string, short?: string): string {
  return `  ${short === undefined ? "   " : `-${short},`} --${name.padEnd(16)} ${what}\n`;
}

function settingsHelp(names: readonly SettingName[]): string {
  return names
    .map((name) => settingSources[name])
    .map(({ flag, variable, what }) => optionLine(flag, `${what}; ${variable}`))
    .join("");
}
