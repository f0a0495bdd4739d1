// The app in this process, in a fresh data folder: every piece of it but the port.

import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { type App, createApp } from '../../main/app.ts';
import { createHeadlessPlatform } from '../../main/headless/platform.ts';
import { createLog } from '../../main/log.ts';
import { readSettings } from '../../main/settings/settings.ts';

export type AppHere = {
  readonly app: App;
  /** The text of a media file of English speech. @throws Error where a stretch could not be heard */
  hear(path: string): Promise<string>;
  /** A whole WAV file. */
  say(text: string, voice: string): Promise<Buffer>;
  close(): Promise<void>;
};

export async function appHere(): Promise<AppHere> {
  const dataDir = mkdtempSync(join(tmpdir(), 'hearsay-eval-'));
  const settings = readSettings({}, {}, { dataDir, cores: availableParallelism() });
  const app = await createApp(createHeadlessPlatform(dataDir), settings, createLog('warn'));
  const never = new AbortController().signal;
  return {
    app,
    async hear(mediaPath) {
      for await (const event of app.transcribe({ task: 'transcribe', model: 'whisper-1', mediaPath, language: 'en', temperature: 0, wordTimes: false }, never)) {
        if (event.type === 'failed') throw new Error(event.stretch.message);
        if (event.type === 'done') return event.transcript.text;
      }
      throw new Error('there was no transcript');
    },
    async say(text, voice) {
      const parts: Uint8Array[] = [];
      for await (const { bytes } of app.speak({ model: 'tts-1', text, voice, speed: 1, format: 'wav' }, never)) parts.push(bytes);
      return Buffer.concat(parts);
    },
    async close() {
      await app.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
