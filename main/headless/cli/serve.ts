// hearsay serve: the gateway until it is told to stop.

import { once } from 'node:events';
import type { Command } from './command.ts';

export const serve: Command = {
  usage: 'serve',
  summary: 'run the API gateway',
  options: { headless: { type: 'boolean' } },
  help: { headless: 'never open a window' },
  async run(context) {
    const app = await context.app();
    const { baseUrl, apiKey, wantedPort, port } = await app.start();
    if (port !== wantedPort && wantedPort !== 0) context.warn(`Port ${wantedPort} is in use: listening on ${port} instead.`);
    await context.print(greeting(baseUrl, apiKey));
    if (!context.signal.aborted) await once(context.signal, 'abort');
    return 0;
  },
};

function greeting(baseUrl: string, apiKey: string): string {
  return `Hearsay is listening.

  Base URL  ${baseUrl}
  API key   ${apiKey}
  API page  ${baseUrl.replace(/\/v1$/, '/docs')}

Say something:
  curl ${baseUrl}/audio/speech -H "Authorization: Bearer ${apiKey}" -H "Content-Type: application/json" -d '{"model":"tts-1","voice":"nova","input":"Hello from Hearsay."}' -o hello.mp3

Hear it, or any other file:
  curl ${baseUrl}/audio/transcriptions -H "Authorization: Bearer ${apiKey}" -F model=whisper-1 -F file=@hello.mp3

Ctrl-C stops it.
`;
}
