import { expect, it } from 'vitest';
import { createPreferences } from '../../../main/library/preferences.ts';
import { library } from '../../support/library.ts';

it('begins with what is preferred where nothing was said, and keeps what is', () => {
  const database = library();
  const { read, change } = createPreferences(database);
  expect(read()).toMatchObject({ theme: 'system', transcribe: { model: 'whisper-1', temperature: 0 }, narrate: { voice: 'nova', speed: 1 }, hasSeenWelcome: false });
  const changed = change({ ...read(), theme: 'dark', language: 'de', narrate: { model: 'tts-1', voice: 'onyx', speed: 1.25 } });
  expect(changed).toMatchObject({ theme: 'dark', language: 'de', narrate: { voice: 'onyx' } });
  expect(createPreferences(database).read()).toEqual(changed);
});

it('keeps the rest where a part was written by another version', () => {
  const database = library();
  database.change(() => database.sqlite.prepare("INSERT INTO settings (name, value) VALUES ('preferences', ?)").run(JSON.stringify({ theme: 'sepia', language: 'de', future: 1 })));
  expect(createPreferences(database).read()).toMatchObject({ theme: 'system', language: 'de' });
});

it('tells of a change, once it can be read', () => {
  const seen: string[] = [];
  const store = createPreferences(library(), { onChange: () => seen.push(store.read().desktop.dictationKeys) });
  store.change({ ...store.read(), desktop: { ...store.read().desktop, dictationKeys: 'Alt+D' } });
  expect(seen).toEqual(['Alt+D']);
});
