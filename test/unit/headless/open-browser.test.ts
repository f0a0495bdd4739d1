import { expect, it } from 'vitest';
import { hasScreen } from '../../../main/headless/open-browser.ts';

it.each([
  ['linux', { DISPLAY: ':0' }],
  ['linux', { WAYLAND_DISPLAY: 'wayland-0' }],
  ['darwin', {}],
  ['win32', {}],
] as const)('a browser is opened on %s with %j', (system, env) => {
  expect(hasScreen(env, system, true)).toBe(true);
});

it.each([
  ['linux', {}],
  ['linux', { DISPLAY: '' }],
  ['linux', { DISPLAY: ':0', CI: 'true' }],
  ['darwin', { SSH_CONNECTION: '10.0.0.1 5 10.0.0.2 22' }],
] as const)('none is opened on %s with %j', (system, env) => {
  expect(hasScreen(env, system, true)).toBe(false);
});

it('none is opened where the output goes into a file or to another program', () => {
  expect(hasScreen({}, 'darwin', false)).toBe(false);
});
