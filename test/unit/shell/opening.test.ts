// What becomes of files that are opened with Hearsay, over an app that takes them as the test says.

import { beforeEach, expect, it, vi } from 'vitest';
import { AppError } from '../../../main/contract/errors.ts';
import type { PageCommand } from '../../../main/contract/shell-bridge.ts';
import { messagesFor } from '../../../main/shell/messages.ts';
import { createOpening } from '../../../main/shell/opening.ts';
import { quietLog } from '../../support/app.ts';
import { fake } from '../../support/fake-electron.ts';

let taken: string[];
let most: number;
let commands: PageCommand[];
let shown: number;

beforeEach(() => {
  [taken, most, commands, shown] = [[], 0, [], 0];
  Object.assign(fake, { dialogs: [], recent: [] });
});

/** `refuses` gives the reason. */
function create(refuses: (path: string) => AppError | undefined = () => undefined) {
  let underWay = 0;
  return createOpening({
    hearsay: {
      async importFile(path) {
        underWay += 1;
        most = Math.max(most, underWay);
        await new Promise((next) => setImmediate(next));
        underWay -= 1;
        const reason = refuses(path);
        if (reason !== undefined) throw reason;
        taken.push(path);
        return { id: `item-${taken.length}` } as never;
      },
    },
    windows: { show: () => void (shown += 1), openHidden() {}, command: (...given) => void commands.push(...given) },
    dictate() {},
    texts: () => messagesFor('en', ''),
    log: quietLog,
  });
}

const paths = (count: number): string[] => Array.from({ length: count }, (_, at) => `/music/${at}.mp3`);
const open = (opening: ReturnType<typeof create>, some: readonly string[]): void => opening.open({ paths: [...some], dictates: false, isHidden: false });

it('files that come each by itself are taken one after the other, all of them', async () => {
  const opening = create();
  for (const path of paths(1000)) open(opening, [path]);
  await vi.waitFor(() => expect(taken).toEqual(paths(1000)));
  expect(most).toBe(1);
  expect(commands).toEqual([{ type: 'go', path: '/transcribe' }]);
});

it('the page goes to a file that comes alone', async () => {
  const opening = create();
  open(opening, ['/one.mp3']);
  await vi.waitFor(() => expect(commands).toEqual([{ type: 'go', path: '/transcribe/item-1' }]));
  open(opening, ['/two.mp3']);
  await vi.waitFor(() => expect(commands.at(-1)).toEqual({ type: 'go', path: '/transcribe/item-2' }));
  expect(fake.recent).toEqual(['/one.mp3', '/two.mp3']);
});

it('what is refused is told once, and no higher than a screen; what comes meanwhile is taken', async () => {
  fake.answer = new Promise(() => {});
  const opening = create((path) => (path.startsWith('/music') ? new AppError('undecodable_audio', 'It has no sound.') : undefined));
  open(opening, paths(40));
  await vi.waitFor(() => expect(fake.dialogs.length).toBe(1));
  const lines = fake.dialogs[0]?.detail?.split('\n') ?? [];
  expect([lines.length, lines[0], lines.at(-1)]).toEqual([11, '0.mp3: It has no sound.', '… and 30 more']);
  open(opening, ['/good.mp3']);
  await vi.waitFor(() => expect(taken).toEqual(['/good.mp3']));
  fake.answer = 0;
});

it('an app that is about to end is silent about what it did not take any more', async () => {
  open(create(() => new AppError('closing', 'Hearsay is shutting down.')), paths(5));
  for (let turn = 0; turn < 20; turn++) await new Promise((next) => setImmediate(next));
  expect([fake.dialogs, commands]).toEqual([[], []]);
});
