import { describe, expect, it } from 'vitest';
import { api } from '../../../main/contract/api.ts';
import { AppError } from '../../../main/contract/errors.ts';
import type { Scope } from '../../../main/contract/usage.ts';
import { createFakeChannel, failing, tellSpeech } from '../../support/fake-channel.ts';
import { registered, testGateway, uploadForm } from '../../support/gateway-server.ts';
import type { TestGateway } from '../../support/gateway-server.ts';

const speech = (more: object = {}): RequestInit => ({ method: 'POST', body: JSON.stringify({ model: 'tts-1', voice: 'nova', input: 'Good morning.', ...more }) });
const hearing = (fields: Record<string, string> = { model: 'whisper-1' }): RequestInit => ({ method: 'POST', body: uploadForm(fields) });

async function sums({ ask }: TestGateway, by: string) {
  return api.readUsage.response.parse(await (await ask(`/app/usage?by=${by}`)).json());
}

function asker({ gateway, deps }: TestGateway, input: { scopes?: Scope[]; monthlyBudgetUsd?: number; budgetCountsLocal?: boolean }): (path: string, init?: RequestInit) => Promise<Response> {
  const { secret } = deps.keys.create({ name: 'client', budgetCountsLocal: false, ...input });
  return (path, init = {}) => gateway.handle(new Request(`http://127.0.0.1${path}`, { ...init, headers: { authorization: `Bearer ${secret}` } }));
}

describe('a usage record', () => {
  it('is left by what was heard and what was spoken, with its cost', async () => {
    const test = await testGateway({ channels: [registered(createFakeChannel()), registered(createFakeChannel(), 'cloud')] });
    expect((await test.ask('/v1/audio/transcriptions', hearing({ model: 'cloud/whisper-1' }))).status).toBe(200);
    const spoken = await (await test.ask('/v1/audio/speech', speech())).arrayBuffer();
    const { sums: [hear, speak], total } = await sums(test, 'model');
    expect(hear).toMatchObject({ group: 'cloud/whisper-1', requests: 1, failed: 0, characters: 0 });
    expect(hear?.audioSec).toBeCloseTo(3.32, 5);
    expect(hear?.spentUsd).toBeCloseTo((3.32 / 60) * 0.006, 9);
    expect(hear?.receivedBytes).toBeGreaterThan(3244);
    expect(speak).toMatchObject({ group: 'tts-1', requests: 1, characters: 13, sentBytes: spoken.byteLength });
    expect(total.requests).toBe(2);
  });

  it('is left by failures too, which cost nothing', async () => {
    const test = await testGateway({ script: { speak: () => failing(() => new AppError('engine_failed', 'It broke.')) } });
    expect((await test.ask('/v1/audio/speech', speech())).status).toBe(500);
    expect((await test.ask('/v1/audio/speech', speech({ model: 'none' }))).status).toBe(404);
    expect((await sums(test, 'key')).sums).toMatchObject([{ group: 'owner', requests: 2, failed: 2, spentUsd: 0, savedUsd: 0 }]);
  });

  it('is left by a client that leaves in the middle', async () => {
    const test = await testGateway({ script: { speak: () => tellSpeech(Array.from({ length: 100 }, () => 'x'.repeat(10))) } });
    const response = await test.ask('/v1/audio/speech', speech());
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    await reader.read();
    await reader.cancel();
    expect((await sums(test, 'day')).total).toMatchObject({ requests: 1, failed: 1 });
  });

  it('is left by nobody without a key', async () => {
    const test = await testGateway();
    expect((await test.gateway.handle(new Request('http://127.0.0.1/v1/audio/speech', speech()))).status).toBe(401);
    expect((await sums(test, 'day')).total.requests).toBe(0);
  });
});

describe('the channel that served', () => {
  it('is named in a header of whole and of streamed answers', async () => {
    const { ask } = await testGateway({ channels: [registered({ ...createFakeChannel(), name: 'Wölkchen' }, 'cloud')] });
    const heard = await ask('/v1/audio/transcriptions', hearing({ model: 'cloud/whisper-1' }));
    const told = await ask('/v1/audio/transcriptions', hearing({ model: 'cloud/whisper-1', stream: 'true' }));
    const spoken = await ask('/v1/audio/speech', speech({ model: 'cloud/tts-1' }));
    await Promise.all([heard.text(), told.text(), spoken.arrayBuffer()]);
    expect([heard, told, spoken].map(({ headers }) => headers.get('x-hearsay-channel'))).toEqual(['W?lkchen', 'W?lkchen', 'W?lkchen']);
  });
});

describe('scopes', () => {
  it.each([
    ['hear', ['/v1/audio/transcriptions', '/v1/audio/translations']],
    ['speak', ['/v1/audio/speech', '/v1/audio/voices', '/v1/audio/models']],
    ['models', ['/v1/models', '/v1/models/tts-1', '/v1/audio/voices', '/v1/audio/models']],
  ] as const)('%s opens its own addresses and no others', async (scope, open) => {
    const test = await testGateway();
    const ask = asker(test, { scopes: [scope] });
    for (const path of ['/v1/audio/transcriptions', '/v1/audio/translations', '/v1/audio/speech', '/v1/audio/voices', '/v1/audio/models', '/v1/models', '/v1/models/tts-1']) {
      const response = await ask(path, path.endsWith('ions') ? hearing() : path.endsWith('speech') ? speech() : {});
      const { error } = (await response.json().catch(() => ({}))) as { error?: { type: string; code: string } };
      const refused = open.includes(path as never) ? undefined : { type: 'permission_error', code: 'insufficient_scope' };
      expect({ path, status: response.status, type: error?.type, code: error?.code }).toEqual({ path, status: refused === undefined ? 200 : 403, ...refused });
    }
  });
});

describe('a monthly budget', () => {
  it('ends with 429 in the usual shape when it is used up', async () => {
    const test = await testGateway({ channels: [registered(createFakeChannel(), 'cloud')] });
    const ask = asker(test, { monthlyBudgetUsd: 0.0003 });
    const spend = async () => {
      const response = await ask('/v1/audio/speech', speech({ model: 'cloud/tts-1' }));
      await response.clone().arrayBuffer();
      return response;
    };
    // 13 characters cost 0.000195 USD.
    expect([(await spend()).status, (await spend()).status]).toEqual([200, 200]);
    const refused = await spend();
    expect([refused.status, await refused.json()]).toMatchObject([429, { error: { type: 'insufficient_quota', code: 'insufficient_quota', param: null } }]);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await test.ask('/v1/audio/speech', speech({ model: 'cloud/tts-1' }))).status).toBe(200);
  });

  it('counts what this machine did only where that was asked for', async () => {
    const test = await testGateway({ channels: [registered({ ...createFakeChannel(), isLocal: true })] });
    const statuses = async (budgetCountsLocal: boolean) => {
      const { secret } = test.deps.keys.create({ name: `local ${budgetCountsLocal}`, monthlyBudgetUsd: 0.0001, budgetCountsLocal });
      const found: number[] = [];
      for (let at = 0; at < 2; at += 1) {
        const response = await test.gateway.handle(new Request('http://127.0.0.1/v1/audio/speech', { ...speech(), headers: { authorization: `Bearer ${secret}` } }));
        found.push(response.status);
        await response.arrayBuffer();
      }
      return found;
    };
    expect(await statuses(false)).toEqual([200, 200]);
    expect(await statuses(true)).toEqual([200, 429]);
  });
});

describe('a circle of gateways', () => {
  it('is noticed by the name of this one', async () => {
    const test = await testGateway();
    const headers = { 'x-hearsay-via': `other, ${test.deps.configuration.instanceId()}` };
    const response = await test.ask('/v1/audio/speech', { ...speech(), headers });
    expect([response.status, await response.json()]).toMatchObject([508, { error: { code: 'channel_loop' } }]);
  });

  it('hands on the names of those the request came through', async () => {
    const test = await testGateway();
    await (await test.ask('/v1/audio/speech', { ...speech(), headers: { 'x-hearsay-via': 'one, two' } })).arrayBuffer();
    expect(test.channel.spoken[0]?.via).toEqual(['one', 'two']);
  });
});
