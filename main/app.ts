// The table of contents: builds the services in order and wires them. Hosts (headless, shell) and the command
// line start from here.

import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { type Channels, createChannels } from './channels/channels.ts';
import { createHealth } from './channels/health.ts';
import { createLocalChannel } from './channels/local-channel.ts';
import { clientLeft, createMetering, heardHereSec, type Meter } from './channels/metering.ts';
import { createRegistry, type RegisteredChannel } from './channels/registry.ts';
import { createRouter } from './channels/router.ts';
import { createUpstreamHelpers } from './channels/upstream-helpers.ts';
import type { ApiRequest, ApiResponse } from './contract/api.ts';
import type { Routing } from './contract/channels.ts';
import { AppError } from './contract/errors.ts';
import type { ModelInfo, SpeechChunk, SpeechJob, Transcript, TranscriptionEvent, TranscriptionJob, VoiceInfo } from './contract/speech.ts';
import { createPool } from './engines/pool/pool.ts';
import { voices } from './engines/tts/hibari/voices.ts';
import { createGateway } from './gateway/gateway.ts';
import { listen, type Listener } from './gateway/listen.ts';
import { type TranscriptShape, transcriptResponse } from './gateway/transcript-response.ts';
import { openDatabase } from './library/database.ts';
import { createUsage } from './library/usage.ts';
import { usageReport } from './library/usage-report.ts';
import type { Log } from './log.ts';
import { offeredModels } from './models/offered.ts';
import { modelBundle } from './models/store.ts';
import type { Platform } from './platform.ts';
import { type ApiKeys, createApiKeys } from './settings/api-keys.ts';
import { createConfiguration } from './settings/configuration.ts';
import { createProviderKeys } from './settings/provider-keys.ts';
import type { Settings } from './settings/settings.ts';
import { createTempFolder } from './temp-folder.ts';
import packageJson from '../package.json' with { type: 'json' };

export type App = {
  /** Resolves when the models of all channels are known, or cannot be soon. For a model that this machine alone may serve there is nothing to wait for. */
  ready(model?: string): Promise<void>;
  models(): readonly ModelInfo[];
  voices(): readonly VoiceInfo[];
  transcribe(job: TranscriptionJob, signal: AbortSignal): AsyncIterable<TranscriptionEvent>;
  speak(job: SpeechJob, signal: AbortSignal): AsyncIterable<SpeechChunk>;
  phonemes(lines: readonly string[], signal: AbortSignal): Promise<string[]>;
  /** The body a client of the gateway would get. */
  formatTranscript(transcript: Transcript, shape: TranscriptShape): Promise<string>;
  /** The upstream channels. */
  channels: Channels;
  routing(): Routing;
  setRouting(routing: Routing): void;
  /** The keys of clients. */
  keys: ApiKeys;
  usage(query: ApiRequest<'readUsage'>): ApiResponse<'readUsage'>;
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
  const { dataDir } = platform;
  const channelLog = log.child({ room: 'channels' });
  const temp = createTempFolder(dataDir);
  const database = openDatabase(join(dataDir, 'hearsay.sqlite'));
  const usage = createUsage(database, log.child({ room: 'library' }));
  const configuration = createConfiguration(database, log.child({ room: 'settings' }));
  const keys = await createApiKeys({ dataDir, given: settings.apiKey, database });
  const providerKeys = await createProviderKeys({ dataDir, secretBox: platform.secretBox, env: process.env, log: log.child({ room: 'settings' }) });
  const metering = createMetering({ usage, prices: configuration.prices });

  let listener: Listener | undefined;
  const channels = createChannels({
    configuration,
    keys: providerKeys,
    instanceId: configuration.instanceId(),
    isOwnAddress: (url) => listener !== undefined && Number(url.port || (url.protocol === 'https:' ? 443 : 80)) === listener.port && isThisMachine(url.hostname, settings.host),
    log: channelLog,
  });
  const childModule = join(import.meta.dirname, 'engines', 'pool', 'child.ts');
  const pool = createPool(
    () => platform.launchChild(childModule),
    { size: settings.workers, idleMs: settings.idleSec * 1000, taskLimitMs },
    log.child({ room: 'engines' }),
  );
  const local = createLocalChannel({ pool, models: offeredModels(), voiceActivity: modelBundle('silero-vad'), voices, tempDir: temp.path, helpers: createUpstreamHelpers({ registered: channels.registered, routing: configuration.routing, metering, log: channelLog }) });
  const here: RegisteredChannel = { channel: local, priority: 0, weight: 1, health: createHealth() };
  const registry = createRegistry(withLocal(here, channels.registered));
  const router = createRouter({
    registry,
    routing: configuration.routing,
    voiceAliases: settings.voiceAliases,
    mediaSec: async (mediaPath, signal) => (await pool.job(signal).run('duration', { mediaPath })).durationSec,
  });

  return {
    async ready(model) {
      const { aliases, prefer, shareLongFiles } = configuration.routing();
      const mayLeave = model === undefined || shareLongFiles || prefer !== 'listed' || Object.hasOwn(aliases, model) || !local.models().some(({ id }) => id === model);
      if (mayLeave && channels.registered().length > 0) await channels.ready();
    },
    models: registry.models,
    voices: registry.voices,
    transcribe(job, signal) {
      router.check(job.model, 'speech-to-text');
      const meter = metering.start('command-line', job.task === 'translate' ? 'translations' : 'transcriptions');
      meter.metered.model = job.model;
      return metered(meter, router.transcribe(job, meter.metered.served, signal), (event) => {
        if (event.type === 'done') meter.metered.audioSec = heardHereSec(event.transcript);
        return event.type === 'done';
      });
    },
    speak(job, signal) {
      router.check(job.model, 'text-to-speech');
      const meter = metering.start('command-line', 'speech');
      Object.assign(meter.metered, { model: job.model, characters: Array.from(job.text).length });
      return metered(meter, router.speak(job, meter.metered.served, signal), ({ bytes, madeSec }) => {
        meter.metered.audioSec = madeSec;
        meter.metered.sentBytes += bytes.length;
        return false;
      });
    },
    phonemes: (lines, signal) => local.phonemes(lines, signal),
    formatTranscript: (transcript, shape) => transcriptResponse(transcript, shape).text(),
    channels,
    routing: configuration.routing,
    setRouting: configuration.setRouting,
    keys,
    usage: (query) => usageReport({ usage, keys }, query),
    async start() {
      const { moreFormats, host } = settings;
      const gatewayLog = log.child({ room: 'gateway' });
      const gateway = createGateway({ registry, router, keys, metering, usage, channels, configuration, tempDir: temp.path, moreFormats, host, version: packageJson.version, log: gatewayLog });
      listener = await listen({ handle: (request) => gateway.handle(request), host, port: settings.port, log: gatewayLog });
      channels.start();
      const shownHost = host.includes(':') ? `[${host}]` : host;
      return { baseUrl: `http://${shownHost}:${listener.port}/v1`, apiKey: keys.key, wantedPort: settings.port, port: listener.port };
    },
    enginePids: pool.pids,
    async close() {
      await Promise.all([listener?.close(), local.close(), channels.close()]);
      usage.close();
      database.close();
      temp.remove();
    },
  };
}

/** What the command line asks for is kept like everything else. */
async function* metered<Event>(meter: Meter, events: AsyncIterable<Event>, isLast: (event: Event) => boolean): AsyncGenerator<Event> {
  let status: number = clientLeft;
  try {
    for await (const event of events) {
      if (isLast(event)) status = 200;
      yield event;
    }
    status = 200;
  } catch (error) {
    status = error instanceof AppError ? error.row.status : 500;
    throw error;
  } finally {
    meter.end(status);
  }
}

/** The built-in engines first; the same array as long as the others are the same. */
function withLocal(here: RegisteredChannel, others: () => readonly RegisteredChannel[]): () => readonly RegisteredChannel[] {
  let seen: readonly RegisteredChannel[] | undefined;
  let all: readonly RegisteredChannel[] = [];
  return () => {
    const now = others();
    if (now !== seen) all = [here, ...(seen = now)];
    return all;
  };
}

/** Would a request to this host name reach an address of this machine that `host` is bound to? */
function isThisMachine(hostname: string, host: string): boolean {
  const bare = hostname.replace(/^\[|\]$/g, '').toLowerCase();
  return bare === host || bare === 'localhost' || bare === '::1' || bare.startsWith('127.') || networkAddresses().includes(bare);
}

function networkAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap((addresses = []) => addresses.map(({ address }) => address.toLowerCase()));
}
