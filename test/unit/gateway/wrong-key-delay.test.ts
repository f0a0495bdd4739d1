import { describe, expect, it } from 'vitest';
import { createWrongKeyDelay, senderOf } from '../../../main/gateway/wrong-key-delay.ts';
import { testGateway, testKey } from '../../support/gateway-server.ts';

const never = new AbortController().signal;

/** How long each wrong key of a list of senders is held back, one after the other. */
async function delays(senders: readonly (readonly [address: string, atMs: number])[], policy = {}): Promise<number[]> {
  let nowMs = 0;
  const found: number[] = [];
  const delay = createWrongKeyDelay(policy, { now: () => nowMs, wait: async (ms) => void found.push(ms) });
  for (const [address, atMs] of senders) {
    nowMs = atMs;
    await delay.pass(address, never);
  }
  return found;
}

describe('a wrong key', () => {
  it('is answered later each time, up to two seconds, by its sender', async () => {
    const again = Array.from({ length: 7 }, () => ['10.0.0.1', 0] as const);
    expect(await delays([...again, ['10.0.0.2', 0]])).toEqual([100, 200, 400, 800, 1600, 2000, 2000, 100]);
  });

  it('is forgotten step by step', async () => {
    expect(await delays([['a', 0], ['a', 0], ['a', 0], ['a', 10_000], ['a', 50_000]])).toEqual([100, 200, 400, 400, 100]);
  });

  it('is forgotten where too many others come', async () => {
    expect(await delays([['a', 0], ['a', 0], ['b', 0], ['c', 0], ['a', 0]], { maxAddresses: 2 })).toEqual([100, 200, 100, 100, 100]);
  });

  it('does not wait where too many do already', async () => {
    const delay = createWrongKeyDelay({ firstMs: 3_600_000, maxMs: 3_600_000, maxWaiting: 2 });
    const leave = new AbortController();
    const waiting = [delay.pass('a', leave.signal), delay.pass('b', leave.signal)];
    expect(await delay.pass('c', never)).toBeUndefined();
    leave.abort();
    await Promise.all(waiting);
  });

  it('comes from a whole network of IPv6', () => {
    expect(senderOf('2001:db8:1:2:3:4:5:6')).toBe(senderOf('2001:0db8:1:2::9'));
    expect(senderOf('2001:db8:1:2::1')).not.toBe(senderOf('2001:db8:1:3::1'));
    expect([senderOf('::1'), senderOf('fe80::1%eth0'), senderOf('::ffff:10.0.0.1'), senderOf('10.0.0.1'), senderOf('')]).toEqual(['0:0:0:0', 'fe80:0:0:0', '10.0.0.1', '10.0.0.1', '']);
  });
});

it('a right key is never held back, from the same address and while wrong ones are', async () => {
  const { gateway } = await testGateway({ limits: { wrongKeys: { firstMs: 3_600_000, maxMs: 3_600_000 } } });
  const leave = new AbortController();
  const ask = (key: string, signal = never): Promise<Response> => gateway.handle(new Request('http://127.0.0.1/v1/models', { headers: { authorization: `Bearer ${key}` }, signal }), { remoteAddress: '127.0.0.1' });
  const wrong = Array.from({ length: 20 }, () => ask('hs-wrong', leave.signal));
  let isAnswered = false;
  void Promise.race(wrong).then(() => (isAnswered = true));
  for (let turn = 0; turn < 5; turn += 1) expect((await ask(testKey)).status).toBe(200);
  expect(isAnswered).toBe(false);
  leave.abort();
  for (const response of await Promise.all(wrong)) {
    expect(response.status).toBe(401);
    expect(await response.json()).toEqual({ error: { message: 'Invalid API key.', type: 'authentication_error', param: null } });
  }
});

it('no key at all, which tries nothing, is answered at once', async () => {
  const { gateway } = await testGateway({ limits: { wrongKeys: { firstMs: 3_600_000, maxMs: 3_600_000 } } });
  expect((await gateway.handle(new Request('http://127.0.0.1/v1/models'))).status).toBe(401);
});
