// hearsay window: a new link to the window of the Hearsay that is running here.

import { api } from '../../contract/api.ts';
import type { Command } from './command.ts';

export const window: Command = {
  usage: 'window',
  summary: 'print a new link that opens the window of the Hearsay that is running',
  options: {},
  settings: ['host', 'port', 'dataDir', 'apiKey'],
  help: {},
  async run(context) {
    const { usualBaseUrl: baseUrl, keys } = await context.app();
    const { method, path, response: shape } = api.newLaunchUrl;
    const response = await fetch(new URL(path, baseUrl), { method, body: '{}', headers: { authorization: `Bearer ${keys.key}` } }).catch(() => undefined);
    if (response === undefined) {
      context.warn(`no Hearsay is running at ${baseUrl}; where its port is another one, name it with --port`);
      return 1;
    }
    const answer: unknown = await response.json().catch(() => undefined);
    if (!response.ok) {
      context.warn((answer as { error?: { message?: string } } | undefined)?.error?.message ?? `${baseUrl} answered with status ${response.status}`);
      return 1;
    }
    await context.print(`${shape.parse(answer).url}\n`);
    return 0;
  },
};
