// The table of contents: builds the services in order and wires them. Hosts (headless, shell) and the command
// line start from here.

import { join } from 'node:path';
import { createRegistry } from './channels/registry.ts';
import { createLocalChannel } from './channels/local-channel.ts';
import type { ModelInfo, SpeechChunk, SpeechJob, Transcript, TranscriptionEvent, TranscriptionJob, VoiceInfo } from './contract/speech.ts';
import { AppError } from './contract/errors.ts';
import { createPool } from './engines/pool/pool.ts';
import { voices } from './engines/tts/hibari/voices.ts';
import { createGateway } from './gateway/gateway.ts';
import { listen, type Listener } from './gateway/listen.ts';
import { type TranscriptShape, transcriptResponse } from './gateway/transcript-response.ts';
import type { Log } from './log.ts';
import { offeredModels } from './models/offered.ts';
import { modelBundle } from './models/store.ts';
import type { Platform } from './platform.ts';
import { createApiKeys } from './settings/api-keys.ts';
import type { Settings } from './settings/settings.ts';
import { createTempFolder } from './temp-folder.ts';
import packageJson from '../package.json' with { type: 'json' };

export type App = {
  models(): readonly ModelInfo[];
  voices(): readonly VoiceInfo[];
  transcribe(job: TranscriptionJob, signal: AbortSignal): AsyncIterable<TranscriptionEvent>;
  speak(job: SpeechJob, signal: AbortSignal): AsyncIterable<SpeechChunk>;
  phonemes(lines: readonly string[], signal: AbortSignal): Promise<string[]>;
  /** The body a client of the gateway would get. */
  formatTranscript(transcript: Transcript, shape: TranscriptShape): Promise<string>;
  /** Opens the API port. Resolves to where it listens and the key it asks for. */
  start(): Promise<{ baseUrl: string; apiKey: string; wantedPort: number; port: number }>;
  /** Ids of the engine processes alive. */
  enginePids(): number[];
  /** Ends requests, engines and the port; leaves nothing behind. */
  close(): Promise<void>;
};

/** A task is a sentence or a minute of sound: seconds, but for speech that is decoded six times on a slow machine. */
const taskLimitMs = 180_000;

export async function createApp(platform: Platform, settings: Settings, log: Log): Promise<App> {
  const temp = createTempFolder(platform.dataDir);
  const childModule = join(import.meta.dirname, 'engines', 'pool', 'child.ts');
  const pool = createPool(
    () => platform.launchChild(childModule),
    { size: settings.workers, idleMs: settings.idleSec * 1000, taskLimitMs },
    log.child({ room: 'engines' }),
  );
  const local = createLocalChannel({ pool, models: offeredModels(), voiceActivity: modelBundle('silero-vad'), voices, tempDir: temp.path });
  const registry = createRegistry([{ channel: local }]);
  let listener: Listener | undefined;

  function route(model: string): NonNullable<ReturnType<typeof registry.route>> {
    const found = registry.route(model);
    if (found === undefined) throw new AppError('unknown_model', `The model '${model}' does not exist.`, { param: 'model' });
    return found;
  }

  return {
    models: registry.models,
    voices: registry.voices,
    transcribe(job, signal) {
      const { channel, channelModel } = route(job.model);
      return channel.transcribe({ ...job, model: channelModel }, signal);
    },
    speak(job, signal) {
      const { channel, channelModel } = route(job.model);
      return channel.speak({ ...job, model: channelModel, voice: settings.voiceAliases.get(job.voice) ?? job.voice }, signal);
    },
    phonemes: (lines, signal) => local.phonemes(lines, signal),
    formatTranscript: (transcript, shape) => transcriptResponse(transcript, shape).text(),
    async start() {
      const keys = await createApiKeys({ dataDir: platform.dataDir, given: settings.apiKey });
      const { moreFormats, voiceAliases, host } = settings;
      const gatewayLog = log.child({ room: 'gateway' });
      const gateway = createGateway({ registry, keys, tempDir: temp.path, moreFormats, voiceAliases, host, version: packageJson.version, log: gatewayLog });
      listener = await listen({ handle: (request) => gateway.handle(request), host, port: settings.port, log: gatewayLog });
      const shownHost = host.includes(':') ? `[${host}]` : host;
      return { baseUrl: `http://${shownHost}:${listener.port}/v1`, apiKey: keys.key, wantedPort: settings.port, port: listener.port };
    },
    enginePids: pool.pids,
    async close() {
      await Promise.all([listener?.close(), local.close()]);
      temp.remove();
    },
  };
}
