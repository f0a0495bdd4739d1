// The command line: which command, with which options, and how it ends. Each command is a file of cli/.

import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { createApp, type App } from '../app.ts';
import { AppError } from '../contract/errors.ts';
import { createLog } from '../log.ts';
import { readSettings, type Settings, settingSources } from '../settings/settings.ts';
import { channels } from './cli/channels.ts';
import { type Command, UsageError } from './cli/command.ts';
import { keys } from './cli/keys.ts';
import { models } from './cli/models.ts';
import { phonemes } from './cli/phonemes.ts';
import { createProgress } from './cli/progress.ts';
import { serve } from './cli/serve.ts';
import { speak } from './cli/speak.ts';
import { transcribe, translate } from './cli/transcribe.ts';
import { usage } from './cli/usage.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { createHeadlessPlatform, defaultDataDir } from './platform.ts';

const commands: Readonly<Record<string, Command>> = { serve, transcribe, translate, speak, phonemes, models, channels, keys, usage };
const settingFlags = Object.values(settingSources);

// A reader that went away is noticed where something is printed.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
process.exitCode = await main(process.argv.slice(2));
// Nothing is left to do; a stuck handle must not keep the process.
process.exit();

async function main([name = 'help', ...args]: string[]): Promise<number> {
  if (name === '--version') {
    process.stdout.write(`${packageJson.version}\n`);
    return 0;
  }
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined) {
    const asked = ['help', '--help', '-h'].includes(name);
    (asked ? process.stdout : process.stderr).write(asked ? help() : `hearsay: there is no command '${name}'\n\n${help()}`);
    return asked ? 0 : 2;
  }
  const stop = stopSignal();
  let app: Promise<App> | undefined;
  try {
    const { values, positionals } = parse(command, args);
    if (values['help'] === true) {
      process.stdout.write(commandHelp(command));
      return 0;
    }
    const settings = settingsFrom(values);
    const openApp = (): Promise<App> => (app ??= createApp(createHeadlessPlatform(settings.dataDir), settings, createLog(process.env['HEARSAY_LOG'])));
    return await command.run({
      positionals,
      values,
      app: openApp,
      signal: stop,
      progress: createProgress(process.stderr),
      print,
      warn: (text) => process.stderr.write(`hearsay: ${text}\n`),
    });
  } catch (error) {
    return failure(error, command, stop);
  } finally {
    await app?.then((opened) => opened.close(), () => {});
  }
}

/** Ctrl-C, SIGTERM, and the end of the process that started this one. */
function stopSignal(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => controller.abort());
  process.on('disconnect', () => controller.abort());
  process.channel?.unref();
  return controller.signal;
}

function parse(command: Command, args: string[]): ReturnType<typeof parseArgs> {
  const settings = Object.fromEntries(settingFlags.map(({ flag }) => [flag, { type: 'string' as const }]));
  try {
    return parseArgs({ args, options: { ...settings, ...command.options, help: { type: 'boolean', short: 'h' } }, allowPositionals: true });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function settingsFrom(values: Readonly<Record<string, unknown>>): Settings {
  try {
    return readSettings(values, process.env, { dataDir: defaultDataDir(), cores: availableParallelism() });
  } catch (error) {
    throw error instanceof AppError ? new UsageError(error.message) : error;
  }
}

function print(text: string | Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(text, (error) => (error == null ? resolve() : reject(error)));
  });
}

function failure(error: unknown, command: Command, stop: AbortSignal): number {
  if (stop.aborted) return 130;
  const code = (error as NodeJS.ErrnoException).code;
  // Whoever read the output has seen enough.
  if (code === 'EPIPE') return 0;
  if (error instanceof UsageError) {
    process.stderr.write(`hearsay: ${error.message}\nusage: hearsay ${command.usage}\n`);
    return 2;
  }
  const expected = error instanceof AppError || code !== undefined;
  process.stderr.write(`hearsay: ${expected || !(error instanceof Error) ? (error as Error).message : error.stack}\n`);
  return 1;
}

function help(): string {
  const list = Object.values(commands).map(({ usage, summary }) => `  hearsay ${usage}\n      ${summary}\n`);
  return `Hearsay hears and says, on this machine.\n\n${list.join('')}\nEvery command:\n${settingsHelp()}\n  hearsay COMMAND --help tells more.\n`;
}

function commandHelp({ usage, summary, help: options }: Command): string {
  const lines = Object.entries(options).map(([name, what]) => optionLine(name, what));
  return `hearsay ${usage}\n  ${summary}\n\n${lines.join('')}\nSettings:\n${settingsHelp()}`;
}

function optionLine(name: string, what: string): string {
  return `  --${name.padEnd(15)} ${what}\n`;
}

function settingsHelp(): string {
  return settingFlags.map(({ flag, variable, what }) => optionLine(flag, `${what}; ${variable}`)).join('');
}
