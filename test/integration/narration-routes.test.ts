// Narrations over the app's own interface, as the window uses it.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { unzipSync } from 'fflate';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openWholeApp, type WholeApp } from '../support/whole-app.ts';
import { openFolder } from '../support/test-data.ts';

let app: WholeApp;
let page: Awaited<ReturnType<typeof openFolder>>;
beforeAll(async () => {
  page = await openFolder();
  await writeFile(join(page.path, 'index.html'), '<!doctype html><title>Hearsay</title>');
  app = await openWholeApp({ rendererDir: page.path });
}, 60_000);
afterAll(async () => {
  await app.close();
  await page.remove();
});

const json = (body: unknown): RequestInit => ({ method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } });

it('takes a script to a book: brought, made, played in ranges, exported as a file and as an archive of chapters', { timeout: 90_000 }, async () => {
  const brought = (await (await app.send('/app/scripts?name=Rain.md', { method: 'POST', body: '# One\n\nRain fell **all** day.\n\n# Two\n\nThen it stopped.' })).json()) as { title: string; script: string };
  expect(brought).toEqual({ title: 'One', author: '', script: '# One\n\nRain fell all day.\n\n# Two\n\nThen it stopped.' });
  const { id } = await app.call('createNarration', { title: 'Rain: a story', script: brought.script });
  expect((await app.call('makeNarration', {}, id)).state).toBe('running');
  expect((await app.ended(id)).state).toBe('done');
  const { sentences } = await app.call('readNarration', {}, id);
  expect(sentences.map(({ text, chapter, takes }) => [text, chapter, takes.length])).toEqual([['One', 'One', 1], ['Rain fell all day.', undefined, 1], ['Two', 'Two', 1], ['Then it stopped.', undefined, 1]]);

  const part = await app.send(`/app/items/${id}/takes/${sentences[1]?.chosenTake}`, { headers: { range: 'bytes=0-3' } });
  expect([part.status, part.headers.get('content-type'), await part.text()]).toEqual([206, 'audio/wav', 'RIFF']);

  const one = await app.send(`/app/items/${id}/narration-file`, json({ format: 'opus' }));
  expect(one.headers.get('content-disposition')).toContain('Rain a story.opus');
  expect(Buffer.from(await one.arrayBuffer()).toString('latin1', 0, 4)).toBe('OggS');

  const several = await app.send(`/app/items/${id}/narration-file`, json({ format: 'flac', perChapter: true, subtitles: 'vtt' }));
  expect(several.headers.get('content-type')).toBe('application/zip');
  const files = unzipSync(new Uint8Array(await several.arrayBuffer()));
  expect(Object.keys(files)).toEqual(['1 One.flac', '1 One.vtt', '2 Two.flac', '2 Two.vtt']);
  expect(Buffer.from(files['2 Two.vtt'] ?? []).toString()).toContain('Then it stopped.');

  await app.call('changePronunciations', { entries: [{ word: 'rain', says: 'rayne' }] });
  expect((await app.call('readNarration', {}, id)).sentences.map(({ takes }) => takes.length)).toEqual([1, 0, 1, 1]);
  await expect(app.send(`/app/items/${id}/narration-file`, json({ format: 'wav' }))).rejects.toThrow(/answered 400.*1 of 4 sentences/);
});
