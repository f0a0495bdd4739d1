import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { catalog } from '../../../main/models/catalog.ts';
import { offeredModels } from '../../../main/models/offered.ts';
import { modelBundle, shippedWeightsDir } from '../../../main/models/store.ts';

it('offers the names clients are hard-wired to, and each model by its own', () => {
  const byId = new Map(offeredModels().map((model) => [model.id, model]));
  expect(byId.get('whisper-1')).toMatchObject({ kind: 'speech-to-text', ownedBy: 'hearsay', bundle: { id: 'moonshine-base' } });
  expect(byId.get('tts-1')).toMatchObject({ kind: 'text-to-speech', quality: 'standard', bundle: { id: 'hibari' } });
  expect(byId.get('tts-1-hd')).toMatchObject({ kind: 'text-to-speech', quality: 'high', bundle: { id: 'hibari' } });
  expect(byId.get('moonshine-base')?.ownedBy).toBe('useful-sensors');
  expect(byId.has('silero-vad')).toBe(false);
  expect(byId.size).toBe(offeredModels().length);
});

it('says when the weights were released', () => {
  for (const { created } of offeredModels()) {
    expect(Number.isInteger(created)).toBe(true);
    expect(new Date(created * 1000).getUTCFullYear()).toBeGreaterThan(2020);
  }
});

it.each(catalog.map(({ id }) => id))('ships every file of %s with its true size', (id) => {
  const { dir, files } = modelBundle(id);
  expect(files.map(({ name }) => [name, statSync(join(dir, name)).size])).toEqual(files.map(({ name, sizeBytes }) => [name, sizeBytes]));
});

it('ships a licence with every model', () => {
  for (const { id } of catalog) expect(readdirSync(join(shippedWeightsDir, id))).toContain('LICENSE');
});

it('does not know a model that is in no catalogue', () => {
  expect(() => modelBundle('whisper-large')).toThrow('whisper-large');
});
