import { networkInterfaces } from 'node:os';
import { expect, it, onTestFinished } from 'vitest';
import { createApiServer } from '../../../main/gateway/api-server.ts';
import { createLog } from '../../../main/log.ts';

const [someAddress = '127.0.0.1'] = Object.values(networkInterfaces()).flatMap((all = []) => all.filter(({ family }) => family === 'IPv4').map(({ address }) => address));

it.each(['127.0.0.1', '127.8.9.1', 'localhost', 'LOCALHOST.', 'a.localhost', '0.0.0.0', '0', '[::]', '[::1]', '[::ffff:127.0.0.1]', '[::ffff:0.0.0.0]', someAddress, `[::ffff:${someAddress}]`])('knows itself as %s', async (host) => {
  const server = createApiServer({ gatewayFor: () => ({ handle: () => Promise.resolve(new Response()) }), port: 0, log: createLog('silent') });
  onTestFinished(() => server.close());
  expect(server.isOwnAddress(new URL(`http://${host}:1`))).toBe(false);
  const { port } = await server.open('127.0.0.1');
  expect(server.isOwnAddress(new URL(`http://${host}:${port}/v1`))).toBe(true);
  for (const other of [`${host}:${port === 1 ? 2 : 1}`, `192.0.2.1:${port}`, `[2001:db8::1]:${port}`, `localhost.example:${port}`]) expect(server.isOwnAddress(new URL(`http://${other}/v1`))).toBe(false);
});
