// What the window's pages are served by: the handlers of contract/studio-api.ts and the addresses beside it, from the
// files of this folder.

import type { ApiName } from '../../contract/api.ts';
import type { Handlers, RawRoute } from './app-routes.ts';

export type StudioRoutes = {
  readonly handlers: Partial<Handlers<ApiName>>;
  readonly rawRoutes: readonly RawRoute[];
};

export const joinRoutes = (...parts: readonly StudioRoutes[]): StudioRoutes => ({
  handlers: Object.assign({}, ...parts.map(({ handlers }) => handlers)) as StudioRoutes['handlers'],
  rawRoutes: parts.flatMap(({ rawRoutes }) => rawRoutes),
});
