// hearsay serve: the gateway and the window until it is told to stop. Where Electron is there both are its: this
// process starts it and waits.

import { once } from 'node:events';
import { basename, resolve } from 'node:path';
import type { App } from '../../app.ts';
import { AppError } from '../../contract/errors.ts';
import { minKeyLength } from '../../settings/api-keys.ts';
import { settingSources, type SettingName } from '../../settings/settings.ts';
import { builtPage } from '../built-page.ts';
import { findElectron, type FoundElectron } from '../find-electron.ts';
import { hasScreen, openBrowser } from '../open-browser.ts';
import { runElectron } from '../run-electron.ts';
import { stagedDesktop } from '../staged-desktop.ts';
import { type Command, type CommandContext, text, UsageError } from './command.ts';
import { greeting, shownKey } from './greeting.ts';
import { listenError } from './system-error.ts';

export const serve: Command = {
  usage: 'serve [FILE...] [--headless | --window | --browser]',
  summary: 'run the API gateway and the window, which hears the files',
  options: { headless: { type: 'boolean' }, window: { type: 'boolean' }, browser: { type: 'boolean' } },
  settings: Object.keys(settingSources) as SettingName[],
  help: { headless: 'the gateway alone, without the window; it opens no files', window: 'the desktop window or nothing: no browser stands in for it', browser: 'the window in the browser, also where the desktop app is' },
  async run(context) {
    const { headless, window, browser } = context.values;
    if ([headless, window, browser].filter((value) => value === true).length > 1) throw new UsageError('--headless is without the window, --window for that of the desktop, --browser for the one in the browser: one of them');
    let why = 'that was asked for';
    if (headless !== true && browser !== true) {
      const electron = findElectron();
      if (electron.isThere) {
        const { code, hasCrashed } = await desktop(electron.path, context);
        if (!hasCrashed || window === true) return code;
        why = 'Electron ended while it started, and told above what of';
      } else if (window === true) {
        context.warn(`the desktop window cannot be opened: ${lacking(electron)}`);
        return 1;
      } else why = lacking(electron);
    }
    const app = await context.app();
    const { baseUrl, apiKey, apiKeyFile, isKeyShort, wantedPort, port, isAlone } = await app.start().catch((error: unknown) => {
      throw listenError(error);
    });
    const taken = port === wantedPort || wantedPort === 0 ? undefined : wantedPort;
    if (taken !== undefined) context.warn(`Port ${taken} is not free: listening on ${port} instead.`);
    const isFlag = text(context, settingSources.apiKey.flag) !== undefined;
    await context.print(greeting(baseUrl, shownKey({ key: apiKey, keyFile: apiKeyFile, isFlag, isTerminal: process.stdout.isTTY }), taken));
    if (isKeyShort) context.warn(shortKey);
    if (!isAlone) context.warn('Another Hearsay is running on this library, which goes on with what was left to do in it. Its window: "npx hearsay window".');
    if (headless !== true) await openWindow(app, why, context);
    if (!context.signal.aborted) await once(context.signal, 'abort');
    return 0;
  },
};

const shortKey = `The API key is short, so it can be guessed: use ${minKeyLength} characters or more. The network is not served with this one.`;
const building = 'building the window, which takes a few seconds and is done once';

const lacking = ({ reason, remedy }: Extract<FoundElectron, { isThere: false }>): string => `${reason}${remedy === undefined ? '' : ` (get it with "${remedy}")`}`;

/** A system that lets no sandbox be made, for one, ends it at once; later it is the app's own matter. */
const startingMs = 10_000;

/** In Electron. Settings go along in the environment, where a list of processes does not show them. */
async function desktop(electronPath: string, context: CommandContext): Promise<{ code: number; hasCrashed: boolean }> {
  const { signal, positionals } = context;
  try {
    const appDir = await stagedDesktop(() => context.warn(building), signal);
    const given = Object.values(settingSources).map(({ flag, variable }) => [variable, text(context, flag)] as const);
    const env = { ...process.env, ...Object.fromEntries(given.filter(([, value]) => value !== undefined)) };
    const startedMs = performance.now();
    const code = await runElectron(electronPath, [appDir, ...positionals.map((path) => resolve(path))], env, signal);
    // By a signal, as a shell tells it; on Windows by an exception.
    return { code, hasCrashed: code > 128 && !signal.aborted && performance.now() - startedMs < startingMs };
  } catch (error) {
    if (signal.aborted) return { code: 130, hasCrashed: false };
    throw error;
  }
}

/** Clients are served before it and without it: where there is no window, the reason is told and all else goes on. */
async function openWindow(app: App, why: string, context: CommandContext): Promise<void> {
  const { signal } = context;
  try {
    const page = await builtPage(() => context.warn(building), signal);
    const window = await app.startWindow(page);
    const url = window.launchUrl();
    // Whoever read the greeting may have seen enough.
    await context.print(`\nThe window is in the browser: ${why}.\nOpen it within ten minutes, or ask for a new link with "npx hearsay window":\n  ${url}\n`).catch(() => {});
    if (hasScreen()) context.signal.addEventListener('abort', openBrowser(window.launchUrl(), { dataDir: context.dataDir }));
    for (const path of context.positionals) {
      await app.importFile(resolve(path)).then(
        () => context.print(`Hearing ${basename(path)}: it is on the page Transcribe.\n`),
        (error: unknown) => context.warn(`${path}: ${(error as Error).message}`),
      );
    }
  } catch (error) {
    if (signal.aborted) return;
    if (!(error instanceof AppError)) throw error;
    context.warn(`there is no window: ${error.message}`);
  }
}
