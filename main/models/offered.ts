// The built-in models as clients ask for them: each by its own name and by the names OpenAI's clients are
// hard-wired to.

import type { ModelBundle, ModelInfo } from '../contract/speech.ts';
import { catalog } from './catalog.ts';
import { modelBundle } from './store.ts';

export type OfferedModel = ModelInfo & {
  readonly bundle: ModelBundle;
  /** Hears what `bundle` does not. */
  readonly multilingual?: ModelBundle;
  readonly languages: readonly string[];
  readonly translatesTo: readonly string[];
  readonly quality: 'standard' | 'high';
};

/** A name → model of the catalogue, and the one that hears other languages for it. */
type Name = { id: string; model: string; multilingual?: string; quality?: 'standard' | 'high' };
const aliases: readonly Name[] = [
  { id: 'whisper-1', model: 'moonshine-base', multilingual: 'whisper-base' },
  { id: 'tts-1', model: 'hibari' },
  { id: 'tts-1-hd', model: 'hibari', quality: 'high' },
];

export function offeredModels(weightsDir?: string): OfferedModel[] {
  const names: Name[] = [...aliases, ...catalog.map(({ id }) => ({ id, model: id }))];
  return names.flatMap(({ id, model, multilingual, quality = 'standard' }) => {
    const found = catalog.find((entry) => entry.id === model);
    if (found === undefined || found.kind === 'voice-activity') return [];
    const { kind, created, ownedBy } = found;
    const { languages, translatesTo } = catalog.find((entry) => entry.id === multilingual) ?? found;
    return [{ id, kind, created, ownedBy: id === model ? ownedBy : 'hearsay', languages, translatesTo, quality, bundle: modelBundle(model, weightsDir), ...(multilingual === undefined ? {} : { multilingual: modelBundle(multilingual, weightsDir) }) }];
  });
}
