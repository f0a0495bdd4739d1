// The built-in models as clients ask for them: each by its own name and by the names OpenAI's clients are
// hard-wired to.

import type { ModelBundle, ModelInfo } from '../contract/speech.ts';
import { catalog } from './catalog.ts';
import { modelBundle } from './store.ts';

export type OfferedModel = ModelInfo & {
  readonly bundle: ModelBundle;
  readonly languages: readonly string[];
  readonly translatesTo: readonly string[];
  readonly quality: 'standard' | 'high';
};

/** A name → model of the catalogue. */
type Name = { id: string; model: string; quality?: 'standard' | 'high' };
const aliases: readonly Name[] = [
  { id: 'whisper-1', model: 'moonshine-base' },
  { id: 'tts-1', model: 'hibari' },
  { id: 'tts-1-hd', model: 'hibari', quality: 'high' },
];

export function offeredModels(weightsDir?: string): OfferedModel[] {
  const names: Name[] = [...aliases, ...catalog.map(({ id }) => ({ id, model: id }))];
  return names.flatMap(({ id, model, quality = 'standard' }) => {
    const found = catalog.find((entry) => entry.id === model);
    if (found === undefined || found.kind === 'voice-activity') return [];
    const { kind, created, ownedBy, languages, translatesTo } = found;
    return [{ id, kind, created, ownedBy: id === model ? ownedBy : 'hearsay', languages, translatesTo, quality, bundle: modelBundle(model, weightsDir) }];
  });
}
