// The model a request names, or an error that tells which ones it could have named.

import type { ModelRoute, Registry } from '../../channels/registry.ts';
import { AppError } from '../../contract/errors.ts';
import type { ModelInfo } from '../../contract/speech.ts';

const does = { 'speech-to-text': 'hears', 'text-to-speech': 'speaks' } as const;

/** @throws AppError for a model that is not there, or that does the other thing. */
export function findModel(registry: Registry, id: string, kind: ModelInfo['kind']): ModelRoute {
  const route = registry.route(id);
  if (route?.info.kind === kind) return route;
  const others = registry.models().filter((model) => model.kind === kind).map((model) => `'${model.id}'`);
  const known = others.length === 0 ? '' : ` Here one of these is needed: ${others.join(', ')}.`;
  if (route === undefined) throw unknownModel(id, known);
  throw new AppError('invalid_value', `The model '${id}' ${does[route.info.kind]}.${known}`, { param: 'model' });
}

export function unknownModel(id: string, hint = ''): AppError {
  return new AppError('unknown_model', `The model '${id.slice(0, 200)}' does not exist.${hint}`, { param: 'model' });
}
