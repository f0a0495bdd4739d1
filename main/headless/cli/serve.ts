// hearsay serve: the gateway and the window until it is told to stop.

import { once } from 'node:events';
import { networkInterfaces } from 'node:os';
import type { App } from '../../app.ts';
import { AppError } from '../../contract/errors.ts';
import { settingSources, type SettingName } from '../../settings/settings.ts';
import { builtPage } from '../built-page.ts';
import { hasScreen, openBrowser } from '../open-browser.ts';
import type { Command, CommandContext } from './command.ts';
import { listenError } from './system-error.ts';

export const serve: Command = {
  usage: 'serve',
  summary: 'run the API gateway and the window',
  options: { headless: { type: 'boolean' } },
  settings: Object.keys(settingSources) as SettingName[],
  help: { headless: 'the gateway alone, without the window' },
  async run(context) {
    const app = await context.app();
    const { baseUrl, apiKey, wantedPort, port } = await app.start().catch((error: unknown) => {
      throw listenError(error);
    });
    const taken = port === wantedPort || wantedPort === 0 ? undefined : wantedPort;
    if (taken !== undefined) context.warn(`Port ${taken} is in use: listening on ${port} instead.`);
    await context.print(greeting(baseUrl, apiKey, taken));
    if (context.values['headless'] !== true) await openWindow(app, context);
    if (!context.signal.aborted) await once(context.signal, 'abort');
    return 0;
  },
};

/** Clients are served before it and without it: where there is no window, the reason is told and all else goes on. */
async function openWindow(app: App, context: CommandContext): Promise<void> {
  const { signal } = context;
  try {
    const page = await builtPage(() => context.warn('building the window, which takes a few seconds and is done once'), signal);
    const window = await app.startWindow(page);
    const url = window.launchUrl();
    // Whoever read the greeting may have seen enough.
    await context.print(`\nOpen the window within ten minutes, or ask for a new link with "npx hearsay window":\n  ${url}\n`).catch(() => {});
    if (hasScreen()) openBrowser(url);
  } catch (error) {
    if (signal.aborted) return;
    if (!(error instanceof AppError)) throw error;
    context.warn(`there is no window: ${error.message}`);
  }
}

/** `taken`: the port that was wanted, where another one had to do. */
function greeting(listening: string, apiKey: string, taken: number | undefined): string {
  const everywhere = /(?<=\/\/)(0\.0\.0\.0|\[::\])(?=:)/;
  const baseUrl = listening.replace(everywhere, '127.0.0.1');
  const others = everywhere.test(listening) ? networkAddresses().map((host) => listening.replace(everywhere, host)) : [];
  const notes = [
    ...(taken === undefined ? [] : [`port ${taken} is in use`]),
    ...(others.length === 0 ? [] : [`from other machines: ${others.join('  ')}`]),
  ];
  return `Hearsay is listening.

  Base URL  ${baseUrl}
${notes.map((note) => `            ${note}\n`).join('')}  API key   ${apiKey}
  API page  ${baseUrl.replace(/\/v1$/, '/docs')}

Say something:
  curl ${baseUrl}/audio/speech -H "Authorization: Bearer ${apiKey}" -H "Content-Type: application/json" -d '{"model":"tts-1","voice":"nova","input":"Hello from Hearsay."}' -o hello.mp3

Hear it, or any other file:
  curl ${baseUrl}/audio/transcriptions -H "Authorization: Bearer ${apiKey}" -F model=whisper-1 -F file=@hello.mp3

Ctrl-C stops it.
`;
}

/** Of IPv4, which every network around a machine speaks. */
function networkAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap((addresses = []) => addresses.filter(({ family, internal }) => family === 'IPv4' && !internal).map(({ address }) => address));
}
