// What becomes of a dictated text. The window itself is looked at in test/integration/shell.test.ts.

import { beforeEach, expect, it } from 'vitest';
import { quietLog } from '../../support/app.ts';
import { BrowserWindow, fake } from '../../support/fake-electron.ts';
import { createDictation } from '../../../main/shell/dictation.ts';
import { messagesFor } from '../../../main/shell/messages.ts';
import { createNotices } from '../../../main/shell/notices.ts';
import { createOutbox } from '../../../main/shell/outbox.ts';
import type { Typing } from '../../../main/shell/typing.ts';

/** At each press of the keys that paste: what lies on the clipboard, and whether the small window is out of the way. */
const pastes: [clipboard: string, isOutOfTheWay: boolean][] = [];
let types = true;
let typing: Typing;

beforeEach(() => {
  pastes.length = 0;
  types = true;
  Object.assign(fake, { clipboard: '', notifications: [] });
  typing = {
    hindrance: () => undefined,
    paste: async () => void pastes.push([fake.clipboard, [...BrowserWindow.all].every(({ isShown }) => !isShown)]),
  };
});

const create = () => createDictation({ origin: 'http://127.0.0.1:9', outbox: createOutbox(), typing, notices: createNotices(), types: () => types, texts: () => messagesFor('en', ''), log: quietLog, focusReturnsMs: 0 });
const notes = () => fake.notifications.map(({ options: { title, body } }) => [title, body]);

it('the text is on the clipboard, and pasted when the small window is out of the way', async () => {
  const dictation = create();
  dictation.press();
  for (const window of BrowserWindow.all) window.showInactive();
  await dictation.take('Dear Ms Übel,\nyes.');
  expect(pastes).toEqual([['Dear Ms Übel,\nyes.', true]]);
  expect(notes()).toEqual([]);
  dictation.close();
});

it('nothing is pasted where that is not wished: the clipboard has it', async () => {
  types = false;
  await create().take('Hello.');
  expect([fake.clipboard, pastes, notes()]).toEqual(['Hello.', [], []]);
});

it('where nothing can be typed, the reason is told', async () => {
  typing = { ...typing, hindrance: () => 'typeNeedsXdotool' };
  await create().take('Hello.');
  expect([fake.clipboard, pastes]).toEqual(['Hello.', []]);
  expect(notes()).toEqual([['Copied to the clipboard', 'Typing into other programs needs xdotool, which is not installed here.']]);
});

it('where typing fails, the text is not lost', async () => {
  typing = { ...typing, paste: () => Promise.reject(new Error('no such window')) };
  await create().take('Hello.');
  expect([fake.clipboard, notes()]).toEqual(['Hello.', [['Copied to the clipboard', 'It could not be typed into the program in front.']]]);
});

it('no text leaves the clipboard as it is', async () => {
  fake.clipboard = 'mine';
  await create().take(' \n');
  expect([fake.clipboard, pastes]).toEqual(['mine', []]);
});
